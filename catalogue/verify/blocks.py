"""Check of blocks: compared with the rows of outcomes; their statuses follow from the blocks."""

import zlib
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue import blocks
from catalogue.blocks import RESULTS, Cells, Outcomes, decode_follows
from catalogue.outcomes.block_rows import outcomes_of_rows
from catalogue.outcomes.following import Verdicts, follow, order_of
from catalogue.schema import (
    BLOCK_SIZE,
    BlockRow,
    DealRow,
    MakerRow,
    OutcomeRow,
    StatusBlockRow,
    seeds_of_block,
    within,
)
from catalogue.verify.context import Context, DealKey

_COUNTS = ("attempted", *RESULTS, "rowed")
_KEYS = ("ruleset_id", "dealing_id", "block", "solver_id")
# A clock may be this far ahead.
_AHEAD = timedelta(days=1)


def check_blocks(context: Context) -> None:
    """Recompute a block of seeds: the columns of all solvers, their counts, and the statuses."""
    assert context.piece.until is not None
    dealing_id, block = context.piece.until
    with context.cat.session() as session:
        _BlockCheck(context, session, dealing_id, block).check()


class _BlockCheck:
    """The check of a block of seeds of a dealing."""

    def __init__(self, context: Context, session: Session, dealing_id: int, block: int) -> None:
        self.context = context
        self.session = session
        self.dealing_id = dealing_id
        self.block = block
        self.name = context.block_name(dealing_id, block)

    def check(self) -> None:
        dealing = self.context.dealings.get(self.dealing_id)
        mine = (BlockRow.dealing_id == self.dealing_id, BlockRow.block == self.block)
        known: dict[int, dict[int, Outcomes]] = defaultdict(dict)
        broken: set[int] = set()
        keys = {
            (row[0], row[1])
            for row in self.session.execute(
                select(BlockRow.ruleset_id, BlockRow.solver_id).where(*mine)
            )
        }
        if keys and dealing is not None and dealing.dealer is None:
            self._fault("block", self.name, "it is of imported deals, which have no blocks")
        rowed = self._pairs_with_rows() if dealing is None or dealing.dealer is not None else set()
        for ruleset_id, solver_id in sorted(keys | rowed, key=str):
            name = f"{self._solver(ruleset_id, solver_id)}, {self.name}"
            self.context.checked["block"] += 1
            if (ruleset_id, solver_id) not in keys:
                self._fault("block", name, "missing, though there are outcomes")
                broken.add(ruleset_id)
                continue
            try:
                known[ruleset_id][solver_id] = self._check_one(ruleset_id, solver_id, name)
            except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                self._fault("block", name, str(error).partition("\n")[0])
                broken.add(ruleset_id)
        self._check_statuses(known, broken)

    def _solver(self, ruleset_id: Any, solver_id: Any) -> str:
        return f"{self.context.solver(solver_id)} under {self.context.slug(ruleset_id)}"

    def _fault(self, kind: str, where: str, what: str) -> None:
        self.context.fault(kind, where, what)

    def _pairs_with_rows(self) -> set[tuple[int, int]]:
        """Rulesets and solvers that have rows of outcomes on deals of the block."""
        rows = self.session.execute(
            select(OutcomeRow.ruleset_id, OutcomeRow.solver_id)
            .distinct()
            .join(DealRow, DealRow.id == OutcomeRow.deal_id)
            .where(
                DealRow.dealing_id == self.dealing_id,
                within(DealRow.seed, seeds_of_block(self.block)),
            )
        )
        return {(row[0], row[1]) for row in rows}

    def _check_one(self, ruleset_id: int, solver_id: int, name: str) -> Outcomes:
        key = (ruleset_id, self.dealing_id, self.block, solver_id)
        row = (
            self.session.execute(
                select(BlockRow.__table__).where(
                    *(
                        getattr(BlockRow, each) == value
                        for each, value in zip(_KEYS, key, strict=True)
                    )
                )
            )
            .mappings()
            .one()
        )
        packed, made = row["columns"], row["made"]
        counted = [row[count] for count in _COUNTS]
        totals = (row["nodes"], row["cpu_us"])
        if blocks.checksum(packed, *key, *counted, *totals, made) != row["checksum"]:
            self._fault("block", name, "its checksum is not that of its columns and counts")
        columns = Outcomes.decode(packed)
        if np.any(columns.result > len(RESULTS)):
            raise ValueError("its columns have codes that are no results")
        if np.any(columns.dead_end > len(columns.kinds)):
            raise ValueError("its columns have codes that are no kinds of dead ends")
        self.context.compare("block", name, columns.counts(), row)
        stored = outcomes_of_rows(self.session, ruleset_id, self.dealing_id, self.block, solver_id)
        self._check_rows(columns, stored, ruleset_id, solver_id)
        self._check_made(columns, made, name)
        sums = {
            "nodes": int(np.maximum(columns.nodes, 0).sum()),
            "cpu_us": int(np.maximum(columns.cpu_us, 0).sum()),
        }
        if not columns.unknown.any():
            self.context.compare("block", name, sums, row)
        elif row["nodes"] < sums["nodes"] or row["cpu_us"] < 0:
            what = f"nodes is {row['nodes']}, those of its columns are at least {sums['nodes']}"
            self._fault("block", name, what)
        return columns

    def _check_rows(
        self, columns: Outcomes, rows: Outcomes, ruleset_id: int, solver_id: int
    ) -> None:
        """Compare what the columns of a block know with its rows."""
        mine, theirs = _aligned(columns, rows)
        both = mine.rowed & theirs.rowed
        known = both & (mine.nodes >= 0)
        self._compare(
            mine,
            theirs,
            (
                ("rowed", mine.rowed != theirs.rowed),
                ("result", both & (mine.result != theirs.result)),
                ("nodes", known & (mine.nodes != theirs.nodes)),
                ("length", known & (mine.length != theirs.length)),
                ("cpu_us", known & (mine.cpu_us != theirs.cpu_us)),
                ("dead_end", both & (_kinds(mine) != _kinds(theirs))),
            ),
            ruleset_id,
            solver_id,
        )

    def _compare(
        self,
        mine: Outcomes,
        theirs: Outcomes,
        differences: Any,
        ruleset_id: int,
        solver_id: int,
    ) -> None:
        for what, different in differences:
            for at in np.flatnonzero(different).tolist():
                seed = self.block * BLOCK_SIZE + mine.first + at
                where = self.context.where(
                    ruleset_id, DealKey(None, self.dealing_id, seed), solver_id
                )
                if what == "rowed":
                    said = "has a row" if theirs.rowed[at] else "has no row"
                    self._fault("block", where, f"it {said}, its block tells otherwise")
                elif what == "result":
                    told = f"{_word(mine.result[at])}, its row {_word(theirs.result[at])}"
                    self._fault("block", where, f"its block has the result {told}")
                elif what == "dead_end":
                    told = f"{_kinds(mine)[at]}, its row {_kinds(theirs)[at]}"
                    self._fault("block", where, f"its block has the dead end {told}")
                elif mine.result[at] == theirs.result[at]:
                    told = f"{getattr(mine, what)[at]}, its row {getattr(theirs, what)[at]}"
                    self._fault("block", where, f"its block has {what} {told}")

    def _check_made(self, columns: Outcomes, made: Any, name: str) -> None:
        """Check that a block tells who made each outcome, and when."""
        makers = set(self.session.scalars(select(MakerRow.id)))
        covered = np.zeros(BLOCK_SIZE, dtype=np.bool_)
        latest = datetime.now(UTC) + _AHEAD
        for first, count, maker_id, moment in made:
            low = first - self.block * BLOCK_SIZE
            if not 0 <= low < low + count <= BLOCK_SIZE:
                what = f"{count} seeds from {first} on, which are not in the block, have a maker"
                self._fault("block", name, what)
                continue
            covered[low : low + count] = True
            if maker_id not in makers:
                self._fault("block", name, f"its maker {maker_id} is missing")
            when = datetime.fromisoformat(moment)
            if when.tzinfo is None or when > latest:
                self._fault("block", name, f"it was made at {moment}, which cannot be")
        tried = np.zeros(BLOCK_SIZE, dtype=np.bool_)
        tried[columns.first : columns.end] = columns.result > 0
        left = np.flatnonzero(tried & ~covered)
        if len(left):
            seed = self.block * BLOCK_SIZE + int(left[0])
            self._fault("block", name, f"{len(left)} seeds, such as {seed}, have no maker")

    def _check_statuses(self, known: dict[int, dict[int, Outcomes]], broken: set[int]) -> None:
        stored = {
            row.ruleset_id: row
            for row in self.session.execute(
                select(StatusBlockRow.__table__).where(
                    StatusBlockRow.dealing_id == self.dealing_id,
                    StatusBlockRow.block == self.block,
                )
            )
        }
        grading = [solver_id for solver_id, grades in self.context.grades.items() if grades]
        verdicts = {
            ruleset_id: Verdicts.of(
                (self.context.method(solver_id), each) for solver_id, each in mine.items()
            )
            for ruleset_id, mine in known.items()
        }
        dealing = self.context.dealings.get(self.dealing_id)
        game = None if dealing is None else dealing.game
        order = {} if game is None else order_of(self.session, game.slug)
        for ruleset_id in sorted({*stored, *known}, key=str):
            name = f"{self.context.slug(ruleset_id)}, {self.name}"
            self.context.checked["status block"] += 1
            follows = follow(order, ruleset_id, verdicts) if ruleset_id in verdicts else None
            statuses = blocks.combine(known.get(ruleset_id, {}), grading, follows)
            self._report_alarms(ruleset_id, statuses)
            # What follows from a block that cannot be read is not known.
            if broken & {ruleset_id}.union(*order.get(ruleset_id, ())):
                continue
            if ruleset_id not in stored:
                self._fault("status block", name, "missing, though there are outcomes")
                continue
            row = stored[ruleset_id]
            names = ("deals", "winnable", "unwinnable", "alarms")
            wanted = dict(zip(names, statuses.counts(), strict=True))
            if not wanted["deals"]:
                self._fault("status block", name, "there is no outcome")
            self.context.compare("status block", name, wanted, row)
            try:
                same = _told(Cells.decode(row.cells)) == _told(Cells.of(statuses))
            except (LookupError, TypeError, ValueError) as error:
                self._fault("status block", name, f"its cells cannot be read: {error}")
                continue
            if not same:
                self._fault("status block", name, "its cells are not those of its outcomes")
            try:
                told = decode_follows(row.follows)
            except (TypeError, ValueError) as error:
                self._fault("status block", name, f"what follows cannot be read: {error}")
                continue
            self.context.compare(
                "status block",
                name,
                {"checksum": None if told is None else zlib.crc32(row.follows)},
                row,
            )
            none = np.zeros(BLOCK_SIZE, np.uint8)
            wrong = np.flatnonzero(
                (none if told is None else told) != (none if follows is None else follows)
            )
            if len(wrong):
                what = f"{len(wrong)} deals, such as seed {self.block * BLOCK_SIZE + int(wrong[0])}"
                self._fault(
                    "status block", name, f"what follows from other rulesets differs: {what}"
                )

    def _report_alarms(self, ruleset_id: int, statuses: blocks.Statuses) -> None:
        for at in np.flatnonzero(statuses.status == blocks.ALARM).tolist():
            seed = self.block * BLOCK_SIZE + statuses.first + at
            wins, proofs = statuses.wins[at], statuses.proofs[at]
            self._fault(
                "alarm",
                self.context.where(ruleset_id, DealKey(None, self.dealing_id, seed)),
                f"{wins} solvers won it, {proofs} proved it unwinnable",
            )


def _aligned(mine: Outcomes, theirs: Outcomes) -> tuple[Outcomes, Outcomes]:
    """Columns of two origins on the same places."""
    present = [each for each in (mine, theirs) if len(each)]
    low = min((each.first for each in present), default=0)
    high = max((each.end for each in present), default=0)
    return mine.widened(low, high), theirs.widened(low, high)


def _kinds(columns: Outcomes) -> NDArray[np.str_]:
    """The kind of dead end of each deal, empty for none."""
    return np.array(["", *columns.kinds])[columns.dead_end]


def _told(cells: Cells) -> Any:
    """The contents of cells, however they are packed."""
    return (
        cells.status.tolist(),
        cells.effort.tolist(),
        cells.detail.tolist(),
        cells.deals.tolist(),
        cells.kinds,
    )


def _word(code: int) -> str:
    return RESULTS[code - 1] if code else "none"
