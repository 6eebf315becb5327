"""The deals of a selection, a few thousand at a time, with what is known of them.

All tables are read from these parts, so memory use does not depend on the number of deals. A part
is a run of seeds of one block.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.blocks import ALARM, Bytes, Outcomes, Statuses, Whole, combine
from catalogue.difficulty.grading import DifficultyModel, read_model
from catalogue.difficulty.reading import of_version
from catalogue.outcomes.compression import decompress
from catalogue.reading.block_reader import read_follows
from catalogue.reading.cell_index import Flags
from catalogue.reading.references import imported_deals
from catalogue.schema import (
    BLOCK_SIZE,
    IMPORTED,
    BlockRow,
    DealRow,
    FeaturesRow,
    OnOutcome,
    ProvenanceRow,
    SolutionRow,
    SolverRow,
    within,
)
from catalogue.tables.columns import TEXT, WHOLE, deal_codec
from catalogue.tables.selection import Selection, StoredDealing, StoredRuleset
from catalogue.tables.solving import KnownSolver, StoredSolution, solve_again
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.games import get_game
from engine.rulesets import parse_ruleset
from solvers.registry import get_method

# Deals of a part; the rows of a part are a row group in Parquet.
PART = 8192
# Seeds between two deals that are dealt all the same, since dealing many at once is quicker.
_GAP = 100


@dataclass(frozen=True, slots=True)
class Source:
    """Where the rows of tables come from.

    Attributes:
        session: a session, of whose snapshot all tables are.
        selection: the deals.
        rulesets: under which they are read, in the order of the rows.
        dealings: of the deals, in the order of the rows.
        solve: whether winnable deals of which only the verdict is kept are solved again.
    """

    session: Session
    selection: Selection
    rulesets: Sequence[StoredRuleset]
    dealings: Sequence[StoredDealing]
    solve: bool = False

    @classmethod
    def of(cls, session: Session, selection: Selection) -> "Source":
        """All that a selection selects."""
        return cls(session, selection, selection.rulesets(session), selection.dealings(session))

    def parts(self) -> Iterator["DealPart"]:
        """The deals, in the order of the rows."""
        solvers = known_solvers(self.session)
        provenances = {row.id: row for row in self.session.scalars(select(ProvenanceRow))}
        for dealing in self.dealings:
            for block in self._blocks(dealing, solvers, provenances):
                for low in range(0, BLOCK_SIZE, PART):
                    part = DealPart(self, block, low)
                    if len(part.places):
                        yield part

    def _blocks(
        self,
        dealing: StoredDealing,
        solvers: dict[int, KnownSolver],
        provenances: dict[int, ProvenanceRow],
    ) -> Iterator["_DealBlock"]:
        mine = [each for each in self.rulesets if each.game == dealing.game]
        seeds = self.selection.seeds
        numbers = self.session.scalars(
            select(BlockRow.block)
            .distinct()
            .where(
                BlockRow.dealing_id == dealing.id,
                BlockRow.ruleset_id.in_([each.id for each in mine]),
                BlockRow.block >= seeds.start // BLOCK_SIZE,
                BlockRow.block <= (seeds.stop - 1) // BLOCK_SIZE,
            )
            .order_by(BlockRow.block)
        ).all()
        for number in numbers:
            block = _DealBlock(dealing, number, [])
            for ruleset in mine:
                rows = self.session.execute(
                    select(BlockRow.solver_id, BlockRow.provenance, BlockRow.columns).where(
                        BlockRow.ruleset_id == ruleset.id,
                        BlockRow.dealing_id == dealing.id,
                        BlockRow.block == number,
                    )
                )
                first = number * BLOCK_SIZE
                found = [_stored(solvers[row.solver_id], row, first, provenances) for row in rows]
                follows = read_follows(self.session, ruleset.id, dealing.id, number)
                block.add(self.selection, ruleset, found, follows)
            yield block


class SolverOutcomes(NamedTuple):
    """The outcomes of a solver on a block.

    Attributes:
        solver: the solver.
        outcomes: its outcomes.
        batches: who made outcomes, and when they were stored.
        batch: int64[n], the place in `batches` of each outcome; one more if it is unknown.
    """

    solver: KnownSolver
    outcomes: Outcomes
    batches: list[tuple[ProvenanceRow, datetime]]
    batch: Whole


class _RulesetBlock(NamedTuple):
    """A block under a ruleset; `chosen`, bool[65536], are the deals that are selected."""

    ruleset: StoredRuleset
    outcomes: list[SolverOutcomes]
    statuses: Statuses
    chosen: Flags


@dataclass(frozen=True, slots=True)
class _DealBlock:
    """A block of seeds."""

    dealing: StoredDealing
    number: int
    rulesets: list[_RulesetBlock]

    def add(
        self,
        selection: Selection,
        ruleset: StoredRuleset,
        found: list[SolverOutcomes],
        follows: Bytes | None,
    ) -> None:
        """Add what is known under a ruleset, and what follows from others."""
        found.sort(key=lambda each: each.solver)
        by_id = {each.solver.id: each.outcomes for each in found}
        statuses = combine(by_id, [each.solver.id for each in found if each.solver.grades], follows)
        chosen = np.zeros(BLOCK_SIZE, dtype=np.bool_)
        inside = slice(statuses.first, statuses.first + len(statuses))
        chosen[inside] = selection.passing(statuses, self.number)
        self.rulesets.append(_RulesetBlock(ruleset, found, statuses, chosen))


def known_solvers(session: Session) -> dict[int, KnownSolver]:
    """The solvers of the catalogue by their ids."""
    query = select(
        SolverRow.name, SolverRow.version, SolverRow.id, SolverRow.grades, SolverRow.method
    )
    return {
        row.id: KnownSolver(row.name, row.version, row.id, row.grades, _sees(row.method))
        for row in session.execute(query)
    }


def _sees(method: str) -> str | None:
    try:
        return get_method(method).sees
    except BadInput:
        return None


def _stored(
    solver: KnownSolver, row: Any, first: int, provenances: dict[int, ProvenanceRow]
) -> SolverOutcomes:
    """The outcomes of a row of a block that begins with a seed."""
    outcomes = Outcomes.decode(row.columns)
    # The shortest range of seeds that has a seed says who made its outcome.
    ranges = sorted(row.provenance, key=lambda each: -each[1])
    batch = np.full(len(outcomes), len(ranges), dtype=np.int64)
    start = first + outcomes.first
    for at, (low, count, _, _) in enumerate(ranges):
        batch[max(low - start, 0) : max(low + count - start, 0)] = at
    batches = [(provenances[each[2]], datetime.fromisoformat(each[3])) for each in ranges]
    return SolverOutcomes(solver, outcomes, batches, batch)


class DealPart:
    """Some deals of a block, from a place on.

    Attributes:
        source: where they come from.
        dealing: their game and dealer.
        number: of the block.
        low: the first place in the block that can be of the part.
        places: int64[n], the places in the block of the deals that are selected, ascending.
        rulesets: what is known of them under each ruleset.
    """

    def __init__(self, source: Source, block: _DealBlock, low: int) -> None:
        self.source = source
        self.dealing = block.dealing
        self.number = block.number
        self.low = low
        self.rulesets = [RulesetPart(self, each) for each in block.rulesets]
        selected = np.zeros(PART, dtype=np.bool_)
        for each in self.rulesets:
            selected[each.places - low] = True
        self.places: Whole = np.flatnonzero(selected) + low
        self._first = block.number * BLOCK_SIZE

    def key(self, places: Whole) -> dict[str, Any]:
        """The columns that name deals."""
        count, dealer = len(places), None
        if self.dealing.dealer == IMPORTED:
            seeds = pa.nulls(count, WHOLE)
            names = pa.array([self._imported[at].digest.hex() for at in places.tolist()], TEXT)
        else:
            dealer = self.dealing.dealer
            seeds = pa.array(places + self._first, WHOLE)
            names = pc.binary_join_element_wise(pa.scalar(dealer), pc.cast(seeds, TEXT), ":")
        return {
            "deal": names,
            "game": repeated(self.dealing.game, count),
            "dealer": repeated(dealer, count),
            "seed": seeds,
        }

    @cached_property
    def _imported(self) -> dict[int, Any]:
        """The rows of imported deals by their places."""
        found = imported_deals(self.source.session, self.dealing.id, self.seeds)
        return {row.seed - self._first: row for row in found}

    @cached_property
    def cards(self) -> NDArray[np.uint8]:
        """The deals of `places`, uint8[n, cards]."""
        if self.dealing.dealer == IMPORTED:
            mine = [self._imported[at].cards for at in self.places.tolist()]
            return np.array([np.frombuffer(each, np.uint8) for each in mine])
        dealer, game = get_dealer(self.dealing.dealer), get_game(self.dealing.game)
        # A dealer need not know the seeds at the ends of a block, such as 0.
        seeds, dealt = self.places + self._first, []
        for run in np.split(seeds, np.flatnonzero(np.diff(seeds) > _GAP) + 1):
            first = int(run[0])
            dealt.append(dealer.deal_block(first, int(run[-1]) - first + 1, game)[run - first])
        return np.concatenate(dealt)

    @cached_property
    def texts(self) -> list[str]:
        """The deals of `places` as lines of text."""
        game = get_game(self.dealing.game)
        write = deal_codec(game).write
        return [write(game.deal(row.tobytes())) for row in self.cards]

    def among(self) -> Any:
        """The condition that a row of `deal` is of the part."""
        return (DealRow.dealing_id == self.dealing.id) & within(DealRow.seed, self.seeds)

    @property
    def seeds(self) -> range:
        """The seeds from the first to the last deal."""
        first, last = (int(at) + self._first for at in self.places[[0, -1]])
        return range(first, last + 1)

    def places_of(self, rows: Sequence[Any]) -> Whole:
        """The places of the deals of rows, which have seeds."""
        return np.array([row.seed for row in rows], np.int64) - self._first


class RulesetPart:
    """Some deals of a block under a ruleset.

    Attributes:
        part: the deals.
        ruleset: the ruleset.
        outcomes: of the whole block, by solvers in the order of their names.
        statuses: of the whole block.
        places: int64[n], the places in the block of the deals that are selected, ascending.
    """

    def __init__(self, part: DealPart, block: _RulesetBlock) -> None:
        self.part = part
        self.ruleset = block.ruleset
        self.outcomes = block.outcomes
        self.statuses = block.statuses
        self.chosen = block.chosen
        self.places: Whole = np.flatnonzero(block.chosen[part.low : part.low + PART]) + part.low

    def key(self, places: Whole) -> dict[str, Any]:
        """The columns that name deals and ruleset."""
        return self.part.key(places) | {"ruleset": repeated(self.ruleset.slug, len(places))}

    def rows(self, kind: OnOutcome, *columns: Any) -> list[tuple[int, Any]]:
        """Rows on the outcomes of the deals with the places of these, in the order of both."""
        found = self.part.source.session.execute(
            select(DealRow.seed, SolverRow.name, SolverRow.version, *columns)
            .join(kind, kind.deal_id == DealRow.id)
            .join(SolverRow, SolverRow.id == kind.solver_id)
            .where(
                self.part.among(),
                kind.ruleset_id == self.ruleset.id,
                # The key begins with ruleset and solver.
                kind.solver_id.in_([each.solver.id for each in self.outcomes]),
            )
        ).all()
        placed = zip(self.part.places_of(found).tolist(), found, strict=True)
        mine = [each for each in placed if self.chosen[each[0]]]
        return sorted(mine, key=lambda each: (each[0], each[1].name, each[1].version))

    def texts_of_moves(self, rows: Sequence[tuple[int, Any]]) -> list[str]:
        """The packed moves of rows as text."""
        game = get_game(self.ruleset.game)
        return [game.text(decompress(game.slug, row.moves)) for _, row in rows]

    @cached_property
    def solutions(self) -> list[StoredSolution]:
        """The solutions, by deal and solver."""
        rows = self.rows(SolutionRow, SolutionRow.length, SolutionRow.moves)
        found = [
            StoredSolution(place, row.name, row.version, row.length, moves, False)
            for (place, row), moves in zip(rows, self.texts_of_moves(rows), strict=True)
        ]
        if self.part.source.solve:
            has = {each.place for each in found}
            won = self.statuses.wins[self.places - self.statuses.first] > 0
            lacking = np.array([at for at in self.places[won].tolist() if at not in has], np.int64)
            cards = self.part.cards[np.searchsorted(self.part.places, lacking)]
            outcomes = [(each.solver, each.outcomes) for each in self.outcomes]
            found += solve_again(parse_ruleset(self.ruleset.slug), outcomes, lacking, cards)
        return sorted(found, key=lambda each: (each.place, each.solver, each.version))

    @cached_property
    def sound(self) -> list[StoredSolution]:
        """The solutions of deals that are not also called unwinnable."""
        status, first = self.statuses.status, self.statuses.first
        return [each for each in self.solutions if status[each.place - first] != ALARM]

    @cached_property
    def features(self) -> dict[int, Any]:
        """The rows of features by the places of their deals, of which not every one has some."""
        rows = self.part.source.session.execute(
            select(*FeaturesRow.__table__.c)
            .add_columns(SolverRow.name, SolverRow.version.label("solver_version"))
            .join(SolverRow, SolverRow.id == FeaturesRow.solver_id)
            .where(
                FeaturesRow.ruleset_id == self.ruleset.id,
                of_version(self.ruleset.id),
                FeaturesRow.dealing_id == self.part.dealing.id,
                within(FeaturesRow.seed, self.part.seeds),
            )
            .order_by(FeaturesRow.seed)
        ).all()
        placed = zip(self.part.places_of(rows).tolist(), rows, strict=True)
        return {place: row for place, row in placed if self.chosen[place]}

    @property
    def model(self) -> DifficultyModel | None:
        """The model of the difficulty; None if none was fitted."""
        return read_model(self.part.source.session, self.ruleset.id)


def repeated(value: Any, count: int, kind: pa.DataType = TEXT) -> pa.Array:
    """A column with one value."""
    return pa.repeat(pa.scalar(value, kind), count)
