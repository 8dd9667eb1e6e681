"""Kernels that several layers call."""
