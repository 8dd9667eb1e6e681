"""What Polars has no call for, in Numba: indexes, running accumulators, multisets, lists."""
