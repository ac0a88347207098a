//===- TorchPrelude.cpp - torch's functions that are made of others -------===//
//
// Part of the plc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written in the host world's own language and loaded at the first use. Float
// functions compute in double and round once at their end. An error in here is
// reported at the user's call.
//
//===----------------------------------------------------------------------===//

#include "ArrayLibrary.h"
#include "pl/Frontend/Interpreter.h"

using namespace llvm;

namespace pl::frontend {

static constexpr StringLiteral kElementwise = R"py(
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
)py";

static constexpr StringLiteral kReductions = R"py(
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
)py";

static constexpr StringLiteral kShapes = R"py(
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
)py";

static constexpr StringLiteral kNeural = R"py(
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
)py";

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Loads the source at the first use. Null: raised.
static ModuleObject *loadPrelude(ArrayLibrary &library,
                                 Interpreter &interpreter) {
  if (!library.prelude) {
    std::string text = kElementwise.str();
    for (StringRef part : {kReductions, kShapes, kNeural})
      text += part;
    uint32_t buffer = interpreter.sources.addBuffer("<torch>", text);
    library.prelude = interpreter.loadBuffer("torch", "<torch>", buffer);
    if (library.prelude)
      library.prelude->isLibrary = true;
  }
  return library.prelude.get();
}

static TensorFn callPrelude(StringRef name) {
  return [name](TensorCall &call) -> FailureOr<Value> {
    Interpreter &interpreter = call.context.interpreter;
    SourceRange range = call.context.range;
    ModuleObject *module = loadPrelude(call.library, interpreter);
    if (!module)
      return failure();
    SmallVector<NamedValue, 4> keywords;
    for (NamedValue keyword : call.keywords) {
      // numpy's words, as everywhere in the library.
      if (keyword.name == "axis")
        keyword.name = "dim";
      else if (keyword.name == "keepdims")
        keyword.name = "keepdim";
      keywords.push_back(std::move(keyword));
    }
    size_t depth = interpreter.callStack.size();
    Value result =
        interpreter.call(*module->find(name), call.args, keywords, range);
    if (!result.isEmpty())
      return result;
    if (interpreter.pending) {
      interpreter.pending->range = range;
      if (interpreter.pending->calls.size() > depth)
        interpreter.pending->calls.resize(depth);
    }
    return failure();
  };
}

void addPreludeFunctions(ArrayLibrary &library) {
  for (StringLiteral name :
       {StringLiteral("tan"),        StringLiteral("asin"),
        StringLiteral("acos"),       StringLiteral("sinh"),
        StringLiteral("cosh"),       StringLiteral("asinh"),
        StringLiteral("acosh"),      StringLiteral("atanh"),
        StringLiteral("log10"),      StringLiteral("logit"),
        StringLiteral("erfinv"),     StringLiteral("frac"),
        StringLiteral("deg2rad"),    StringLiteral("rad2deg"),
        StringLiteral("nan_to_num"), StringLiteral("hypot"),
        StringLiteral("copysign"),   StringLiteral("lerp"),
        StringLiteral("addcmul"),    StringLiteral("addcdiv"),
        StringLiteral("addmm"),      StringLiteral("baddbmm"),
        StringLiteral("addmv")})
    library.addInPlace(name, callPrelude(name));
  for (StringLiteral name :
       {StringLiteral("atan2"),       StringLiteral("signbit"),
        StringLiteral("isposinf"),    StringLiteral("isneginf"),
        StringLiteral("positive"),    StringLiteral("logaddexp"),
        StringLiteral("xlogy"),       StringLiteral("fmin"),
        StringLiteral("fmax"),        StringLiteral("heaviside"),
        StringLiteral("float_power"), StringLiteral("rsub"),
        StringLiteral("mv"),          StringLiteral("inner"),
        StringLiteral("kron"),        StringLiteral("nansum"),
        StringLiteral("nanmean"),     StringLiteral("aminmax"),
        StringLiteral("kthvalue"),    StringLiteral("median"),
        StringLiteral("quantile"),    StringLiteral("cummax"),
        StringLiteral("cummin"),      StringLiteral("logcumsumexp"),
        StringLiteral("diff"),        StringLiteral("trace"),
        StringLiteral("histc"),       StringLiteral("diag"),
        StringLiteral("diag_embed"),  StringLiteral("tensor_split"),
        StringLiteral("rot90"),       StringLiteral("fliplr"),
        StringLiteral("flipud"),      StringLiteral("bernoulli")})
    library.add(name, Offered::Both, callPrelude(name));
  library.add("fill_diagonal_", Offered::Method, callPrelude("fill_diagonal_"));
  for (StringLiteral name : {StringLiteral("tensordot"),
                             StringLiteral("cdist"),
                             StringLiteral("std_mean"),
                             StringLiteral("var_mean"),
                             StringLiteral("meshgrid"),
                             StringLiteral("cartesian_prod"),
                             StringLiteral("atleast_1d"),
                             StringLiteral("atleast_2d"),
                             StringLiteral("atleast_3d"),
                             StringLiteral("hstack"),
                             StringLiteral("vstack"),
                             StringLiteral("dstack"),
                             StringLiteral("column_stack"),
                             StringLiteral("tril_indices"),
                             StringLiteral("triu_indices"),
                             StringLiteral("broadcast_shapes"),
                             StringLiteral("broadcast_tensors"),
                             StringLiteral("unravel_index"),
                             StringLiteral("block_diag"),
                             StringLiteral("logspace"),
                             StringLiteral("normal"),
                             StringLiteral("randint_like")})
    library.add(name, Offered::Function, callPrelude(name));
  // Not names of torch itself but of its submodules.
  for (StringLiteral name : {StringLiteral("gelu"),
                             StringLiteral("leaky_relu"),
                             StringLiteral("elu"),
                             StringLiteral("relu6"),
                             StringLiteral("hardtanh"),
                             StringLiteral("hardsigmoid"),
                             StringLiteral("hardswish"),
                             StringLiteral("mish"),
                             StringLiteral("logsigmoid"),
                             StringLiteral("softsign"),
                             StringLiteral("softmin"),
                             StringLiteral("glu"),
                             StringLiteral("layer_norm"),
                             StringLiteral("rms_norm"),
                             StringLiteral("normalize"),
                             StringLiteral("cosine_similarity"),
                             StringLiteral("mse_loss"),
                             StringLiteral("l1_loss"),
                             StringLiteral("cross_entropy"),
                             StringLiteral("embedding"),
                             StringLiteral("dropout"),
                             StringLiteral("conv1d"),
                             StringLiteral("scaled_dot_product_attention")})
    library.addToModule("torch.nn.functional", name, callPrelude(name));
  for (StringLiteral name : {StringLiteral("vector_norm"), StringLiteral("qr"),
                             StringLiteral("solve"), StringLiteral("inv")})
    library.addToModule("torch.linalg", name, callPrelude(name));
  library.addToModule("torch.testing", "assert_close",
                      callPrelude("assert_close"));
}

} // namespace pl::frontend
