"""A catalogue with rows and without, contradictions and imported deals, also as plain lists."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sqlalchemy import select

from catalogue import blocks, store
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.compression import compress
from catalogue.outcomes.packed import PackedChunk, pack
from catalogue.outcomes.seals import content_of
from catalogue.outcomes.writing import write_chunks
from catalogue.reading.deal_list import ListedDeal
from catalogue.reading.levels import Rating
from catalogue.schema import BlockRow, DealingRow, SolverRow
from engine.dealing.dealers import get_dealer
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import pack_solution, parse_solution
from engine.rulesets import parse_ruleset
from graded import put_ratings
from solvers.outcome import DeadEnd, Outcome, Result
from verified import rewritten

DRAW3 = "klondike-draw3"
EXACT = SolverKey("exact(nodes=100)", 1, "exact", (("nodes", 100),), grades=True, decides=True)
DEAD_END = SolverKey("dead-end", 1, "dead-end", ())
PLAYER = SolverKey("yan-heuristic", 1, "yan-heuristic", ())
SOLVERS = (EXACT, DEAD_END, PLAYER)


@dataclass
class Kept:
    """An outcome, and the length of its solution; −1 and 0 where they are not known any more."""

    outcome: Outcome
    length: int


def outcome_of(rng: np.random.Generator, solver: SolverKey, winnable: bool) -> tuple[Outcome, int]:
    """An outcome, and the length of its solution, 0 for none."""
    nodes = int(10 ** rng.uniform(0, 4)) if rng.random() < 0.8 else int(rng.integers(20))
    if solver is DEAD_END:
        if winnable or rng.random() < 0.5:
            return Outcome(Result.GAVE_UP, 1, 0.1), 0
        kind = ("relaxed", "pair", "conflict")[rng.integers(3)]
        return Outcome(Result.UNWINNABLE, 1, 0.1, dead_end=DeadEnd(kind, (1, 2))), 0
    if winnable and rng.random() < 0.8:
        length = int(rng.choice([80, 81, 82, 100, 150, 223, 224, 230, 255, 256, 300]))
        return Outcome(Result.WON, nodes, 1.0), length
    if solver is PLAYER:
        return Outcome(Result.LOST, nodes, 1.0), 0
    if winnable or rng.random() < 0.1:
        return Outcome(Result.GAVE_UP, 100, 1.0), 0
    return Outcome(Result.UNWINNABLE, nodes, 1.0), 0


def packed(
    dealer: str | None,
    seeds: list[int],
    cards: Any,
    solver: SolverKey,
    outcomes: list[Outcome],
    lengths: list[int],
    keep: str,
    ruleset: str = DRAW3,
) -> PackedChunk:
    """A chunk whose wins have moves that are no solution: nothing here replays them."""
    stand_in = [
        replace(outcome, result=Result.LOST) if outcome.result == Result.WON else outcome
        for outcome in outcomes
    ]
    chunk = Chunk(
        parse_ruleset(ruleset),
        dealer,
        () if dealer is None else tuple(seeds),
        cards,
        ((solver, tuple(stand_in)),),
    )
    made = pack(chunk, keep)
    (each,) = made.outcomes
    each.result[:] = [blocks.RESULT_CODES[outcome.result] for outcome in outcomes]
    each.length[:] = lengths
    for place in np.flatnonzero(each.rowed & (each.result == blocks.WON)).tolist():
        moves = pack_solution(parse_solution("T " * lengths[place]))
        each.moves[place] = compress("klondike", moves)
        each.content[place] = content_of(each.moves[place], None)
    return made


class Mixed:
    """The catalogue, and what it has, as plain lists."""

    def __init__(self, cat: store.Catalogue) -> None:
        self.cat = cat
        self.rng = np.random.default_rng(7)
        self.kept: dict[tuple[str | None, Any], dict[SolverKey, Kept]] = {}
        self.winnable: dict[tuple[str | None, Any], bool] = {}
        self.ratings: dict[tuple[str | None, Any], Rating | None] = {}

    def write(self, dealer: str | None, seeds: list[int], solver: SolverKey, keep: str) -> None:
        game = get_dealer("thoughtful-1" if dealer is None else dealer)
        cards = np.stack([game.deal(seed).as_array() for seed in seeds])
        outcomes, written = [], []
        for seed, row in zip(seeds, cards, strict=True):
            name = seed if dealer is not None else KlondikeDeal.of(row).digest
            winnable = self.winnable.setdefault((dealer, name), self.rng.random() < 0.6)
            # Now and then a contradiction.
            wrong = self.rng.random() < 0.02
            outcome, length = outcome_of(self.rng, solver, winnable != wrong)
            outcomes.append(outcome)
            known = self.kept.setdefault((dealer, name), {})
            assert solver not in known
            known[solver] = Kept(outcome, length)
            written.append(known)
        lengths = [known_here[solver].length for known_here in written]
        with self.cat.begin() as session:
            write_chunks(session, [packed(dealer, seeds, cards, solver, outcomes, lengths, keep)])

    def rate(self, share: float) -> None:
        """Give some winnable deals of dealers a level, and some features alone."""
        for dealer in ("thoughtful-1", "solvitaire"):
            seeds = [
                seed
                for of, seed in self.kept
                if of == dealer and self.winnable[of, seed] and self.rng.random() < share
            ]
            ratings = {
                seed: Rating(
                    int(self.rng.integers(1, 11)),
                    float(self.rng.normal()),
                    float(self.rng.uniform(0.1, 0.9)),
                    int(self.rng.integers(4)),
                )
                if self.rng.random() < 0.9
                else None
                for seed in seeds
            }
            put_ratings(self.cat, DRAW3, dealer, ratings)
            self.ratings |= {(dealer, seed): rating for seed, rating in ratings.items()}

    def forget(self, dealer: str, solver: SolverKey) -> None:
        """Blocks of a solver as earlier versions left them: without nodes, lengths and times."""
        with self.cat.begin() as session:
            for key in session.execute(
                select(BlockRow.ruleset_id, BlockRow.dealing_id, BlockRow.block, BlockRow.solver_id)
                .join(DealingRow, DealingRow.id == BlockRow.dealing_id)
                .join(SolverRow, SolverRow.id == BlockRow.solver_id)
                .where(DealingRow.dealer == dealer, SolverRow.name == solver.name)
            ).all():
                columns = blocks.Outcomes.decode(session.get_one(BlockRow, tuple(key)).columns)
                columns.nodes[:], columns.length[:], columns.cpu_us[:] = -1, 0, -1
                rewritten(session, tuple(key), columns)
        for (of, _), known in self.kept.items():
            if of == dealer and solver in known:
                known[solver] = Kept(replace(known[solver].outcome, nodes=-1), 0)

    def rows(self) -> dict[str, ListedDeal]:
        """Every deal as a list shows it."""
        found = {}
        for (dealer, name), known in self.kept.items():
            wins = [k for k in known.values() if k.outcome.result == Result.WON]
            proofs = [k for k in known.values() if k.outcome.result == Result.UNWINNABLE]
            graded = [
                known[EXACT].outcome.nodes
                for _ in range(1)
                if EXACT in known and known[EXACT].outcome.result in ("won", "unwinnable")
                if known[EXACT].outcome.nodes >= 0
            ]
            kinds = [k.outcome.dead_end.kind for k in proofs if k.outcome.dead_end is not None]
            text = str(name) if dealer is None else f"{dealer}:{name}"
            found[text] = ListedDeal(
                text,
                dealer,
                None if dealer is None else name,
                "winnable" if wins else "unwinnable" if proofs else "unresolved",
                min(graded, default=None),
                min((k.length for k in wins if k.length), default=None),
                min(kinds, default=None),
                len(known),
                len(wins),
                len(proofs),
                self.ratings.get((dealer, name)),
            )
        return found
