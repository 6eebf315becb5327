"""Hypothesis settings of the engine's tests."""

from hypothesis import settings

# The first call of a kernel compiles it, which takes longer than any deadline worth having.
settings.register_profile("engine", deadline=None)
settings.load_profile("engine")
