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

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.rng import seed_rng
from engine.spider.board import (
    ROWS_LEFT,
    TURNED,
    Board,
    has_empty,
    lay_position,
    new_board,
    shift,
)
from engine.spider.moves import unpack_solution
from engine.spider.referee import SpiderPosition
from engine.spider.rules import SpiderRules
from engine.spider.seen import stand_in
from solvers.advice import Advice
from solvers.method import Method, Parameter, Values
from solvers.outcome import Outcome
from solvers.pacing import chunk_for
from solvers.spider.beam import Beam, look, new_beam, play, with_more_room
from solvers.spider.games import PlayGame, packed, play_deals, play_position
from solvers.spider.monkey_game import DEAL_ROW
from solvers.spider.play import fill, parts

_POINTS = ("turned", "connector", "gone", "square", "empty", "noise")


def _beam_of(values: Values) -> Beam:
    return new_beam(tuple(values[name] for name in _POINTS), values["width"], values["moves"])


def _solve(deals: NDArray[np.uint8], rules: SpiderRules, values: Values) -> list[Outcome]:
    return play_deals(deals, rules, values["random_seed"], _game(rules, values))


def _solve_position(position: SpiderPosition, values: Values) -> Outcome:
    """Play on from a position; the croupier alone looks at its hidden cards."""
    return play_position(position, values["random_seed"], _game(position.rules, values))


def _game(rules: SpiderRules, values: Values) -> PlayGame:
    """Plays a game by the rules."""
    beam = _beam_of(values)

    def play_game(
        deal: NDArray[np.uint8], board: Board, rng: NDArray[np.int64], line: NDArray[np.int64]
    ) -> tuple[int, int, int]:
        nonlocal beam
        ended, length, held = play(deal, board, rules.deal_onto_empty, beam, rng, line)
        if length < 0:
            beam = with_more_room(beam)
        return ended, length, held

    return play_game


def _advise(observation: Mapping[str, Any], rules: SpiderRules, values: Values) -> list[Advice]:
    """The moves that the player would make: one play without a chance, as it counts no wins.

    They lead to the first card that turns up, or to a row that is dealt.
    """
    board = new_board()
    lay_position(stand_in(observation, rules), board)
    beam = _beam_of(values)
    rng = np.zeros(2, dtype=np.int64)
    while True:
        seed_rng(board.cards.view(np.uint8).ravel(), values["random_seed"], rng)
        count, _ = look(board, beam, rng)
        if count >= 0:
            break
        beam = with_more_room(beam)
    line = _until_turned(board, map(int, beam.best[:count]))
    if not line and board.meta[ROWS_LEFT] > 0:
        turned = board.meta[TURNED]
        line = _until_turned(board, _to_deal(board, rules))
        # Too few cards for the columns: filling some of them leads nowhere.
        if line and line[-1] != DEAL_ROW and board.meta[TURNED] == turned:
            line = []
    if not line:
        return []
    return [Advice(unpack_solution(packed(np.array(line, dtype=np.int64))), wins=0, trajectories=0)]


def _until_turned(board: Board, moves: Iterable[int]) -> list[int]:
    """Play moves on a board up to the first card that turns up, or a row; returns those played."""
    line = []
    turned = board.meta[TURNED]
    for move in moves:
        line.append(move)
        if move == DEAL_ROW:
            break
        shift(board, *parts(move))
        if board.meta[TURNED] > turned:
            break
    return line


def _to_deal(board: Board, rules: SpiderRules) -> Iterator[int]:
    """The moves that fill empty columns as far as the rules ask for it, then the row."""
    while not rules.deal_onto_empty and has_empty(board):
        move = int(fill(board))
        if move < 0:
            return
        yield move
    yield DEAL_ROW


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
    solve_position=_solve_position,
    advise=_advise,
    trials=({"width": 1}, {"width": 3}, {"width": 10}),
    counts_wins=False,
    # A game takes 9 ms in place of 100 (docs/results/spider.md).
    playouts={"width": 25},
)
