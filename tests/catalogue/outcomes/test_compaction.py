"""Tests that rows of outcomes are dropped and made again, and what stays of them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import func, select

from catalogue import store
from catalogue.blocks import EVERYTHING, VERDICTS
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.compaction import blocks_with_rows, compact, give_back_space, spans
from catalogue.outcomes.writing import write_chunks
from catalogue.schema import (
    BLOCK_SIZE,
    BatchRow,
    BlockRow,
    DealRow,
    OutcomeRow,
    SolutionRow,
    StatusBlockRow,
)
from engine.dealing.dealers import get_dealer
from engine.rulesets import parse_ruleset
from solvers.solver import parse_solver

RULES = parse_ruleset("klondike-draw3")
FIRST, COUNT = BLOCK_SIZE - 20, 40


@pytest.fixture(scope="module")
def solved() -> Chunk:
    """40 deals across the border of two blocks, solved by two solvers; some are undecided."""
    cards = get_dealer("thoughtful-1").deal_block(FIRST, COUNT)
    solvers = [parse_solver(name) for name in ("dead-end", "exact(nodes=2000)")]
    outcomes = tuple((SolverKey.of(s), tuple(s.solve(cards, RULES))) for s in solvers)
    return Chunk(RULES, "thoughtful-1", tuple(range(FIRST, FIRST + COUNT)), cards, outcomes)


def filled(cat: store.Catalogue, solved: Chunk, keep: str) -> store.Catalogue:
    with cat.begin() as session:
        write_chunks(session, [solved], keep)
    return cat


def blocks(cat: store.Catalogue) -> list[tuple[object, ...]]:
    with cat.session() as session:
        return [
            (row.ruleset_id, row.block, row.solver_id, row.rowed, row.columns, row.nodes)
            for row in session.scalars(
                select(BlockRow).order_by(BlockRow.block, BlockRow.solver_id)
            )
        ]


def counted(cat: store.Catalogue, model: Any) -> int:
    with cat.session() as session:
        return int(session.scalar(select(func.count()).select_from(model)) or 0)


def compacted(cat: store.Catalogue) -> list[int]:
    return list(compact(cat, blocks_with_rows(cat, lacking=False)))


def test_what_is_compacted_is_what_verdicts_would_have_kept(
    catalogue: store.Catalogue,
    solved: Chunk,
    initialised_sqlite: Path,
    tmp_path: Path,
) -> None:
    filled(catalogue, solved, EVERYTHING)
    dropped = compacted(catalogue)
    undecided = sum(o is not None and o.result == "gave_up" for o in solved.outcomes[1][1])
    assert undecided
    assert sum(dropped) == 2 * COUNT - undecided
    assert counted(catalogue, OutcomeRow) == counted(catalogue, DealRow) == undecided
    assert counted(catalogue, SolutionRow) == 0
    other = tmp_path / "other.db"
    other.write_bytes(initialised_sqlite.read_bytes())
    with store.open_catalogue(f"sqlite:///{other}") as verdicts:
        filled(verdicts, solved, VERDICTS)
        assert blocks(verdicts) == blocks(catalogue)
        for cat in (verdicts, catalogue):
            with cat.session() as session:
                cells = session.scalars(select(StatusBlockRow.cells)).all()
                assert len(cells) == 2
        assert counted(verdicts, OutcomeRow) == undecided
    assert sum(compacted(catalogue)) == 0
    give_back_space(catalogue)


def test_it_goes_back_when_everything_is_written_again(
    catalogue: store.Catalogue, solved: Chunk
) -> None:
    filled(catalogue, solved, EVERYTHING)
    before = blocks(catalogue)
    compacted(catalogue)
    assert sum(row[3] for row in blocks(catalogue)) < COUNT
    filled(catalogue, solved, EVERYTHING)
    assert blocks(catalogue) == before


def test_batches_lose_what_is_dropped(catalogue: store.Catalogue, solved: Chunk) -> None:
    filled(catalogue, solved, EVERYTHING)
    compacted(catalogue)
    left = counted(catalogue, OutcomeRow)
    with catalogue.session() as session:
        rows = session.scalars(select(BatchRow.rows)).all()
        used = set(session.scalars(select(OutcomeRow.batch_id)))
    assert sum(rows) == left
    assert np.all(np.array(rows) > 0)
    assert len(used) == len(rows)


def test_spans_are_what_was_attempted(catalogue: store.Catalogue, solved: Chunk) -> None:
    filled(catalogue, solved, VERDICTS)
    found = spans(catalogue, blocks_with_rows(catalogue, lacking=True))
    assert [(span.sample.first, span.sample.count, span.solver) for span in found] == [
        (FIRST, COUNT, "dead-end"),
        (FIRST, COUNT, "exact(nodes=2000, memory_mib=768)"),
    ]
    undecided = sum(o is not None and o.result == "gave_up" for o in solved.outcomes[1][1])
    assert [span.missing for span in found] == [COUNT, COUNT - undecided]
