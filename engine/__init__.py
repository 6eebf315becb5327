"""What a game is: cards, deals, dealers, rulesets, positions, moves, notation and the referee."""

from engine.kernel_cache import use_cache_of_these_sources

use_cache_of_these_sources()
