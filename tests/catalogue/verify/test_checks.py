"""Tests of checks that take more than one damaged value: other databases, alarms, solving again."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sqlalchemy import delete, select, update

from catalogue import store
from catalogue.blocks import EVERYTHING, PROVED, VERDICTS, WON, Outcomes
from catalogue.outcomes.block_rows import outcomes_of_rows
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.compression import decompress
from catalogue.outcomes.writing import write_chunk
from catalogue.schema import (
    BlockRow,
    DealRow,
    OutcomeRow,
    RegretRow,
    RulesetRow,
    SolutionRow,
)
from catalogue.verify.checks import CHECKS
from catalogue.verify.running import verify
from catalogue.verify.solving import other_solvers
from engine.dealing.dealers import get_dealer
from engine.games import game_of
from engine.klondike.actions import action_of
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import unpack_solution
from engine.klondike.referee import KlondikePosition
from engine.replay import positions
from engine.rulesets import parse_ruleset
from samples import sizes
from solvers.outcome import Outcome as Achieved
from solvers.outcome import Result
from solvers.registry import methods_of, who_plays
from solvers.solver import parse_solver
from verified import key_of, rewritten

RULES = parse_ruleset("klondike-draw3")
Fill = Callable[[store.Catalogue], None]


@pytest.mark.parametrize("backend", sizes("postgresql", "sqlite"))
def test_a_sound_catalogue_of_either_database(catalogue: store.Catalogue, fill: Fill) -> None:
    fill(catalogue)
    report = verify(catalogue, resolve_share=0.0)
    assert report.faults == ()
    assert report.checked["deal of a block"] == 0
    again = verify(catalogue, resolve_share=1.0, only=["reruns", "blocks-again"])
    assert again.faults == ()
    assert (again.checked["deal of a block"], again.checked["rerun"]) == (240, 79)


def test_verdicts_beside_rows_in_one_block_are_sound(sqlite_catalogue: store.Catalogue) -> None:
    """The batches of the rows tell who made them, the block who made the rest."""
    solver = parse_solver("dead-end")
    for seeds, keep in ((range(8), EVERYTHING), (range(4, 16), VERDICTS), (range(8), EVERYTHING)):
        cards = get_dealer("thoughtful-1").deal_block(seeds.start, len(seeds), game_of(RULES))
        outcomes = tuple(solver.solve(cards, RULES))
        column = (SolverKey.of(solver), outcomes)
        chunk = Chunk(RULES, "thoughtful-1", tuple(seeds), cards, (column,))
        with sqlite_catalogue.begin() as session:
            write_chunk(session, chunk, keep)
        assert verify(sqlite_catalogue).faults == ()
    with sqlite_catalogue.session() as session:
        assert session.scalars(select(BlockRow.rowed)).all() == [8]
        assert len(session.scalars(select(OutcomeRow.deal_id)).all()) == 8


def test_every_check_is_in_the_help_and_can_be_loaded(sqlite_catalogue: store.Catalogue) -> None:
    from thoughtful.commands.verify import verify as command

    for check in CHECKS:
        assert f"{check.name} (" in str(command.__doc__)
    report = verify(sqlite_catalogue)
    assert report.holds
    assert "no faults" in str(report)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda c, at: c.result.__setitem__(at, 2), "stored is lost, again it is won"),
        (lambda c, at: c.nodes.__setitem__(at, 9999), "nodes, again it has"),
        (lambda c, at: c.length.__setitem__(at, c.length[at] + 1), "moves, again it has"),
    ],
)
def test_a_block_of_verdicts_is_solved_again(
    sqlite_catalogue: store.Catalogue, fill: Fill, change: Any, said: str
) -> None:
    """Everything that can be recomputed without a solver agrees with it."""
    fill(sqlite_catalogue)
    with sqlite_catalogue.begin() as session:
        key = key_of(session, "exact", "klondike-draw1")
        columns = Outcomes.decode(session.get_one(BlockRow, key).columns)
        at = int(np.flatnonzero(columns.result == WON)[3])
        change(columns, at)
        rewritten(session, key, columns)
    blocks = verify(sqlite_catalogue, only=["blocks", "batches", "seals"])
    assert blocks.faults == ()
    report = verify(sqlite_catalogue, resolve_share=1.0, only=["blocks-again"])
    assert {fault.kind for fault in report.faults} == {"alarm"}
    (fault,) = report.faults
    assert fault.where.startswith(f"thoughtful-1:{columns.first + at} by exact(nodes=400")
    assert said in fault.what
    sampled = report.sampled["deal of a block"]
    assert (sampled.checked, sampled.wrong) == (240, 1)
    # Only that deal is solved again where only it is asked for.
    name = fault.where.split()[0]
    alone = verify(sqlite_catalogue, deal=name, only=["blocks-again"])
    assert [each.where for each in alone.faults] == [fault.where]


def test_nodes_with_their_block_and_statuses(sqlite_catalogue: store.Catalogue, fill: Fill) -> None:
    """The seal tells that a row was changed, solving again what it should be."""
    fill(sqlite_catalogue)
    with sqlite_catalogue.begin() as session:
        key = key_of(session, "exact", "klondike-draw3")
        session.execute(
            update(OutcomeRow)
            .where(OutcomeRow.solver_id == key[3], OutcomeRow.deal_id == 8)
            .values(nodes=OutcomeRow.nodes + 1)
        )
        rewritten(session, key, outcomes_of_rows(session, *key))
    assert verify(sqlite_catalogue, only=["blocks", "values"]).faults == ()
    (sealed,) = verify(sqlite_catalogue, only=["batches"]).faults
    assert sealed.where.startswith("batch 1, from outcome thoughtful-1:0")
    (again,) = verify(sqlite_catalogue, resolve_share=1.0, only=["reruns"]).faults
    assert (again.kind, again.where.split()[0]) == ("alarm", "thoughtful-1:7")


@pytest.mark.parametrize("dealer", ["thoughtful-1", None])
def test_a_contradiction_is_an_alarm(
    sqlite_catalogue: store.Catalogue, fill: Fill, dealer: str | None
) -> None:
    """A proof by another solver of what is won; written as it should be, so only that is wrong."""
    fill(sqlite_catalogue)
    with sqlite_catalogue.begin() as session:
        imported = DealRow.cards.is_not(None)
        row = session.execute(
            select(DealRow.seed, DealRow.cards, DealRow.digest)
            .join(SolutionRow, SolutionRow.deal_id == DealRow.id)
            .join(RulesetRow, RulesetRow.id == SolutionRow.ruleset_id)
            .where(RulesetRow.slug == RULES.slug, imported if dealer is None else ~imported)
        ).first()
        assert row is not None
        dealt = get_dealer("thoughtful-1").deal_block(row.seed, 1)
        cards = dealt if row.cards is None else np.frombuffer(row.cards, np.uint8)[None, :]
        wrong = (SolverKey("wrong", 1, "wrong", ()), (Achieved(Result.UNWINNABLE, 1, 0.0),))
        seeds = () if dealer is None else (row.seed,)
        write_chunk(session, Chunk(RULES, dealer, seeds, cards, (wrong,)))
    faults = verify(sqlite_catalogue, only=["blocks"]).faults
    assert [fault.kind for fault in faults] == ["alarm"]
    assert "solvers won it, 1 proved it unwinnable" in faults[0].what
    # It is stored as winnable, as the win was replayed; other solvers win it, too.
    only = row.digest.hex() if dealer is None else f"{dealer}:{row.seed}"
    again = verify(sqlite_catalogue, resolve_share=1.0, only=["verdicts"], deal=only)
    assert (again.checked["verdict"] > 0, again.faults) == (True, ())


@pytest.mark.thorough
def test_a_wrong_verdict_is_found_by_another_solver(
    sqlite_catalogue: store.Catalogue, fill: Fill
) -> None:
    """Every count agrees with the outcome, so that only solving the deal again can tell."""
    fill(sqlite_catalogue)
    with sqlite_catalogue.begin() as session:
        for method in ("greedy", "exact"):
            key = key_of(session, method, RULES.slug)
            if method == "greedy":
                columns = Outcomes.decode(session.get_one(BlockRow, key).columns)
                lost = columns.result != WON
            else:
                columns = Outcomes.decode(session.get_one(BlockRow, key).columns)
                at = int(np.flatnonzero((columns.result == WON) & lost)[0])
                session.execute(delete(SolutionRow).where(SolutionRow.deal_id == at + 1))
                session.execute(
                    update(OutcomeRow)
                    .where(OutcomeRow.solver_id == key[3], OutcomeRow.deal_id == at + 1)
                    .values(result="unwinnable")
                )
                rewritten(session, key, outcomes_of_rows(session, *key))
                assert outcomes_of_rows(session, *key).result[at] == PROVED
    report = verify(sqlite_catalogue, resolve_share=1.0, only=["verdicts"])
    name = f"thoughtful-1:{at} under klondike-draw3"
    found = [fault for fault in report.faults if fault.where == name]
    assert any("stored as unwinnable, but exact-plain" in fault.what for fault in found)
    assert {fault.kind for fault in found} == {"alarm"}


@pytest.mark.thorough
@pytest.mark.parametrize("before", [True, False])
def test_a_wrong_losing_move_is_found_by_another_solver(
    sqlite_catalogue: store.Catalogue, fill: Fill, before: bool
) -> None:
    """Another move of the same game that does what the losing one did."""
    fill(sqlite_catalogue)
    where = ""
    with sqlite_catalogue.begin() as session:
        for row in session.scalars(select(RegretRow).where(RegretRow.kind == "move")):
            seed = session.get_one(DealRow, row.deal_id).seed
            assert seed is not None
            moves = unpack_solution(decompress("klondike", row.moves))
            deal = KlondikeDeal.of(get_dealer("thoughtful-1").deal_block(seed, 1)[0])
            passed = list(positions(KlondikePosition.start(deal, RULES), moves))
            actions = [action_of(*pair) for pair in zip(passed[:-1], moves, strict=True)]
            same = [at for at, action in enumerate(actions) if action == row.action]
            others = [at for at in same if (at < (row.step or 0)) == before and at != row.step]
            # Two plays away at least: a turn that changes nothing is no wrong place.
            others = [at for at in others if abs(at - (row.step or 0)) > 5]
            if others:
                row.step = others[0] if before else others[-1]
                where = f"thoughtful-1:{seed} by greedy under klondike-draw3"
                break
    assert verify(sqlite_catalogue, only=["regrets"]).faults == ()
    report = verify(sqlite_catalogue, resolve_share=1.0, only=["losing-moves"])
    (fault,) = report.faults
    assert (fault.kind, fault.where) == ("alarm", where)
    expected = "wins it" if before else "proves that it was lost before move"
    assert "exact-plain" in fault.what
    assert expected in fault.what


@pytest.mark.parametrize("slug", ["klondike-draw3", "klondike-yan", "spider-4"])
def test_verdicts_are_asked_of_those_who_have_one_of_their_own(slug: str) -> None:
    """Not of players, and not of who looks for a shortest solution to a verdict of `exact`."""
    rules = parse_ruleset(slug)
    asked = [other.method.slug for other in other_solvers(rules, {"exact"})]
    sighted = {each.slug for each in methods_of(rules.game) if each.sees == "deal"}
    assert sorted(asked) == sorted(sighted & {*who_plays(rules)} - {"exact", "shortest"})
