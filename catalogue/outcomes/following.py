"""Results that follow from outcomes under other rulesets, for the deals of a block.

A deal that is won under a ruleset is won under the laxer ones that it implies, and one that is
unwinnable is so under the stricter ones that imply it (`engine.game.Rulesets.implies`). Only what
solvers and players found is a premise. That suffices, since the order of rulesets is transitive.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.blocks import PROVED, WON, Bytes, Flags, Outcomes
from catalogue.outcomes.chunk import FOREIGN
from catalogue.schema import BLOCK_SIZE, BlockRow, RulesetRow, SolverRow
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from engine.rulesets import parse_ruleset

# Of each ruleset of a game, by id: those that imply it, and those that it implies.
Order = Mapping[int, tuple[frozenset[int], frozenset[int]]]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdicts on the deals of a block under one ruleset, each bool[BLOCK_SIZE].

    Attributes:
        won: deals that are won.
        proved: deals that are proved unwinnable, and not won: that proof would be wrong. From a
            proof that another program claims, nothing follows.
        undecided: deals that are attempted or skipped, and neither won nor proved nor claimed.
    """

    won: Flags
    proved: Flags
    undecided: Flags

    @classmethod
    def of(cls, outcomes: Iterable[tuple[str, Outcomes]]) -> "Verdicts":
        """The verdicts of outcomes, each with the slug of the method that found them."""
        asked, won, proved, claimed = np.zeros((4, BLOCK_SIZE), np.bool_)
        for method, each in outcomes:
            at = slice(each.first, each.end)
            asked[at] |= (each.result > 0) | each.skipped
            won[at] |= each.result == WON
            (claimed if method.startswith(FOREIGN) else proved)[at] |= each.result == PROVED
        return cls(won, proved & ~won, asked & ~(won | proved | claimed))


def order_of(session: Session, game: str) -> Order:
    """The order of the stored rulesets of a game."""
    return order_among(tuple(_stored(session, game).items()))


def _stored(session: Session, game: str) -> dict[int, str]:
    rows = select(RulesetRow.id, RulesetRow.slug).where(RulesetRow.game == game)
    return {row.id: row.slug for row in session.execute(rows.order_by(RulesetRow.id))}


@lru_cache(maxsize=64)
def order_among(rulesets: tuple[tuple[int, str], ...]) -> Order:
    """The order of rulesets of a game, given as id and slug."""
    known = {}
    for ruleset_id, slug in rulesets:
        try:
            known[ruleset_id] = parse_ruleset(slug)
        except BadInput:
            continue  # of a later version of the program
    pairs = {
        (strict, lax)
        for strict, lax in permutations(known, 2)
        if game_of(known[lax]).rulesets.implies(known[strict], known[lax])
    }
    return {
        each: (
            frozenset(strict for strict, lax in pairs if lax == each),
            frozenset(lax for strict, lax in pairs if strict == each),
        )
        for each in known
    }


def read_verdicts(
    session: Session, ruleset_ids: Iterable[int], dealing_id: int, block: int
) -> dict[int, Verdicts]:
    """The verdicts on a block under rulesets, by their ids; none where nothing is stored."""
    found: dict[int, list[tuple[str, Outcomes]]] = {}
    for ruleset_id, method, columns in session.execute(
        select(BlockRow.ruleset_id, SolverRow.method, BlockRow.columns)
        .join(SolverRow, SolverRow.id == BlockRow.solver_id)
        .where(
            BlockRow.ruleset_id.in_(ruleset_ids),
            BlockRow.dealing_id == dealing_id,
            BlockRow.block == block,
        )
    ):
        found.setdefault(ruleset_id, []).append((method, Outcomes.decode(columns, ())))
    return {ruleset_id: Verdicts.of(outcomes) for ruleset_id, outcomes in found.items()}


def follow(
    order: Order, ruleset_id: int, known: Mapping[int, Verdicts], among: Flags | None = None
) -> Bytes:
    """The codes of the results that follow under a ruleset, uint8[BLOCK_SIZE]; 0 for none.

    Where both a win and a proof follow, one of the outcomes is wrong, and nothing does.

    Args:
        order: of the game's rulesets.
        ruleset_id: the ruleset.
        known: the verdicts on the block by ruleset.
        among: the deals that are asked for; by default those that are undecided under the ruleset.
    """
    stricter, laxer = order.get(ruleset_id, (frozenset(), frozenset()))
    won, proved = np.zeros((2, BLOCK_SIZE), np.bool_)
    for each in known.keys() & stricter:
        won |= known[each].won
    for each in known.keys() & laxer:
        proved |= known[each].proved
    among = known[ruleset_id].undecided if among is None else among
    codes: Bytes = won * np.uint8(WON) + proved * np.uint8(PROVED)
    codes[~among | (won & proved)] = 0
    return codes


def following(session: Session, rules: Rules, dealing_id: int, block: int) -> Bytes:
    """The codes of the results that follow under any rules, of all deals of a block."""
    stored = _stored(session, rules.game)
    others = {each: slug for each, slug in stored.items() if slug != rules.slug}
    known = read_verdicts(session, others, dealing_id, block)
    return follow(
        order_among((*others.items(), (0, rules.slug))), 0, known, np.ones(BLOCK_SIZE, np.bool_)
    )
