"""Two entries, none of which the file names as the one to run."""
import pypto.language as pl

from sizes import COLS, ROWS


@pl.jit
def twice(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="twice"):
        y[:, :] = pl.mul(x[:, :], 2.0)
    return y


@pl.jit
def thrice(
    x: pl.Tensor[[ROWS, COLS], pl.FP32],
    y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="thrice"):
        y[:, :] = pl.mul(x[:, :], 3.0)
    return y
