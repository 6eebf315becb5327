"""Tests that verification finds every fault in a catalogue, and none in a sound one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sqlalchemy import delete, func, select, update

from catalogue import store
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.writing import write_chunk
from catalogue.regret.games import games_of
from catalogue.schema import (
    DeadEndRow,
    DealRow,
    OutcomeRow,
    RegretRow,
    SolutionRow,
    SolverRow,
    StatusRow,
    StatusTallyRow,
    TallyRow,
)
from catalogue.verify.checks import verify
from catalogue.verify.report import VerificationReport
from engine.dealing.dealers import Sample, get_dealer
from engine.errors import BadInput
from engine.klondike.actions import action_of
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import unpack_solution
from engine.klondike.referee import KlondikePosition
from engine.replay import positions
from engine.rulesets import parse_ruleset
from here import find_regrets
from samples import sizes
from solvers.outcome import Outcome as Achieved
from solvers.outcome import Result
from solvers.registry import parse_solver

RULES = parse_ruleset("klondike-draw3")


@pytest.fixture(scope="module")
def solved() -> Chunk:
    cards = get_dealer("thoughtful-1").deal_block(0, 40)
    solvers = [parse_solver(name) for name in ("dead-end", "exact(nodes=3000)", "greedy")]
    columns = [(SolverKey.of(s), tuple(s.solve(cards, RULES))) for s in solvers]
    return Chunk(RULES, "thoughtful-1", tuple(range(40)), cards, tuple(columns))


@pytest.fixture
def filled(catalogue: store.Catalogue, solved: Chunk) -> store.Catalogue:
    with catalogue.begin() as session:
        write_chunk(session, solved)
    games = games_of("klondike-draw3", Sample("thoughtful-1", 0, 40), "greedy")
    assert find_regrets(catalogue, games)
    return catalogue


def check(cat: store.Catalogue) -> VerificationReport:
    return verify(cat, share=1.0, resolve_share=0.0)


@pytest.mark.parametrize("resolve_share", sizes(0.1, 1.0))
@pytest.mark.parametrize("backend", sizes("sqlite", "postgresql"))
def test_a_catalogue_that_holds(filled: store.Catalogue, resolve_share: float) -> None:
    report = verify(filled, share=1.0, resolve_share=resolve_share)
    assert report.faults == ()
    assert report.holds
    assert str(report).endswith("no faults")
    with filled.session() as session:
        for kind, model in (
            ("solution", SolutionRow),
            ("dead end", DeadEndRow),
            ("regret", RegretRow),
            ("losing move", RegretRow),
            ("cards", DealRow),
        ):
            stored = session.scalar(select(func.count()).select_from(model))
            assert stored
            if kind == "losing move" and resolve_share < 1:
                assert 0 < report.checked[kind] < stored
            else:
                assert report.checked[kind] == stored
        decided = session.scalar(
            select(func.count()).select_from(StatusRow).where(StatusRow.status != "unresolved")
        )
    assert decided
    # Deals decided by one solver are checked with the other.
    asked = decided - report.checked["dead end"]
    assert report.checked["verdict"] >= (asked if resolve_share == 1 else 1)


def test_a_share_is_chosen_by_its_seed(filled: store.Catalogue) -> None:
    some = verify(filled, share=0.5, resolve_share=0.0, seed=1)
    assert some == verify(filled, share=0.5, resolve_share=0.0, seed=1)
    assert 0 < some.checked["cards"] < 40
    none = verify(filled, share=0.0, resolve_share=0.0)
    assert "cards" not in none.checked
    assert none.checked["status"] == 40


@pytest.mark.parametrize("share", [-0.1, 1.5, float("nan")])
def test_a_share_out_of_range(sqlite_catalogue: store.Catalogue, share: float) -> None:
    with pytest.raises(BadInput, match="out of range: expected 0 to 1"):
        verify(sqlite_catalogue, share=share)


def one(model: Any, *where: Any) -> Any:
    """The key of one row, as a condition."""
    keys = list(model.__table__.primary_key.columns)
    chosen = select(*keys).where(*where).limit(1)

    def condition(session: Any) -> list[Any]:
        return [k == value for k, value in zip(keys, session.execute(chosen).one(), strict=True)]

    return condition


def changed(model: Any, *where: Any, **values: Any) -> Callable[[Any], None]:
    def change(session: Any) -> None:
        session.execute(update(model).where(*one(model, *where)(session)).values(**values))

    return change


def dropped(model: Any, *where: Any) -> Callable[[Any], None]:
    def drop(session: Any) -> None:
        session.execute(delete(model).where(*one(model, *where)(session)))

    return drop


def swap_cards(session: Any) -> None:
    cards = session.scalar(select(DealRow.cards).where(DealRow.seed == 7))
    session.execute(update(DealRow).where(DealRow.seed == 7).values(cards=cards[1:] + cards[:1]))


def claim_unwinnable(session: Any) -> None:
    """A proof by a third solver of what is won; written as it should be, so only that is wrong."""
    deal = (
        session.execute(
            select(DealRow)
            .join(StatusRow, StatusRow.deal_id == DealRow.id)
            .where(StatusRow.status == "winnable")
        )
        .scalars()
        .first()
    )
    cards = np.frombuffer(deal.cards, dtype=np.uint8)[None, :]
    wrong = (SolverKey("wrong", 1, "wrong", ()), (Achieved(Result.UNWINNABLE, 1, 0.0),))
    write_chunk(session, Chunk(RULES, deal.dealer, (deal.seed,), cards, (wrong,)))


@pytest.mark.parametrize(
    ("damage", "kind", "what"),
    [
        (changed(SolutionRow, moves=b"\x00\x00"), "solution", "do not end in a win"),
        (changed(SolutionRow, moves=b"\xff"), "solution", "byte 255 is not a move"),
        (changed(SolutionRow, length=1), "solution", "its length is"),
        (dropped(SolutionRow), "solution", "won, but there is no solution"),
        (changed(DeadEndRow, witness="KC"), "dead end", "does not prove it"),
        (changed(DeadEndRow, witness="1X"), "dead end", "is not a card"),
        (changed(DeadEndRow, kind="magic"), "dead end", "magic"),
        (changed(RegretRow, moves=b"\xff"), "regret", "byte 255 is not a move"),
        (changed(RegretRow, moves=b"\x00\x01"), "regret", "the stock is not empty yet"),
        (changed(RegretRow, length=1), "regret", "its length is"),
        (changed(RegretRow, kind="luck"), "regret", "there is no kind 'luck'"),
        (changed(RegretRow, RegretRow.kind == "move", step=999), "regret", "has no move after 999"),
        (
            changed(RegretRow, RegretRow.kind == "move", step=None),
            "regret",
            "has no move after None",
        ),
        (
            changed(RegretRow, RegretRow.kind == "move", kind="stopped"),
            "regret",
            "it stopped after",
        ),
        (
            changed(RegretRow, RegretRow.kind == "move", kind="undecided"),
            "regret",
            "has a losing move",
        ),
        (changed(RegretRow, RegretRow.kind == "move", action="down"), "regret", "stored is down"),
        (
            changed(
                OutcomeRow,
                OutcomeRow.deal_id.in_(select(RegretRow.deal_id)),
                OutcomeRow.result == "lost",
                result="gave_up",
            ),
            "regret",
            "there is a regret, but the outcome is gave_up",
        ),
        (swap_cards, "cards", "the digest is not that of the cards"),
        (swap_cards, "cards", "deals other cards for its seed"),
        (changed(StatusRow, status="unresolved", solvers=9), "status", "solvers is 9"),
        (
            changed(StatusRow, StatusRow.status == "winnable", status="lost"),
            "status",
            "status is lost",
        ),
        (changed(StatusRow, nodes=123_456_789), "status", "nodes is 123456789"),
        (changed(StatusRow, dealer="pysolfc"), "status", "dealer is pysolfc"),
        (dropped(StatusRow), "status", "missing, though there are outcomes"),
        (changed(TallyRow, attempted=39), "tally", "attempted is 39"),
        (changed(TallyRow, nodes=1), "tally", "nodes is 1,"),
        (changed(TallyRow, cpu_ms=-1.0), "tally", "cpu_ms is -1"),
        (dropped(TallyRow), "tally", "missing, though there are outcomes"),
        (changed(StatusTallyRow, winnable=99), "status tally", "winnable is 99"),
        (dropped(StatusTallyRow), "status tally", "missing, though there are outcomes"),
        (changed(OutcomeRow, OutcomeRow.result == "gave_up", result="lost"), "tally", "lost is "),
        (
            changed(OutcomeRow, OutcomeRow.result == "won", result="lost"),
            "solution",
            "outcome is lost",
        ),
        (claim_unwinnable, "contradiction", "1 solvers won it, 1 proved it unwinnable"),
    ],
)
@pytest.mark.thorough  # `test_damage.py` has one for each column, on SQLite alone
def test_damage_is_found(
    filled: store.Catalogue, damage: Callable[[Any], None], kind: str, what: str
) -> None:
    with filled.begin() as session:
        damage(session)
    report = check(filled)
    assert any(fault.kind == kind and what in str(fault) for fault in report.faults), str(report)
    assert not report.holds
    # It reports and never repairs.
    assert check(filled).faults == report.faults


@pytest.mark.thorough
def test_a_wrong_verdict_is_found_by_another_solver(filled: store.Catalogue) -> None:
    """Every count agrees with the outcome, so that only solving the deal again can tell."""
    with filled.begin() as session:
        exact = session.scalar(select(SolverRow.id).where(SolverRow.method == "exact"))
        won = session.scalars(
            select(OutcomeRow.deal_id)
            .where(OutcomeRow.result == "won", OutcomeRow.solver_id == exact)
            .order_by(OutcomeRow.nodes)
        ).first()
        session.execute(delete(SolutionRow).where(SolutionRow.deal_id == won))
        session.execute(
            delete(OutcomeRow).where(OutcomeRow.deal_id == won, OutcomeRow.solver_id == exact)
        )
        session.execute(
            update(OutcomeRow).where(OutcomeRow.deal_id == won).values(result="unwinnable")
        )
        session.execute(
            update(StatusRow)
            .where(StatusRow.deal_id == won)
            .values(status="unwinnable", wins=0, proofs=1, solvers=1, solution_length=None)
        )
        seed = session.scalar(select(DealRow.seed).where(DealRow.id == won))
    report = verify(filled, share=0.0, resolve_share=1.0)
    verdicts = sorted(str(fault) for fault in report.faults if fault.kind == "verdict")
    # Those that find a win; others may fail to, which proves nothing.
    finders = {verdict.split("but ")[1].split("(")[0]: verdict for verdict in verdicts}
    assert finders.keys() >= {"exact", "exact-plain"}
    assert len(finders) == len(verdicts)
    for solver, verdict in finders.items():
        assert verdict.startswith(f"verdict: thoughtful-1:{seed} under klondike-draw3: stored as ")
        assert f"unwinnable, but {solver}" in verdict
        assert verdict.endswith("wins it")


@pytest.mark.thorough
@pytest.mark.parametrize("before", [True, False])
def test_a_wrong_losing_move_is_found_by_another_solver(
    sqlite_catalogue: store.Catalogue, solved: Chunk, before: bool
) -> None:
    """Another move of the same game that does what the losing one did."""
    filled, count = sqlite_catalogue, 12
    columns = tuple((solver, outcomes[:count]) for solver, outcomes in solved.outcomes)
    few = Chunk(RULES, "thoughtful-1", tuple(range(count)), solved.cards[:count], columns)
    with filled.begin() as session:
        write_chunk(session, few)
    games = games_of("klondike-draw3", Sample("thoughtful-1", 0, count), "greedy")
    find_regrets(filled, games)
    with filled.begin() as session:
        for row in session.scalars(select(RegretRow).where(RegretRow.kind == "move")):
            deal = session.get_one(DealRow, row.deal_id)
            moves = unpack_solution(row.moves)
            start = KlondikePosition.start(KlondikeDeal.of(deal.cards), RULES)
            passed = list(positions(start, moves))
            actions = [action_of(*pair) for pair in zip(passed[:-1], moves, strict=True)]
            same = [at for at, action in enumerate(actions) if action == row.action]
            others = [at for at in same if (at < (row.step or 0)) == before and at != row.step]
            # Two plays away at least: a turn that changes nothing is no wrong place.
            others = [at for at in others if abs(at - (row.step or 0)) > 5]
            if others:
                row.step = others[0] if before else others[-1]
                where = f"thoughtful-1:{deal.seed} by greedy under klondike-draw3"
                break
    report = verify(filled, share=1.0, resolve_share=1.0)
    (fault,) = report.faults
    assert (fault.kind, fault.where) == ("regret", where)
    expected = "wins it" if before else "proves that it was lost before move"
    assert "exact-plain" in fault.what
    assert expected in fault.what
    assert check(filled).faults == ()
