"""Loops over columns that Polars has no call for."""
