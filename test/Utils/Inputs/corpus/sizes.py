"""Constants that kernels/scale.py imports from the folder above its own."""

ROWS = 32
COLS = 64
