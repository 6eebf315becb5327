"""Inferring a piece of a job on a worker: what follows is translated, and the rest is solved.

This code runs on the workers, which do not use the database.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from catalogue.blocks import PROVED, VERDICTS
from catalogue.inference.inferred import Inferred, inferred_from
from catalogue.jobs.piece import solve_piece
from catalogue.outcomes.chunk import Chunk
from catalogue.outcomes.compression import decompress
from catalogue.outcomes.maker import this_maker
from catalogue.outcomes.packed import PackedChunk, PackedOutcomes, join, pack
from engine.dealing.dealers import get_dealer
from engine.game import Game
from engine.games import game_of
from engine.rulesets import parse_ruleset
from solvers.outcome import Outcome, Result

# Deals that are translated and packed at a time.
_PART = 4_096


def infer_piece(
    ruleset: str,
    dealer: str,
    first: int,
    wanted: Sequence[tuple[str, int, NDArray[np.bool_]]],
    keep: str,
    inferred: Sequence[Inferred],
) -> PackedChunk:
    """Deal and solve a piece of a job, but for the deals whose outcomes follow.

    Args:
        ruleset: slug of the ruleset.
        dealer: slug of the dealer.
        first: the first seed of the piece.
        wanted: as of `catalogue.jobs.piece.solve_piece`; none if everything follows.
        keep: what is kept, one of `catalogue.blocks.KEEPS`.
        inferred: what follows.

    Raises:
        UnprovedWin: a translated solution that the referee does not accept, or as `solve_piece`.
        OtherVersion: as `solve_piece`.
        BadInput: as `solve_piece`.
    """
    chunks = [_stated(ruleset, dealer, each, keep) for each in inferred]
    if wanted:
        chunks.append(solve_piece(ruleset, dealer, first, wanted, keep))
    (packed,) = join(chunks)
    return packed


def _stated(ruleset: str, dealer: str, each: Inferred, keep: str) -> PackedChunk:
    if keep == VERDICTS:
        return _verdicts(ruleset, dealer, each)
    parts = [slice(start, start + _PART) for start in range(0, len(each.seeds), _PART)]
    (packed,) = join([pack(translated(ruleset, dealer, each, part), keep) for part in parts])
    return packed


def translated(ruleset: str, dealer: str, each: Inferred, part: slice) -> Chunk:
    """The outcomes that follow, with their solutions, which the referee judges.

    Raises:
        UnprovedWin: a translated solution that the referee does not accept.
    """
    rules, source = parse_ruleset(ruleset), parse_ruleset(each.source)
    game = game_of(rules)
    seeds = each.seeds[part]
    cards = _dealt(dealer, seeds, game)
    if each.gives == PROVED:
        outcomes = tuple(Outcome(Result.UNWINNABLE, 0, None) for _ in seeds)
    else:
        outcomes = tuple(
            Outcome(
                Result.WON,
                0,
                None,
                game.translated(game.deal(row), decompress(game.slug, moves), source, rules),
            )
            for row, moves in zip(cards, each.moves[part], strict=True)
        )
    column = (inferred_from(each.source), outcomes)
    return Chunk(rules, dealer, tuple(seeds.tolist()), cards, (column,))


def _dealt(dealer: str, seeds: NDArray[np.int64], game: Game) -> NDArray[np.uint8]:
    """The cards of ascending seeds of one block, uint8[n, cards]."""
    first, last = int(seeds[0]), int(seeds[-1])
    return get_dealer(dealer).deal_block(first, last - first + 1, game)[seeds - first]


def _verdicts(ruleset: str, dealer: str, each: Inferred) -> PackedChunk:
    """The outcomes that follow, without solutions: those of the source can be translated."""
    count = len(each.seeds)
    outcomes = PackedOutcomes(
        solver=inferred_from(each.source),
        at=np.arange(count, dtype=np.int64),
        result=np.full(count, each.gives, np.uint8),
        nodes=np.zeros(count, np.int64),
        cpu_us=np.full(count, -1, np.int64),
        length=np.zeros(count, np.int64),
        content=np.full(count, -1, np.int64),
        moves={},
        dead_ends={},
        rowed=np.zeros(count, np.bool_),
    )
    return PackedChunk(
        rules=parse_ruleset(ruleset),
        dealer=dealer,
        seeds=each.seeds,
        digests=[b""] * count,
        cards=[],
        outcomes=(outcomes,),
        maker=this_maker(),
    )
