"""`spider-player`: our own player of Spider without undo, by beam search.

Until a card turns up, moves have no unknown effects, so a player can search them to any depth. Like
`look-ahead`, this player searches for positions that it can reach whatever the hidden cards are,
plays up to the first card that turns up, searches again, and deals a row if no move helps. In place
of random sequences it has a beam search, `solvers.spider.beam`; `docs/results/spider.md` has the
effect of each idea. Points are tenths of those of the look-ahead posts.

Under rules that do not deal onto empty columns, the shortest run that can fill one is moved there
first, and the row is dealt whatever that turns up. The nodes of an outcome are the positions that
beams held.
"""

# mypy: allow-untyped-calls

import numpy as np
from numpy.typing import NDArray

from engine.spider.board import Board
from engine.spider.rules import SpiderRules
from solvers.outcome import Outcome
from solvers.pacing import chunk_for
from solvers.registry import Method, Parameter, Values
from solvers.spider.beam import new_beam, play, with_more_room
from solvers.spider.games import play_deals

_POINTS = ("turned", "connector", "gone", "square", "empty", "noise")


def _solve(deals: NDArray[np.uint8], rules: SpiderRules, values: Values) -> list[Outcome]:
    beam = new_beam(tuple(values[name] for name in _POINTS), values["width"], values["moves"])

    def play_game(
        deal: NDArray[np.uint8], board: Board, rng: NDArray[np.int64], line: NDArray[np.int64]
    ) -> tuple[int, int, int]:
        nonlocal beam
        ended, length, held = play(deal, board, rules.deal_onto_empty, beam, rng, line)
        if length < 0:
            beam = with_more_room(beam)
        return ended, length, held

    return play_deals(deals, rules, values["random_seed"], play_game)


METHOD = Method(
    slug="spider-player",
    version=2,
    summary="Our player of Spider: beam search between hidden cards; sees no face-down card",
    game="spider",
    sees="observation",
    source=None,
    parameters=(
        Parameter("width", 400, 1, 100_000, "positions of a beam"),
        Parameter("moves", 60, 1, 1_000, "moves of a sequence"),
        Parameter("turned", 100, 0, 100_000, "points for a card turned up"),
        Parameter("connector", 10, 0, 100_000, "points for two neighbours in suit"),
        Parameter("gone", 1000, 0, 100_000, "points for a completed run"),
        Parameter("square", 1, 0, 100_000, "points for the square of a run's connectors"),
        Parameter("empty", 200, 0, 100_000, "points for an empty column, in the final choice"),
        Parameter("noise", 30, 1, 100_000, "range of the random part of a position in the beam"),
        Parameter("random_seed", 0, 0, 2**31 - 1, "seed of the random generator"),
    ),
    rulesets="Spider",
    plays=lambda rules: True,
    chunk=chunk_for(lambda values: 0.05 * values["width"] * values["moves"] / 2),
    solve=_solve,
)
