import math
import torch
from collections import namedtuple

_Pair = namedtuple("return_types", "values indices")
_Range = namedtuple("return_types", "min max")
_QR = namedtuple("return_types", "Q R")


def _wide(x):
    return x.double()


def _like(result, x):
    return result.to(x.dtype if x.is_floating_point() else torch.float32)


def tan(input):
    x = _wide(input)
    return _like(x.sin() / x.cos(), input)


def asin(input):
    x = _wide(input)
    return _like((x / (1 - x * x).sqrt()).atan(), input)


def acos(input):
    x = _wide(input)
    return _like(2 * ((1 - x) / (1 + x)).sqrt().atan(), input)


def atan2(input, other):
    y, x = _wide(input), _wide(other)
    angle = (y / x).atan()
    half = torch.full_like(angle, math.pi)
    half = torch.where(torch.signbit(y), -half, half)
    angle = torch.where(torch.signbit(x), angle + half, angle)
    axis = torch.where(torch.signbit(x), half, 0.0 * y)
    angle = torch.where((y == 0) & (x == 0), axis, angle)
    both = torch.isinf(y) & torch.isinf(x)
    corner = torch.where(torch.signbit(x), half * 0.75, half * 0.25)
    return _like(torch.where(both, corner, angle), input)


def sinh(input):
    e = _wide(input).expm1()
    return _like((e + torch.where(torch.isinf(e), e, e / (e + 1))) / 2, input)


def cosh(input):
    x = _wide(input)
    return _like((x.exp() + (-x).exp()) / 2, input)


def asinh(input):
    x = _wide(input)
    a = x.abs()
    grown = torch.where(a > 1e150, a, a + a * a / (1 + (a * a + 1).sqrt()))
    value = grown.log1p() + (a > 1e150).double() * math.log(2.0)
    return _like(torch.where(torch.signbit(x), -value, value), input)


def acosh(input):
    x = _wide(input)
    return _like((x + (x - 1).sqrt() * (x + 1).sqrt()).log(), input)


def atanh(input):
    x = _wide(input)
    return _like(0.5 * (2 * x / (1 - x)).log1p(), input)


def log10(input):
    return _like(_wide(input).log() / math.log(10.0), input)


def logit(input, eps=None):
    x = _wide(input)
    if eps is not None:
        x = x.clamp(eps, 1 - eps)
    return _like((x / (1 - x)).log(), input)


def erfinv(input):
    x = _wide(input)
    # A first guess, then Newton's steps on erf.
    logs = (1 - x * x).log()
    middle = 2 / (math.pi * 0.147) + logs / 2
    guess = ((middle * middle - logs / 0.147).sqrt() - middle).sqrt()
    guess = torch.where(torch.signbit(x), -guess, guess)
    for _ in range(4):
        slope = 2 / math.sqrt(math.pi) * (-guess * guess).exp()
        step = (guess.erf() - x) / slope
        guess = torch.where(torch.isfinite(step), guess - step, guess)
    edge = torch.where(x == 1, math.inf, torch.where(x == -1, -math.inf, math.nan))
    return _like(torch.where(x.abs() < 1, guess, edge.double()), input)


def frac(input):
    return input - input.trunc()


def signbit(input):
    if not input.is_floating_point():
        return input < 0
    return (input < 0) | ((input == 0) & (1 / input.double() < 0))


def isposinf(input):
    return input == math.inf


def isneginf(input):
    return input == -math.inf


def positive(input):
    return input


def deg2rad(input):
    return _like(_wide(input) * (math.pi / 180), input)


def rad2deg(input):
    return _like(_wide(input) * (180 / math.pi), input)


def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    if not input.is_floating_point():
        return input.clone()
    limits = torch.finfo(input.dtype)
    result = input.masked_fill(torch.isnan(input), nan)
    result = result.masked_fill(
        input == math.inf, limits.max if posinf is None else posinf)
    return result.masked_fill(
        input == -math.inf, limits.min if neginf is None else neginf)


def hypot(input, other):
    return _like((_wide(input) ** 2 + _wide(other) ** 2).sqrt(), input)


def logaddexp(input, other):
    a, b = _wide(input), _wide(other)
    top = torch.maximum(a, b)
    gap = torch.minimum(a, b) - top
    return _like(torch.where(torch.isinf(top), top, top + gap.exp().log1p()), input)


def xlogy(input, other):
    x = _wide(input)
    y = other.double() if torch.is_tensor(other) else other
    logs = y.log() if torch.is_tensor(y) else math.log(y)
    return _like(torch.where(x == 0, 0.0 * x, x * logs), input)


def fmin(input, other):
    return torch.where(torch.isnan(input), other,
                       torch.where(torch.isnan(other), input, torch.minimum(input, other)))


def fmax(input, other):
    return torch.where(torch.isnan(input), other,
                       torch.where(torch.isnan(other), input, torch.maximum(input, other)))


def copysign(input, other):
    negative = torch.signbit(other) if torch.is_tensor(other) else math.copysign(1, other) < 0
    size = input.abs() if input.is_floating_point() else input.abs().float()
    return torch.where(negative, -size, size) if torch.is_tensor(negative) else (-size if negative else size)


def heaviside(input, values):
    return torch.where(input == 0, values, (input > 0).to(input.dtype))


def float_power(input, exponent):
    base = input.double() if torch.is_tensor(input) else input
    return base ** (exponent.double() if torch.is_tensor(exponent) else exponent)


def rsub(input, other, alpha=1):
    return other - alpha * input


def lerp(input, end, weight):
    return input + weight * (end - input)


def addcmul(input, tensor1, tensor2, value=1):
    return input + value * tensor1 * tensor2


def addcdiv(input, tensor1, tensor2, value=1):
    return input + value * tensor1 / tensor2


def addmm(input, mat1, mat2, beta=1, alpha=1):
    return beta * input + alpha * (mat1 @ mat2)


def baddbmm(input, batch1, batch2, beta=1, alpha=1):
    return beta * input + alpha * (batch1 @ batch2)


def addmv(input, mat, vec, beta=1, alpha=1):
    return beta * input + alpha * (mat @ vec)


def mv(input, vec):
    return input @ vec


def inner(input, other):
    return torch.tensordot(input, other, dims=([-1], [-1]))


def tensordot(a, b, dims=2):
    if isinstance(dims, int):
        dims = (list(range(a.dim() - dims, a.dim())), list(range(dims)))
    left = [d % a.dim() for d in dims[0]]
    right = [d % b.dim() for d in dims[1]]
    keep_a = [d for d in range(a.dim()) if d not in left]
    keep_b = [d for d in range(b.dim()) if d not in right]
    shared = 1
    for d in left:
        shared *= a.shape[d]
    shape = [a.shape[d] for d in keep_a] + [b.shape[d] for d in keep_b]
    rows = a.permute(keep_a + left).reshape(a.numel() // max(shared, 1), shared)
    columns = b.permute(right + keep_b).reshape(shared, b.numel() // max(shared, 1))
    return (rows @ columns).reshape(shape)


def kron(input, other):
    rank = max(input.dim(), other.dim())
    a = input.reshape([1] * (rank - input.dim()) + list(input.shape))
    b = other.reshape([1] * (rank - other.dim()) + list(other.shape))
    wide_a = a.reshape([n for extent in a.shape for n in (extent, 1)])
    wide_b = b.reshape([n for extent in b.shape for n in (1, extent)])
    return (wide_a * wide_b).reshape([m * n for m, n in zip(a.shape, b.shape)])


def cdist(x1, x2, p=2.0):
    gaps = (_wide(x1).unsqueeze(-2) - _wide(x2).unsqueeze(-3)).abs()
    return _like((gaps ** p).sum(-1) ** (1.0 / p), x1)
