def gelu(input, approximate="none"):
    x = _wide(input)
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)
        return _like(0.5 * x * (1 + inner.tanh()), input)
    return _like(0.5 * x * (1 + (x * math.sqrt(0.5)).erf()), input)


def leaky_relu(input, negative_slope=0.01):
    return torch.where(input > 0, input, input * negative_slope)


def elu(input, alpha=1.0):
    return _like(torch.where(input > 0, _wide(input), alpha * _wide(input).expm1()), input)


def relu6(input):
    return input.clamp(0, 6)


def hardtanh(input, min_val=-1.0, max_val=1.0):
    return input.clamp(min_val, max_val)


def hardsigmoid(input):
    return _like((_wide(input) / 6 + 0.5).clamp(0, 1), input)


def hardswish(input):
    return _like(_wide(input) * (_wide(input) + 3).clamp(0, 6) / 6, input)


def mish(input):
    return _like(_wide(input) * torch.softplus(_wide(input)).tanh(), input)


def logsigmoid(input):
    x = _wide(input)
    return _like(x.clamp(max=0) - (-x.abs()).exp().log1p(), input)


def softsign(input):
    return _like(_wide(input) / (1 + _wide(input).abs()), input)


def softmin(input, dim):
    return torch.softmax(-input, dim)


def glu(input, dim=-1):
    a, b = input.chunk(2, dim)
    return _like(_wide(a) * torch.sigmoid(_wide(b)), input)


def _last(normalized_shape):
    return [-i for i in range(len(normalized_shape), 0, -1)]


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    x, dims = _wide(input), _last(normalized_shape)
    centred = x - x.mean(dims, True)
    result = centred * ((centred * centred).mean(dims, True) + eps).rsqrt()
    result = result if weight is None else result * _wide(weight)
    result = result if bias is None else result + _wide(bias)
    return _like(result, input)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    x, dims = _wide(input), _last(normalized_shape)
    eps = torch.finfo(input.dtype).eps if eps is None else eps
    result = x * ((x * x).mean(dims, True) + eps).rsqrt()
    return _like(result if weight is None else result * _wide(weight), input)


def normalize(input, p=2.0, dim=1, eps=1e-12):
    x = _wide(input)
    return _like(x / vector_norm(x, p, dim, True).clamp(min=eps), input)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    a, b = _wide(x1), _wide(x2)
    scale = vector_norm(a, 2, dim).clamp(min=eps) * vector_norm(b, 2, dim).clamp(min=eps)
    return _like((a * b).sum(dim) / scale, x1)


def _reduced(values, reduction, input):
    if reduction == "none":
        return _like(values, input)
    if reduction not in ("mean", "sum"):
        raise ValueError(f"unknown reduction '{reduction}'")
    return _like(values.mean() if reduction == "mean" else values.sum(), input)


def mse_loss(input, target, reduction="mean"):
    return _reduced((_wide(input) - _wide(target)) ** 2, reduction, input)


def l1_loss(input, target, reduction="mean"):
    return _reduced((_wide(input) - _wide(target)).abs(), reduction, input)


def cross_entropy(input, target, reduction="mean"):
    logs = torch.log_softmax(_wide(input), 1 if input.dim() > 1 else 0)
    picked = logs.gather(1, target.unsqueeze(1)).squeeze(1) if input.dim() > 1 else logs[target]
    return _reduced(-picked, reduction, input)


def embedding(input, weight, padding_idx=None):
    return weight[input]


def dropout(input, p=0.5, training=True, inplace=False):
    if training and p > 0:
        raise NotImplementedError("dropout is random: pass training=False")
    return input


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0,
                                 is_causal=False, scale=None, enable_gqa=False):
    q, k, v = _wide(query), _wide(key), _wide(value)
    if enable_gqa:
        k = k.repeat_interleave(q.shape[-3] // k.shape[-3], -3)
        v = v.repeat_interleave(q.shape[-3] // v.shape[-3], -3)
    scores = q @ k.transpose(-2, -1) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if is_causal:
        hidden = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril().logical_not()
        scores = scores.masked_fill(hidden, -math.inf)
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            scores = scores.masked_fill(~attn_mask, -math.inf)
        else:
            scores = scores + attn_mask
    return _like(torch.softmax(scores, -1) @ v, query)


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    x, w = _wide(input), _wide(weight)
    if padding:
        x = torch.pad(x, (padding, padding))
    taps = w.shape[2]
    length = (x.shape[2] - dilation * (taps - 1) - 1) // stride + 1
    batch, inside, outside = x.shape[0], x.shape[1] // groups, w.shape[0] // groups
    total = x.new_zeros(batch, groups, outside, length)
    for tap in range(taps):
        start = tap * dilation
        part = x[:, :, start:start + (length - 1) * stride + 1:stride]
        part = part.reshape(batch, groups, inside, length)
        total = total + torch.einsum("goi,bgil->bgol", w[:, :, tap].reshape(groups, outside, inside), part)
    total = total.reshape(batch, groups * outside, length)
    return _like(total if bias is None else total + _wide(bias).reshape(1, -1, 1), input)


def qr(A, mode="reduced"):
    r = _wide(A).clone()
    m, n = r.shape
    q = torch.eye(m, dtype=torch.float64)
    for i in range(min(m - 1, n)):
        x = r[i:, i].clone()
        norm = vector_norm(x).item()
        if norm == 0:
            continue
        x[0] += norm if x[0].item() >= 0 else -norm
        x = x / vector_norm(x)
        r[i:] = r[i:] - 2 * torch.outer(x, x @ r[i:])
        q[:, i:] = q[:, i:] - 2 * torch.outer(q[:, i:] @ x, x)
    k = m if mode == "complete" else min(m, n)
    return _QR(_like(q[:, :k], A), _like(r[:k].triu(), A))


def solve(A, B):
    a, b = _wide(A).clone(), _wide(B).clone()
    column = b.dim() == 1
    b = b.reshape(-1, 1) if column else b
    for i in range(a.shape[0]):
        pivot = i + a[i:, i].abs().argmax().item()
        if a[pivot, i].item() == 0:
            raise RuntimeError("the matrix is singular")
        order = torch.arange(a.shape[0])
        order[i], order[pivot] = pivot, i
        a, b = a[order], b[order]
        b[i] = b[i] / a[i, i]
        a[i] = a[i] / a[i, i]
        factors = a[:, i].clone()
        factors[i] = 0
        a = a - torch.outer(factors, a[i])
        b = b - torch.outer(factors, b[i])
    return _like(b.reshape(-1) if column else b, A)


def inv(A):
    return solve(A, torch.eye(A.shape[0], dtype=A.dtype))


def assert_close(actual, expected, rtol=None, atol=None, equal_nan=False, check_dtype=True, msg=None, **ignored):
    a, b = torch.as_tensor(actual), torch.as_tensor(expected)
    if list(a.shape) != list(b.shape):
        raise AssertionError(msg or f"the shapes differ: {list(a.shape)} and {list(b.shape)}")
    if check_dtype and a.dtype != b.dtype:
        raise AssertionError(msg or f"the dtypes differ: {a.dtype} and {b.dtype}")
    if rtol is None or atol is None:
        defaults = {torch.float16: 1e-3, torch.bfloat16: 1.6e-2, torch.float32: 1.3e-6, torch.float64: 1e-7}
        rtol = defaults.get(a.dtype, 0.0)
        atol = 1e-7 if a.dtype == torch.float64 else 1e-5 if a.is_floating_point() else 0.0
    close = torch.isclose(a.double(), b.double(), rtol, atol, equal_nan)
    if not close.all():
        gap = (a.double() - b.double()).abs()
        raise AssertionError(msg or f"{(~close).sum().item()} of {a.numel()} elements differ; the largest "
                                    f"difference is {gap.max().item()}")
