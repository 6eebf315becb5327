"""Registry of the methods of this program and of other packages, by their slugs."""

import importlib
from collections.abc import Iterator

from engine.errors import BadInput, note_renamed
from engine.game import Rules
from engine.games import family_of
from engine.plug_ins import entry_points_of, load_entry_point
from solvers.method import Method

# For each game, or family of games, slug -> module and the name by which it defines the method;
# the methods that decide come first, of players the simplest, and of those that advise the better.
# Modules load on first use, because importing compiled kernels takes longer than most commands.
# Other packages add methods by entry points of the group, with such values.
GROUP = "thoughtful.solvers"
_BUILT_IN = {
    "klondike": {
        "exact": "solvers.klondike.exact.method:METHOD",
        "exact-plain": "solvers.klondike.exact_plain.method:METHOD",
        "shortest": "solvers.klondike.shortest.method:METHOD",
        "dead-end": "solvers.klondike.dead_ends.method:METHOD",
        "greedy": "solvers.klondike.players.planners:GREEDY_PLAYER",
        "random": "solvers.klondike.players.planners:RANDOM_PLAYER",
        "hop": "solvers.klondike.players.planners:HOP",
        "uct": "solvers.klondike.players.planners:UCT",
        "sparse-uct": "solvers.klondike.players.planners:SPARSE_UCT",
        "ensemble-uct": "solvers.klondike.players.planners:ENSEMBLE_UCT",
        "ensemble-sparse-uct": "solvers.klondike.players.planners:ENSEMBLE_SPARSE_UCT",
        "hop-uct": "solvers.klondike.players.planners:HOP_UCT",
        "policy-uct": "solvers.klondike.players.policy_uct:METHOD",
        "exact-uct": "solvers.klondike.players.exact_uct:METHOD",
        "multistage": "solvers.klondike.rollouts.multistage:METHOD",
        "nested-rollout": "solvers.klondike.rollouts.nested_rollout:METHOD",
        "yan-heuristic": "solvers.klondike.yan.heuristic:METHOD",
        "yan-rollout": "solvers.klondike.yan.rollout:METHOD",
    },
    "spider": {
        "spider-exact": "solvers.spider.exact.method:METHOD",
        "spider-plain": "solvers.spider.plain:METHOD",
        "monkey": "solvers.spider.monkey:METHOD",
        "look-ahead": "solvers.spider.look_ahead:METHOD",
        "spider-player": "solvers.spider.player:METHOD",
    },
    "patience": {
        "patience-exact": "solvers.patience.method:METHOD",
        "patience-plain": "solvers.patience.plain:METHOD",
        "patience-player": "solvers.patience.player:METHOD",
    },
}
# Former slugs.
_RENAMED = {"thoughtful-player": "exact-uct"}


def method_slugs() -> list[str]:
    """The slugs of the registry, sorted."""
    return sorted({slug for own in _BUILT_IN.values() for slug in own} | set(_slugs_of_packages()))


def get_method(slug: str) -> Method:
    """Look up a method by its slug.

    Raises:
        BadInput: unknown slug.
    """
    if slug in _RENAMED:
        note_renamed("solver", slug, _RENAMED[slug])
        slug = _RENAMED[slug]
    for own in _BUILT_IN.values():
        if slug in own:
            return _load(own[slug])
    if slug not in _slugs_of_packages():
        raise BadInput(f"unknown solver {slug!r}: expected one of {', '.join(method_slugs())}")
    return _load_of_package(slug)


def methods_of(game: str) -> Iterator[Method]:
    """The methods that play a game, those that decide first; each is loaded when it is yielded."""
    yield from map(_load, _BUILT_IN.get(family_of(game), {}).values())
    others = map(_load_of_package, _slugs_of_packages())
    own = [method for method in others if method.is_for(game)]
    yield from sorted(own, key=lambda method: (not method.decides, method.slug))


def who_plays(rules: Rules) -> list[str]:
    """The slugs of the methods that play a ruleset, those that decide first."""
    return [method.slug for method in methods_of(rules.game) if method.plays(rules)]


def _slugs_of_packages() -> list[str]:
    """The methods of other packages."""
    built_in = {slug for own in _BUILT_IN.values() for slug in own}
    return [slug for slug in entry_points_of(GROUP) if slug not in built_in]


def _load(where: str) -> Method:
    module, name = where.split(":")
    method: Method = getattr(importlib.import_module(module), name)
    return method


def _load_of_package(slug: str) -> Method:
    method: Method = load_entry_point(GROUP, slug, "METHOD")
    return method
