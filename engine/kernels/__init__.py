"""Kernels: the decorators that compile them, where they are kept, and what they are built from."""
