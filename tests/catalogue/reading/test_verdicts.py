"""Tests of deals without rows, and of contradictions between rulesets."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sqlalchemy import delete, select, update

from catalogue import blocks, store
from catalogue.outcomes.block_rows import store_block
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.provenance import this_provenance
from catalogue.outcomes.writing import write_chunks
from catalogue.reading.alarms import CrossAlarm, cross_alarms
from catalogue.reading.block_reader import read_outcomes
from catalogue.reading.bounds import stored_samples
from catalogue.reading.deal_detail import DealDetail, DealOutcome, deal_detail, remake
from catalogue.reading.deal_list import DealFilter, list_deals
from catalogue.reading.overview import overview
from catalogue.schema import BlockRow, SolverRow, StatusBlockRow
from catalogue.tables.export import export
from catalogue.tables.selection import Selection
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import unpack_solution
from engine.klondike.referee import proves_win
from engine.klondike.rules import parse_klondike
from engine.rulesets import parse_ruleset
from solvers.outcome import Outcome, Result
from solvers.solver import parse_solver

RULESET = "klondike-draw1"
SEEDS = range(40, 80)
SOLVERS = tuple(str(parse_solver(name)) for name in ("dead-end", "exact(nodes=100000)"))


def solved(names: tuple[str, ...] = SOLVERS, ruleset: str = RULESET) -> Chunk:
    rules = parse_ruleset(ruleset)
    cards = get_dealer("thoughtful-1").deal_block(SEEDS.start, len(SEEDS))
    return Chunk(
        rules,
        "thoughtful-1",
        tuple(SEEDS),
        cards,
        tuple(
            (SolverKey.of(solver), tuple(solver.solve(cards.copy(), rules)))
            for solver in map(parse_solver, names)
        ),
    )


@pytest.fixture(scope="module")
def chunk() -> Chunk:
    return solved()


@pytest.fixture
def kept(catalogue: store.Catalogue, chunk: Chunk) -> store.Catalogue:
    """A catalogue of verdicts."""
    with catalogue.begin() as session:
        write_chunks(session, [chunk], blocks.VERDICTS)
    return catalogue


def by_solver(detail: DealDetail) -> dict[str, DealOutcome]:
    return {outcome.solver: outcome for outcome in detail.outcomes}


@pytest.mark.slow
def test_a_deal_of_verdicts_is_solved_when_it_is_opened(
    kept: store.Catalogue, chunk: Chunk
) -> None:
    for at, seed in enumerate(SEEDS):
        detail = deal_detail(kept, f"thoughtful-1:{seed}", quick_seconds=100)
        assert detail.stored
        found = by_solver(detail)
        assert set(found) == set(SOLVERS)
        for solver, outcomes in chunk.outcomes:
            outcome, made = found[solver.name], outcomes[at]
            assert made is not None
            assert (outcome.result, outcome.nodes) == (made.result, made.nodes)
            assert (outcome.moves, outcome.dead_end) == (made.moves, made.dead_end)
            assert not outcome.alarm
            # Undecided deals have rows.
            undecided = solver.decides and made.result == Result.GAVE_UP
            assert outcome.remade == (not outcome.has_row) == (not undecided)
            assert outcome.provenance == this_provenance()
            assert outcome.created_at is not None
        best = detail.best(RULESET)
        assert (best is None) == (found[SOLVERS[1]].result != "won")
        if best is not None and best.moves is not None:
            moves = unpack_solution(best.moves)
            cards = KlondikeDeal.of(detail.cards.as_array())
            assert proves_win(cards, parse_klondike(RULESET), moves)


@pytest.mark.slow
def test_what_takes_longer_is_offered(kept: store.Catalogue, chunk: Chunk) -> None:
    detail = deal_detail(kept, f"thoughtful-1:{SEEDS[0]}", quick_seconds=0)
    for outcome in detail.outcomes:
        assert (outcome.remade, outcome.moves) == (False, None)
        assert outcome.seconds == pytest.approx((outcome.cpu_ms or 0) / 1000)
        again = remake(detail, outcome)
        assert (again.remade, again.seconds) == (True, None)
        assert detail.with_outcome(outcome, again).outcomes.count(again) == 1
        assert detail.best(RULESET) is None
    _, outcomes = chunk.outcomes[1]
    assert outcomes[0] is not None
    found = by_solver(detail)[SOLVERS[1]]
    assert (found.nodes, found.length) == (outcomes[0].nodes, len(outcomes[0].moves or b"") or None)


@pytest.mark.slow
def test_a_verdict_that_does_not_come_back_is_an_alarm(kept: store.Catalogue) -> None:
    with kept.begin() as session:
        solver_id = session.scalar(select(SolverRow.id).where(SolverRow.name == SOLVERS[1]))
        assert solver_id is not None
        (columns,) = read_outcomes(session, 1, 1, 0, [solver_id]).values()
        columns.nodes[:] = columns.nodes * 2 + 5
        store_block(session, (1, 1, 0, solver_id), columns, (1, 1), [])
    detail = deal_detail(kept, f"thoughtful-1:{SEEDS[0]}", quick_seconds=100)
    wrong = by_solver(detail)[SOLVERS[1]]
    assert wrong.alarm
    assert not wrong.remade
    assert wrong.remark is not None
    assert "now finds the deal" in wrong.remark
    assert "\n" not in wrong.remark
    assert wrong.provenance is None


@pytest.mark.slow
def test_a_solver_of_another_version_does_not_solve_it(kept: store.Catalogue) -> None:
    with kept.begin() as session:
        session.execute(update(SolverRow).where(SolverRow.name == SOLVERS[0]).values(version=999))
    detail = deal_detail(kept, f"thoughtful-1:{SEEDS[0]}", quick_seconds=100)
    other = by_solver(detail)[SOLVERS[0]]
    assert (other.remade, other.alarm, other.seconds) == (False, False, None)
    assert "this program has version" in str(other.remark)
    with pytest.raises(BadInput, match="version 999"):
        remake(detail, other)


@pytest.mark.slow
def test_verdicts_are_exported(kept: store.Catalogue, chunk: Chunk, tmp_path: Path) -> None:
    export(kept, tmp_path / "out")
    tables = {path.stem: pd.read_parquet(path) for path in (tmp_path / "out").glob("*.parquet")}
    assert set(tables["deals"].deal) == {f"thoughtful-1:{seed}" for seed in SEEDS}
    deal = get_dealer("thoughtful-1").deal(SEEDS[0])
    assert tables["deals"].set_index("deal").digest[f"thoughtful-1:{SEEDS[0]}"] == deal.digest
    outcomes = tables["outcomes"].set_index(["deal", "solver"])
    assert len(outcomes) == len(SEEDS) * len(SOLVERS)
    for solver, made in chunk.outcomes:
        for seed, outcome in zip(SEEDS, made, strict=True):
            assert outcome is not None
            row: Any = outcomes.loc[(f"thoughtful-1:{seed}", solver.name)]
            assert (row.result, row.nodes) == (outcome.result, outcome.nodes)
            assert row.cpu_ms == pytest.approx(outcome.cpu_ms, abs=0.001)
            assert (row.length == row.length) == (outcome.result == Result.WON)
            assert row.program == this_provenance().program
            assert row.processor == this_provenance().processor
            assert row["stored_at"].tzinfo is not None
    statuses = tables["statuses"]
    assert len(statuses) == len(SEEDS)
    assert set(statuses[statuses.dead_end.notna()].deal) == {
        f"thoughtful-1:{seed}"
        for seed, outcome in zip(SEEDS, chunk.outcomes[0][1], strict=True)
        if outcome is not None and outcome.dead_end is not None
    }
    # Neither has what only rows have.
    assert len(tables["solutions"]) == len(tables["dead_ends"]) == 0
    chosen = Selection(RULESET, "winnable", "thoughtful-1", SEEDS[3], SEEDS[20])
    done = export(kept, tmp_path / "part", selection=chosen)
    won = [
        seed
        for seed, outcome in zip(SEEDS, chunk.outcomes[1][1], strict=True)
        if SEEDS[3] <= seed <= SEEDS[20] and outcome is not None and outcome.result == "won"
    ]
    assert done.rows["deals"] == done.rows["statuses"] == len(won)
    assert done.rows["outcomes"] == len(won) * len(SOLVERS)


def stored_verdicts(
    cat: store.Catalogue, ruleset: str, results: dict[int, Result], keep: str, wins: Any
) -> None:
    """Outcomes of a solver that is not of this program."""
    deals, seeds, outcomes = [], [], []
    for seed, result in results.items():
        deal, moves = wins(seed)
        deals.append(deal.as_array())
        seeds.append(seed)
        outcomes.append(Outcome(result, seed, 1.0, moves if result == Result.WON else None))
    solver = SolverKey("exact(nodes=7)", 1, "exact", (("nodes", 7),), grades=True)
    chunk = Chunk(parse_ruleset(ruleset), None, (), np.stack(deals), ((solver, tuple(outcomes)),))
    with cat.begin() as session:
        write_chunks(session, [chunk], keep)


@pytest.mark.slow
def test_contradictions_between_rulesets_are_found(
    catalogue: store.Catalogue, easy_win: Any
) -> None:
    assert cross_alarms(catalogue) == replace(cross_alarms(catalogue), alarms=[], compared=0)
    strict, lax = solved(SOLVERS[1:], "klondike-draw3"), solved(SOLVERS[1:])
    with catalogue.begin() as session:
        write_chunks(session, [strict], blocks.EVERYTHING)
        write_chunks(session, [lax], blocks.VERDICTS)
    honest = cross_alarms(catalogue)
    assert (honest.alarms, honest.compared, honest.left) == ([], 1, 0)
    # Each deal that is won under draw 3 is called unwinnable under draw 1.
    (_, outcomes) = strict.outcomes[0]
    won = [
        seed
        for seed, outcome in zip(SEEDS, outcomes, strict=True)
        if outcome is not None and outcome.result == Result.WON
    ]
    assert len(won) > 10
    with catalogue.begin() as session:
        session.execute(delete(BlockRow).where(BlockRow.ruleset_id == 2))
        ruleset_id = 2
        session.execute(delete(StatusBlockRow).where(StatusBlockRow.ruleset_id == ruleset_id))
        ((solver, made),) = lax.outcomes
        false = [
            Outcome(Result.UNWINNABLE, 3, 1.0) if seed in won else outcome
            for seed, outcome in zip(SEEDS, made, strict=True)
        ]
        write_chunks(session, [replace(lax, outcomes=((solver, tuple(false)),))], blocks.VERDICTS)
    found = cross_alarms(catalogue)
    assert found.alarms == [
        CrossAlarm(f"thoughtful-1:{seed}", "klondike", "klondike-draw3", RULESET) for seed in won
    ]
    assert "is won under klondike-draw3 and proved unwinnable under klondike-draw1" in str(
        found.alarms[0]
    )
    assert overview(catalogue).across.alarms == found.alarms
    # Without time nothing new is compared, but what was compared is known.
    assert cross_alarms(catalogue, seconds=-1) == found


def test_contradictions_of_imported_deals_are_found(
    catalogue: store.Catalogue, easy_win: Any
) -> None:
    results = {1: Result.WON, 2: Result.UNWINNABLE, 4: Result.GAVE_UP, 5: Result.WON}
    stored_verdicts(catalogue, "klondike-vegas", results, blocks.EVERYTHING, easy_win)
    lax = {1: Result.UNWINNABLE, 2: Result.UNWINNABLE, 4: Result.UNWINNABLE, 5: Result.WON}
    stored_verdicts(catalogue, "klondike-draw3", lax, blocks.EVERYTHING, easy_win)
    (alarm,) = cross_alarms(catalogue).alarms
    assert alarm.deal == easy_win(1)[0].digest
    assert (alarm.won_under, alarm.unwinnable_under) == ("klondike-vegas", "klondike-draw3")
    assert list_deals(catalogue, DealFilter("klondike-draw3", dealer="imported")).total == 4
    # One of them gave up under the stricter rules, under which it follows.
    proved = DealFilter("klondike-vegas", "unwinnable", "imported")
    assert {row.deal for row in list_deals(catalogue, proved).rows} == {
        easy_win(seed)[0].digest for seed in (2, 4)
    }
    assert stored_samples(catalogue) == []
