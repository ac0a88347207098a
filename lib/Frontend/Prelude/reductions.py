def nansum(input, dim=None, keepdim=False, dtype=None):
    zeroed = input.masked_fill(torch.isnan(input), 0)
    return zeroed.sum(dim, keepdim, dtype=dtype)


def nanmean(input, dim=None, keepdim=False):
    count = (~torch.isnan(input)).sum(dim, keepdim)
    total = _wide(input).masked_fill(torch.isnan(input), 0).sum(dim, keepdim)
    return _like(total / count, input)


def aminmax(input, dim=None, keepdim=False):
    return _Range(input.amin(dim, keepdim), input.amax(dim, keepdim))


def std_mean(input, dim=None, unbiased=True, keepdim=False):
    return (input.std(dim, unbiased, keepdim), input.mean(dim, keepdim))


def var_mean(input, dim=None, unbiased=True, keepdim=False):
    return (input.var(dim, unbiased, keepdim), input.mean(dim, keepdim))


def kthvalue(input, k, dim=-1, keepdim=False):
    values, indices = input.sort(dim)
    at = k - 1
    if at < 0 or at >= input.shape[dim]:
        raise IndexError(f"kthvalue: k = {k} is not in 1 to {input.shape[dim]}")
    values, indices = values.narrow(dim, at, 1), indices.narrow(dim, at, 1)
    if not keepdim:
        values, indices = values.squeeze(dim), indices.squeeze(dim)
    return _Pair(values, indices)


def median(input, dim=None, keepdim=False):
    if dim is None:
        flat = input.flatten()
        value = kthvalue(flat, (flat.numel() + 1) // 2, 0).values
        unknown = torch.isnan(flat).any()
        return torch.full_like(value, math.nan) if unknown else value
    values, indices = kthvalue(input, (input.shape[dim] + 1) // 2, dim, True)
    unknown = torch.isnan(input)
    missing = unknown.any(dim, True)
    first = unknown.int().argmax(dim, True)
    if missing.any():
        values = values.masked_fill(missing, math.nan)
        indices = torch.where(missing, first, indices)
    if not keepdim:
        values, indices = values.squeeze(dim), indices.squeeze(dim)
    return _Pair(values, indices)


def quantile(input, q, dim=None, keepdim=False, interpolation="linear"):
    if dim is None:
        shape = [1] * input.dim()
        result = quantile(input.flatten(), q, 0, False, interpolation)
        return result.reshape(list(result.shape) + shape) if keepdim else result
    ordered = _wide(input).sort(dim).values.movedim(dim, -1)
    place = torch.as_tensor(q, dtype=torch.float64) * (ordered.shape[-1] - 1)
    low, high = place.floor(), place.ceil()
    if interpolation == "lower":
        place = high = low
    elif interpolation == "higher":
        place = low = high
    elif interpolation == "nearest":
        place = low = high = place.round()
    elif interpolation == "midpoint":
        place = (low + high) / 2
    elif interpolation != "linear":
        raise ValueError(f"quantile: unknown interpolation '{interpolation}'")
    flat_low, flat_high = low.reshape(-1).long(), high.reshape(-1).long()
    a, b = ordered[..., flat_low], ordered[..., flat_high]
    result = a + (b - a) * (place - low).reshape(-1)
    result = result.masked_fill(torch.isnan(ordered).any(-1, True), math.nan)
    result = result.movedim(-1, 0).reshape(list(place.shape) + list(ordered.shape[:-1]))
    if keepdim:
        result = result.unsqueeze(dim + place.dim() if dim >= 0 else dim)
    return _like(result, input)


def _running(input, dim, better):
    values, indices = [], []
    for i in range(input.shape[dim]):
        value = input.narrow(dim, i, 1)
        index = torch.full_like(value, i, dtype=torch.int64)
        if values:
            keep = ~(better(value, values[-1]) | torch.isnan(value)) | torch.isnan(values[-1])
            value = torch.where(keep, values[-1], value)
            index = torch.where(keep, indices[-1], index)
        values.append(value)
        indices.append(index)
    return _Pair(torch.cat(values, dim), torch.cat(indices, dim))


def cummax(input, dim):
    return _running(input, dim, torch.ge)


def cummin(input, dim):
    return _running(input, dim, torch.le)


def logcumsumexp(input, dim):
    top = _wide(input).amax(dim, True)
    return _like((_wide(input) - top).exp().cumsum(dim).log() + top, input)


def diff(input, n=1, dim=-1):
    for _ in range(n):
        length = input.shape[dim] - 1
        after, before = input.narrow(dim, 1, length), input.narrow(dim, 0, length)
        input = after ^ before if input.dtype == torch.bool else after - before
    return input


def trace(input):
    return input.diagonal().sum()


def histc(input, bins=100, min=0, max=0):
    low, high = min, max
    if low == high:
        low, high = input.min().item(), input.max().item()
    inside = input[(input >= low) & (input <= high)].double()
    places = ((inside - low) * bins / ((high - low) or 1)).floor().clamp(max=bins - 1)
    return places.long().bincount(minlength=bins).to(input.dtype)


def vector_norm(x, ord=2, dim=None, keepdim=False):
    size = _wide(x).abs()
    if ord == math.inf:
        return _like(size.amax(dim, keepdim), x)
    if ord == -math.inf:
        return _like(size.amin(dim, keepdim), x)
    if ord == 0:
        return _like((size != 0).double().sum(dim, keepdim), x)
    if ord == 1:
        return _like(size.sum(dim, keepdim), x)
    if ord == 2:
        return _like((size * size).sum(dim, keepdim).sqrt(), x)
    return _like((size ** ord).sum(dim, keepdim) ** (1.0 / ord), x)
