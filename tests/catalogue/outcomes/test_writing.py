"""Tests of writing outcomes: missing ones are added once, and counts equal a recount."""

import dataclasses
import pickle
import random
import threading
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from sqlalchemy import func, select

from catalogue import store
from catalogue.outcomes.chunk import Chunk, SolverKey, UnprovedWin
from catalogue.outcomes.writing import OtherCards, Written, write_chunk, write_chunks
from catalogue.schema import (
    BLOCK_SIZE,
    DeadEndRow,
    DealRow,
    OutcomeRow,
    SolutionRow,
    SolverRow,
    StatusRow,
    StatusTallyRow,
    TallyRow,
)
from catalogue.verify.checks import verify
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.rulesets import parse_ruleset
from solvers.outcome import Outcome as Achieved
from solvers.outcome import Result
from solvers.registry import parse_solver

RULES = parse_ruleset("klondike-draw3")
DEALER = get_dealer("thoughtful-1")
# Across the border of two blocks, so that every count is kept in two rows.
FIRST, COUNT = BLOCK_SIZE - 25, 50


@pytest.fixture(scope="module")
def solved() -> Chunk:
    """50 deals as the real solvers leave them: won, proved dead, proved unwinnable, given up."""
    cards = DEALER.deal_block(FIRST, COUNT)
    solvers = [parse_solver(name) for name in ("dead-end", "exact(nodes=2000)")]
    columns = [(SolverKey.of(s), tuple(s.solve(cards, RULES))) for s in solvers]
    assert {o.result for _, outcomes in columns for o in outcomes} >= {"won", "gave_up"}
    return Chunk(RULES, DEALER.slug, tuple(range(FIRST, FIRST + COUNT)), cards, tuple(columns))


def part(chunk: Chunk, places: Sequence[int], solvers: Sequence[int] = (0, 1)) -> Chunk:
    """Some deals and solvers of a chunk, in the order given."""
    return Chunk(
        chunk.rules,
        chunk.dealer,
        tuple(chunk.seeds[place] for place in places),
        chunk.cards[list(places)],
        tuple(
            (key, tuple(outcomes[place] for place in places))
            for key, outcomes in (chunk.outcomes[k] for k in solvers)
        ),
    )


def write(cat: store.Catalogue, *chunks: Chunk) -> Written:
    with cat.begin() as session:
        return write_chunks(session, chunks)


def recount(cat: store.Catalogue) -> tuple[Any, Any, Any]:
    """Statuses, tallies and status tallies from the outcomes, row by row in plain Python."""
    tallies: dict[Any, Counter[str]] = defaultdict(Counter)
    of_deal: dict[Any, dict[str, Any]] = {}
    with cat.session() as session:
        rows = session.execute(
            select(
                OutcomeRow,
                DealRow.dealer,
                DealRow.seed,
                SolverRow.method,
                SolutionRow.length,
                DeadEndRow.kind,
            )
            .join(DealRow, DealRow.id == OutcomeRow.deal_id)
            .join(SolverRow, SolverRow.id == OutcomeRow.solver_id)
            .outerjoin(
                SolutionRow,
                (SolutionRow.deal_id == OutcomeRow.deal_id)
                & (SolutionRow.solver_id == OutcomeRow.solver_id)
                & (SolutionRow.ruleset_id == OutcomeRow.ruleset_id),
            )
            .outerjoin(
                DeadEndRow,
                (DeadEndRow.deal_id == OutcomeRow.deal_id)
                & (DeadEndRow.solver_id == OutcomeRow.solver_id)
                & (DeadEndRow.ruleset_id == OutcomeRow.ruleset_id),
            )
        ).all()
    for outcome, dealer, seed, method, length, kind in rows:
        key = (outcome.ruleset_id, outcome.deal_id)
        known = of_deal.setdefault(
            key,
            {"at": (dealer, seed), "results": [], "nodes": [], "lengths": [], "kinds": []},
        )
        known["results"].append(outcome.result)
        if method == "exact" and outcome.result in ("won", "unwinnable"):
            known["nodes"].append(outcome.nodes)
        known["lengths"] += [length] if length is not None else []
        known["kinds"] += [kind] if kind is not None else []
        if dealer is not None:
            block = (outcome.ruleset_id, outcome.solver_id, dealer, seed // BLOCK_SIZE)
            tallies[block].update({"attempted": 1, outcome.result: 1, "nodes": outcome.nodes})
    statuses = {}
    status_tallies: dict[Any, Counter[str]] = defaultdict(Counter)
    for key, known in of_deal.items():
        wins, proofs = known["results"].count("won"), known["results"].count("unwinnable")
        status = "winnable" if wins else "unwinnable" if proofs else "unresolved"
        statuses[key] = (
            *known["at"],
            status,
            len(known["results"]),
            wins,
            proofs,
            min(known["nodes"], default=None),
            min(known["lengths"], default=None),
            min(known["kinds"], default=None),
        )
        dealer, seed = known["at"]
        if dealer is not None:
            block = status_tallies[key[0], dealer, seed // BLOCK_SIZE]
            block.update({"deals": 1, status: 1, "alarms": int(wins > 0 and proofs > 0)})
    return statuses, tallies, status_tallies


def assert_counts_hold(cat: store.Catalogue) -> None:
    statuses, tallies, status_tallies = recount(cat)
    with cat.session() as session:
        assert {
            (s.ruleset_id, s.deal_id): (
                *(s.dealer, s.seed, s.status, s.solvers, s.wins, s.proofs),
                *(s.nodes, s.solution_length, s.dead_end),
            )
            for s in session.scalars(select(StatusRow))
        } == statuses
        stored = {
            (t.ruleset_id, t.solver_id, t.dealer, t.block): t
            for t in session.scalars(select(TallyRow))
        }
        assert stored.keys() == tallies.keys()
        for key, counts in tallies.items():
            for name in ("attempted", "won", "lost", "unwinnable", "gave_up", "nodes"):
                assert getattr(stored[key], name) == counts[name], (key, name)
        blocks = {
            (t.ruleset_id, t.dealer, t.block): t for t in session.scalars(select(StatusTallyRow))
        }
        assert blocks.keys() == status_tallies.keys()
        for key, counts in status_tallies.items():
            for name in ("deals", "winnable", "unwinnable", "alarms"):
                assert getattr(blocks[key], name) == counts[name], (key, name)
    counts_of = ("statuses", "tallies", "status-tallies", "belongings")
    assert verify(cat, share=0.0, resolve_share=0.0, only=counts_of).faults == ()


def counted(cat: store.Catalogue, model: Any) -> int:
    with cat.session() as session:
        return int(session.scalar(select(func.count()).select_from(model)) or 0)


def test_a_chunk_is_written_once(catalogue: store.Catalogue, solved: Chunk) -> None:
    assert write(catalogue, solved) == Written(COUNT, 2 * COUNT)
    assert_counts_hold(catalogue)
    before = recount(catalogue)
    assert write(catalogue, solved) == Written(0, 0)
    assert recount(catalogue) == before
    assert_counts_hold(catalogue)


def test_rows_hold_what_the_solvers_said(catalogue: store.Catalogue, solved: Chunk) -> None:
    write(catalogue, solved)
    said = {
        (key.name, seed): outcome
        for key, outcomes in solved.outcomes
        for seed, outcome in zip(solved.seeds, outcomes, strict=True)
    }
    with catalogue.session() as session:
        rows = session.execute(
            select(OutcomeRow, SolverRow.name, DealRow)
            .join(SolverRow, SolverRow.id == OutcomeRow.solver_id)
            .join(DealRow, DealRow.id == OutcomeRow.deal_id)
        ).all()
        solutions = {(s.solver_id, s.deal_id): s for s in session.scalars(select(SolutionRow))}
    assert len(rows) == len(said)
    for row, name, deal in rows:
        outcome = said[name, deal.seed]
        assert outcome is not None
        assert (row.result, row.nodes) == (outcome.result, outcome.nodes)
        assert deal.cards == solved.cards[deal.seed - FIRST].tobytes()
        solution = solutions.get((row.solver_id, row.deal_id))
        assert (solution and solution.moves) == outcome.moves


def test_only_the_missing_part_is_added(catalogue: store.Catalogue, solved: Chunk) -> None:
    assert write(catalogue, part(solved, range(0, 30), [0])) == Written(30, 30)
    assert write(catalogue, part(solved, range(20, 50))) == Written(20, 50)
    assert_counts_hold(catalogue)
    assert write(catalogue, solved) == Written(0, 20)
    assert_counts_hold(catalogue)


def test_the_order_of_writing_does_not_matter(
    sqlite_catalogue: store.Catalogue, initialised_sqlite: Any, tmp_path: Any, solved: Chunk
) -> None:
    write(sqlite_catalogue, solved)
    (tmp_path / "other.db").write_bytes(initialised_sqlite.read_bytes())
    with store.open_catalogue(f"sqlite:///{tmp_path / 'other.db'}") as other:
        for solver in (1, 0):
            for place in random.Random(5).sample(range(COUNT), COUNT):
                write(other, part(solved, [place], [solver]))
        assert_counts_hold(other)
        # Whatever ids the deals got.
        assert set(recount(other)[0].values()) == set(recount(sqlite_catalogue)[0].values())


def test_a_deal_twice_in_one_chunk(catalogue: store.Catalogue, solved: Chunk) -> None:
    assert write(catalogue, part(solved, [0, 1, 0, 1, 2])) == Written(3, 6)
    assert_counts_hold(catalogue)


def test_several_chunks_in_one_transaction(catalogue: store.Catalogue, solved: Chunk) -> None:
    parts = [part(solved, range(at, min(at + 20, COUNT))) for at in range(0, COUNT, 15)]
    assert write(catalogue, *parts) == Written(COUNT, 2 * COUNT)
    assert_counts_hold(catalogue)


def test_a_new_version_counts_as_another_solver(catalogue: store.Catalogue, solved: Chunk) -> None:
    key, outcomes = solved.outcomes[1]
    newer = dataclasses.replace(key, version=key.version + 1)
    write(catalogue, solved)
    assert write(catalogue, dataclasses.replace(solved, outcomes=((newer, outcomes),))) == Written(
        0, COUNT
    )
    assert_counts_hold(catalogue)
    with catalogue.session() as session:
        assert set(session.scalars(select(StatusRow.solvers))) == {3}


def test_a_contradiction_is_kept_and_counted(catalogue: store.Catalogue, solved: Chunk) -> None:
    won = next(k for k, o in enumerate(solved.outcomes[1][1]) if o and o.result == Result.WON)
    write(catalogue, part(solved, [won], [1]))
    wrong = SolverKey("wrong", 1, "wrong", ())
    claim = Achieved(Result.UNWINNABLE, 1, 0.0)
    chunk = part(solved, [won])
    write(catalogue, dataclasses.replace(chunk, outcomes=((wrong, (claim,)),)))
    with catalogue.session() as session:
        assert session.scalars(select(StatusTallyRow.alarms)).all() == [1]
    with catalogue.session() as session:
        status = session.scalars(select(StatusRow)).one()
        assert (status.status, status.wins, status.proofs) == ("winnable", 1, 1)
    assert [fault.kind for fault in verify(catalogue, resolve_share=0).faults] == ["contradiction"]


def test_deals_brought_in_by_hand(catalogue: store.Catalogue, solved: Chunk) -> None:
    """Known by their cards, stored once, and part of no percentage."""
    by_hand = dataclasses.replace(part(solved, [0, 1, 2, 1]), dealer=None, seeds=())
    assert write(catalogue, by_hand) == Written(3, 6)
    assert write(catalogue, by_hand) == Written(0, 0)
    assert counted(catalogue, TallyRow) == counted(catalogue, StatusTallyRow) == 0
    # The same cards from a dealer are another deal, which counts.
    assert write(catalogue, part(solved, [0])) == Written(1, 2)
    assert_counts_hold(catalogue)
    assert counted(catalogue, DealRow) == 4


def test_other_cards_for_a_seed_are_refused(catalogue: store.Catalogue, solved: Chunk) -> None:
    write(catalogue, part(solved, [0]))
    swapped = dataclasses.replace(part(solved, [1, 2]), seeds=(FIRST, FIRST + 2))
    with pytest.raises(OtherCards, match=f"thoughtful-1:{FIRST} .* with other cards"):
        write(catalogue, swapped)
    twice = dataclasses.replace(part(solved, [3, 4]), seeds=(FIRST + 3, FIRST + 3))
    with pytest.raises(OtherCards):
        write(catalogue, twice)
    assert counted(catalogue, DealRow) == 1
    assert_counts_hold(catalogue)


def test_nothing_stays_of_a_transaction_that_fails(
    catalogue: store.Catalogue, solved: Chunk
) -> None:
    def fail_after_writing() -> None:
        with catalogue.begin() as session:
            write_chunk(session, solved)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_after_writing()
    assert {counted(catalogue, model) for model in (DealRow, OutcomeRow, StatusRow, TallyRow)} == {
        0
    }


def test_overlapping_writers_at_once(catalogue: store.Catalogue, solved: Chunk) -> None:
    """Four writers, each with connections of its own, write overlapping parts in other orders."""
    url = catalogue.engine.url.render_as_string(hide_password=False)
    added: list[Written] = []
    failed: list[BaseException] = []

    def work(number: int) -> None:
        chance = random.Random(number)
        try:
            with store.open_catalogue(url) as own:
                for _ in range(12):
                    places = chance.sample(range(COUNT), 20)
                    added.append(write(own, part(solved, places, chance.sample([0, 1], 2))))
                added.append(write(own, solved))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert sum(w.outcomes for w in added) == 2 * COUNT
    assert sum(w.deals for w in added) == COUNT
    assert_counts_hold(catalogue)


def test_a_win_must_replay(solved: Chunk) -> None:
    key, outcomes = solved.outcomes[1]
    place = next(k for k, o in enumerate(outcomes) if o and o.result == Result.WON)
    win = outcomes[place]
    assert win is not None
    assert win.moves is not None

    def claim(moves: bytes | None, at: int = place) -> Chunk:
        lie = dataclasses.replace(win, moves=moves)
        return dataclasses.replace(part(solved, [at]), outcomes=((key, (lie,)),))

    assert claim(win.moves).outcomes[0][1][0] == win
    name = rf"exact\(.*\) claims to win thoughtful-1:{FIRST + place} under klondike-draw3"
    with pytest.raises(UnprovedWin, match=f"{name}, but its {len(win.moves) - 1} moves do not end"):
        claim(win.moves[:-1])
    with pytest.raises(UnprovedWin, match=f"{name}, but its solution does not replay: move 1, "):
        claim(b"\x11" + win.moves)
    with pytest.raises(UnprovedWin, match="does not replay: byte 255"):
        claim(b"\xff")
    with pytest.raises(UnprovedWin, match="gives no moves"):
        claim(None)
    with pytest.raises(UnprovedWin):
        claim(win.moves, (place + 1) % COUNT)


def test_chunks_travel_between_processes(solved: Chunk) -> None:
    arrived = pickle.loads(pickle.dumps(solved))
    assert arrived.outcomes == solved.outcomes
    assert arrived.seeds == solved.seeds
    assert np.array_equal(arrived.cards, solved.cards)


def test_malformed_chunks(catalogue: store.Catalogue, solved: Chunk) -> None:
    one = part(solved, [0])
    doubled = one.cards.copy()
    doubled[0, 0] = doubled[0, 1]
    with pytest.raises(BadInput, match="more than once"):
        dataclasses.replace(one, cards=doubled)
    with pytest.raises(BadInput, match="uint8"):
        dataclasses.replace(one, cards=one.cards[:, :51])
    with pytest.raises(BadInput, match="cannot have 0 seeds"):
        dataclasses.replace(one, seeds=())
    with pytest.raises(BadInput, match="2 outcomes for 1 deals"):
        dataclasses.replace(one, outcomes=((one.outcomes[0][0], (None, None)),))
    with pytest.raises(BadInput, match="cannot be stored"):
        write(catalogue, dataclasses.replace(one, seeds=(2**63,)))
