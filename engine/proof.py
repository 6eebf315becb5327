"""Proof of wins: the compiled referee judges every solution, and the plain one a random share.

The referee in plain Python (`engine.replay`) says what is legal. A game's checker says the same a
hundred times as fast, so it judges every solution, and the referee judges again what the checker
refuses and a random share of the rest. If they ever differ, one of them has a bug, and nothing that
they accept can be trusted: that is an alarm, not a verdict.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.checkers import NO_DEAL, NO_WIN, WINS
from engine.deal import digest_of
from engine.errors import BadInput
from engine.game import Game, Move, Rules
from engine.kernels import compiling
from engine.replay import replay

# Share of the wins that the plain referee replays as well. It takes some hundred times as long as
# the compiled one, so that a hundredth of the wins would double what proving them costs.
PLAIN_SHARE = 0.002
# This number the plain referee judges in less time than it takes to compile the other one.
_FEW = 100


class RefereesDisagree(RuntimeError):
    """The compiled referee and the plain one differ on a solution: a bug of ours."""


def check_wins(
    game: Game,
    cards: NDArray[np.uint8],
    rules: Rules,
    solutions: Sequence[bytes],
    *,
    plain_share: float = PLAIN_SHARE,
    rng: np.random.Generator | None = None,
    name: Callable[[int], str] | None = None,
) -> list[str | None]:
    """Say for each solution of a deal why it proves no win, or None if it proves one.

    Of a game with a checker, the plain referee judges what the checker refuses, so that the words
    are always its own, and each of the other solutions with the chance `plain_share`. Of a game
    without one it judges all, and of few solutions while another process compiles the checker.

    Args:
        game: the game of the deals.
        cards: uint8[n, cards of the game], the deals in flat order.
        rules: the ruleset of all of them.
        solutions: for each deal packed moves; any bytes may be given.
        plain_share: between 0 and 1.
        rng: draws the share; by default a generator with a fresh seed for each process, so that no
            two runs replay the same ones.
        name: index of a deal -> its name in the message of RefereesDisagree; else its digest.

    Returns:
        n reasons that follow on "but": "its solution does not replay: …", "its 90 moves do not end
        in a win", or which cards are missing.

    Raises:
        RefereesDisagree: the checker and the plain referee differ on a solution, in whether it wins
            or in the number of the first move that is wrong.
        ValueError: not as many deals as solutions, or of another shape than the game's.
    """
    count = len(solutions)
    if cards.shape != (count, game.cards) or cards.dtype != np.uint8:
        raise ValueError(
            f"{count} solutions of {game.name} need deals uint8[{count}, {game.cards}], "
            f"not {cards.dtype}{cards.shape}"
        )
    reasons: list[str | None] = [None] * count
    if count == 0:
        return reasons
    if game.load_checker is None:
        return [_plainly(game, cards[at], rules, solutions[at])[1] for at in range(count)]
    try:
        with compiling.unless(lambda: count <= _FEW):
            verdicts = game.load_checker()(cards, rules, solutions)
    except compiling.NotWaitedFor:
        return [_plainly(game, cards[at], rules, solutions[at])[1] for at in range(count)]
    drawn = (rng or _fresh_generator(os.getpid())).random(count) < plain_share
    for at in np.flatnonzero(drawn | (verdicts != WINS)).tolist():
        plain, reasons[at] = _plainly(game, cards[at], rules, solutions[at])
        if verdicts[at] != plain:
            deal = name(at) if name else f"the deal {digest_of(cards[at].tobytes())}"
            raise RefereesDisagree(
                f"the referees differ on a solution of {deal} under {rules.slug}: the compiled one "
                f"says that {_said(int(verdicts[at]))}, the plain one that {_said(plain)}; "
                "one of them has a bug, so wins under this ruleset cannot be trusted"
            )
    return reasons


def warm_up(game: Game, rules: Rules) -> None:
    """Compile the checker of a game in this process, or load it from the cache."""
    if game.load_checker is not None:
        game.load_checker()(np.zeros((0, game.cards), dtype=np.uint8), rules, [])


def plain_verdict(game: Game, cards: NDArray[np.uint8], rules: Rules, solution: bytes) -> int:
    """The verdict of the plain referee on a packed solution, as a checker gives it."""
    return _plainly(game, cards, rules, solution)[0]


def _plainly(
    game: Game, cards: NDArray[np.uint8], rules: Rules, solution: bytes
) -> tuple[int, str | None]:
    """The plain referee's verdict, and its reason unless it is a win."""
    try:
        start = game.start(game.deal(cards), rules)
    except BadInput as error:
        return NO_DEAL, str(error)
    taken = 0

    def one_by_one() -> Iterator[Move]:
        # So that an illegal move counts before bytes further on that are no move.
        nonlocal taken
        for at in range(0, len(solution), game.move_size):
            taken += 1
            yield from game.unpack(solution[at : at + game.move_size])

    try:
        end = replay(start, one_by_one())
    except BadInput as error:
        return taken, f"its solution does not replay: {error}"
    return (WINS, None) if end.is_won else (NO_WIN, f"its {taken} moves do not end in a win")


@lru_cache(maxsize=1)
def _fresh_generator(_process: int) -> np.random.Generator:
    """A generator with a fresh seed, of this process alone: forked ones draw others."""
    return np.random.default_rng()


def _said(verdict: int) -> str:
    words = {
        WINS: "it wins",
        NO_WIN: "it does not end in a win",
        NO_DEAL: "its cards are no deal",
    }
    return words.get(verdict, f"move {verdict} is wrong")
