"""A deliberate slip in the source of a search, and the positions that catch it."""

import json
from pathlib import Path
from typing import NamedTuple

from paths import DATA, ROOT


class Slip(NamedTuple):
    """A slip in the source of a search whose positions say all that is asked.

    Attributes:
        name: what goes wrong; also the key of its positions.
        file: in the folder of the search.
        old: the source text, which occurs there once.
        new: what stands there instead.
    """

    name: str
    file: str
    old: str
    new: str


class Mutation(NamedTuple):
    """A slip in the source.

    Attributes:
        name: what goes wrong, in few words; also the key of its positions.
        rule: of the rules of the search, or the section of `docs/search/`.
        file: in the folder of `exact`, or from the root on.
        old: the source text, which occurs there once.
        new: what stands there instead.
        nodes: budget of the mutated search.
        families: of rulesets, under each of which it must be caught.
        off: rules that are switched off.
    """

    name: str
    rule: str
    file: str
    old: str
    new: str
    nodes: int = 3000
    families: tuple[str, ...] = ()
    off: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """The whole path of the file."""
        return ROOT / (self.file if "/" in self.file else f"solvers/klondike/exact/{self.file}")


def sharp_positions(search: str) -> dict[str, list[tuple[str, str]]]:
    """By the names of slips, positions that catch them, as in `position_text`, with verdicts."""
    slips = json.loads((DATA / f"exact-{search.replace('_', '-')}-slips.json").read_text())
    return {name: [(text, verdict) for text, verdict in slips[name]] for name in slips}
