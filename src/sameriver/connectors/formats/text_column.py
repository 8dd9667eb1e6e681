"""Cells of text as a Polars column."""

from sameriver.common.text_column import text_column

__all__ = ["text_column"]
