def diag(input, diagonal=0):
    if input.dim() == 2:
        return input.diagonal(diagonal).clone()
    n = input.shape[0] + abs(diagonal)
    result = input.new_zeros(n, n)
    result.diagonal(diagonal).copy_(input)
    return result


def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    n = input.shape[-1] + abs(offset)
    result = input.new_zeros(list(input.shape[:-1]) + [n, n])
    result.diagonal(offset, -2, -1).copy_(input)
    return result.movedim(-1, dim2).movedim(-1 if dim1 != -2 else -2, dim1)


def fill_diagonal_(input, fill_value):
    input.diagonal().fill_(fill_value)
    return input


def meshgrid(*tensors, indexing="ij"):
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tensors[0]
    shape = [t.numel() for t in tensors]
    result = []
    for i, t in enumerate(tensors):
        line = t.reshape([-1 if d == i else 1 for d in range(len(shape))])
        result.append(line.expand(shape))
    if indexing == "xy" and len(shape) > 1:
        result = [grid.transpose(0, 1) for grid in result]
    return tuple(result)


def cartesian_prod(*tensors):
    if len(tensors) == 1:
        return tensors[0]
    return torch.stack([grid.reshape(-1) for grid in meshgrid(*tensors)], 1)


def atleast_1d(input):
    return input.reshape(1) if input.dim() == 0 else input


def atleast_2d(input):
    return input if input.dim() >= 2 else input.reshape(1, -1)


def atleast_3d(input):
    if input.dim() >= 3:
        return input
    return input.unsqueeze(-1) if input.dim() == 2 else input.reshape(1, -1, 1)


def hstack(tensors):
    tensors = [atleast_1d(t) for t in tensors]
    return torch.cat(tensors, 0 if tensors[0].dim() == 1 else 1)


def vstack(tensors):
    return torch.cat([atleast_2d(t) for t in tensors], 0)


def dstack(tensors):
    return torch.cat([atleast_3d(t) for t in tensors], 2)


def column_stack(tensors):
    return torch.cat([t.reshape(-1, 1) if t.dim() < 2 else t for t in tensors], 1)


def tensor_split(input, indices_or_sections, dim=0):
    length = input.shape[dim]
    if isinstance(indices_or_sections, int):
        count = indices_or_sections
        size, more = length // count, length % count
        stops = [i * size + min(i, more) for i in range(1, count)]
    else:
        stops = [min(max(i if i >= 0 else i + length, 0), length) for i in indices_or_sections]
    bounds = [0] + stops + [length]
    return tuple(input.narrow(dim, a, max(b - a, 0)) for a, b in zip(bounds, bounds[1:]))


def rot90(input, k=1, dims=(0, 1)):
    k = k % 4
    if k == 2:
        return input.flip(dims)
    turned = input.transpose(dims[0], dims[1]) if k else input.clone()
    return turned.flip([dims[0]]) if k == 1 else turned.flip([dims[1]]) if k == 3 else turned


def fliplr(input):
    return input.flip([1])


def flipud(input):
    return input.flip([0])


def _triangle_indices(row, col, test):
    rows = torch.arange(row).unsqueeze(1)
    return torch.nonzero(test(torch.arange(col), rows)).transpose(0, 1).contiguous()


def tril_indices(row, col, offset=0, dtype=torch.int64, device=None):
    return _triangle_indices(row, col, lambda c, r: c <= r + offset).to(dtype)


def triu_indices(row, col, offset=0, dtype=torch.int64, device=None):
    return _triangle_indices(row, col, lambda c, r: c >= r + offset).to(dtype)


def broadcast_shapes(*shapes):
    rank = max([len(s) if isinstance(s, (list, tuple)) else 1 for s in shapes] or [0])
    result = [1] * rank
    for shape in shapes:
        shape = list(shape) if isinstance(shape, (list, tuple)) else [shape]
        for d, extent in enumerate([1] * (rank - len(shape)) + shape):
            if extent != 1 and result[d] not in (1, extent):
                raise RuntimeError(f"shapes {list(shapes)} do not broadcast together")
            result[d] = extent if extent != 1 else result[d]
    return tuple(result)


def broadcast_tensors(*tensors):
    shape = broadcast_shapes(*[t.shape for t in tensors])
    return tuple(t.expand(shape) for t in tensors)


def unravel_index(indices, shape):
    result = []
    for extent in reversed(shape):
        result.append(indices % extent)
        indices = indices // extent
    return tuple(reversed(result))


def block_diag(*tensors):
    tensors = [atleast_2d(t) for t in tensors]
    result = tensors[0].new_zeros(sum(t.shape[0] for t in tensors), sum(t.shape[1] for t in tensors))
    row = column = 0
    for t in tensors:
        result[row:row + t.shape[0], column:column + t.shape[1]] = t
        row, column = row + t.shape[0], column + t.shape[1]
    return result


def logspace(start, end, steps, base=10.0, dtype=torch.float32, device=None):
    return (base ** torch.linspace(start, end, steps, dtype=torch.float64)).to(dtype)


def bernoulli(input, p=None, generator=None):
    chance = input if p is None else torch.full_like(input, p)
    return (torch.rand(input.shape, generator=generator) < chance).to(input.dtype)


def normal(mean, std=1.0, size=None, generator=None, dtype=None):
    if size is None:
        size = mean.shape if torch.is_tensor(mean) else std.shape
    return mean + std * torch.randn(size, generator=generator, dtype=dtype)


def randint_like(input, low, high=None, dtype=None):
    low, high = (0, low) if high is None else (low, high)
    return torch.randint(low, high, input.shape, dtype=dtype or input.dtype)
