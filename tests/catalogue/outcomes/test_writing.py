"""Tests of writing outcomes: missing ones are added once, and counts equal a recount."""

import dataclasses
import pickle
import random
import threading
from collections import Counter, defaultdict
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from sqlalchemy import func, select

from catalogue import store
from catalogue.blocks import (
    ALARM,
    EVERYTHING,
    RESULTS,
    STATUSES,
    VERDICTS,
    Cells,
    Outcomes,
)
from catalogue.outcomes.block_rows import outcomes_of_rows
from catalogue.outcomes.chunk import Chunk, SolverKey, UnprovedWin
from catalogue.outcomes.compaction import blocks_with_rows
from catalogue.outcomes.compression import decompress
from catalogue.outcomes.packed import pack
from catalogue.outcomes.writing import OtherCards, OtherOutcome, Written, write_chunk, write_chunks
from catalogue.reading.block_reader import read_statuses
from catalogue.schema import (
    BLOCK_SIZE,
    BatchRow,
    BlockRow,
    DeadEndRow,
    DealingRow,
    DealRow,
    OutcomeRow,
    SolutionRow,
    SolverRow,
    StatusBlockRow,
    same_outcome,
)

# from catalogue.verify.running import verify
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.rulesets import parse_ruleset
from solvers.outcome import Outcome as Achieved
from solvers.outcome import Result
from solvers.solver import parse_solver

RULES = parse_ruleset("klondike-draw3")
DEALER = get_dealer("thoughtful-1")
# Across the border of two blocks, so that every count is kept in two rows.
FIRST, COUNT = BLOCK_SIZE - 25, 50


@pytest.fixture(scope="module")
def solved() -> Chunk:
    """50 deals as the real solvers leave them: won, proved dead, proved unwinnable, given up.

    Each is given a time of its own under a second: on a slow machine one may take longer,
    and would be kept beside a block of verdicts for that.
    """
    cards = DEALER.deal_block(FIRST, COUNT)
    solvers = [parse_solver(name) for name in ("dead-end", "exact(nodes=2000)")]
    columns = [
        (
            SolverKey.of(solver),
            tuple(
                dataclasses.replace(outcome, cpu_ms=1.0 + place)
                for place, outcome in enumerate(solver.solve(cards, RULES))
            ),
        )
        for solver in solvers
    ]
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


def write(cat: store.Catalogue, *chunks: Chunk, keep: str = EVERYTHING) -> Written:
    with cat.begin() as session:
        return write_chunks(session, chunks, keep)


def recount(cat: store.Catalogue) -> tuple[Any, Any, Any]:
    """Statuses, and counts of outcomes and statuses by block, from the rows in plain Python."""
    tallies: dict[Any, Counter[str]] = defaultdict(Counter)
    of_deal: dict[Any, dict[str, Any]] = {}
    with cat.session() as session:
        rows = session.execute(
            select(
                OutcomeRow,
                DealingRow.dealer,
                DealRow.seed,
                SolverRow.method,
                SolutionRow.length,
                DeadEndRow.kind,
            )
            .join(DealRow, DealRow.id == OutcomeRow.deal_id)
            .join(DealingRow, DealingRow.id == DealRow.dealing_id)
            .join(SolverRow, SolverRow.id == OutcomeRow.solver_id)
            .outerjoin(SolutionRow, same_outcome(SolutionRow))
            .outerjoin(DeadEndRow, same_outcome(DeadEndRow))
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
        block = (outcome.ruleset_id, outcome.solver_id, dealer, seed // BLOCK_SIZE)
        tallies[block].update({"attempted": 1, outcome.result: 1, "nodes": outcome.nodes})
        tallies[block]["cpu_us"] += outcome.cpu_us or 0
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
        block = status_tallies[key[0], dealer, seed // BLOCK_SIZE]
        block.update({"deals": 1, status: 1, "alarms": int(wins > 0 and proofs > 0)})
    return statuses, tallies, status_tallies


def statuses_of_blocks(cat: store.Catalogue) -> set[tuple[Any, ...]]:
    """The statuses that the columns of blocks say, deal by deal."""
    found = set()
    with cat.session() as session:
        dealers = {
            row[0]: row[1] for row in session.execute(select(DealingRow.id, DealingRow.dealer))
        }
        rows = session.scalars(select(StatusBlockRow)).all()
        for row in rows:
            read = read_statuses(session, row.ruleset_id, row.dealing_id, row.block)
            assert Cells.of(read).encode() == row.cells
            assert read.counts() == (row.deals, row.winnable, row.unwinnable, row.alarms)
            for place in np.flatnonzero(read.status).tolist():
                code = int(read.status[place])
                found.add(
                    (
                        row.ruleset_id,
                        dealers[row.dealing_id],
                        row.block * BLOCK_SIZE + read.first + place,
                        "winnable" if code == ALARM else STATUSES[code - 1],
                        int(read.solvers[place]),
                        int(read.wins[place]),
                        int(read.proofs[place]),
                        int(read.nodes[place]) if read.nodes[place] >= 0 else None,
                        int(read.length[place]) or None,
                        read.kinds[read.dead_end[place] - 1] if read.dead_end[place] else None,
                    )
                )
    return found


def assert_counts_hold(cat: store.Catalogue) -> None:
    statuses, tallies, status_tallies = recount(cat)
    assert statuses_of_blocks(cat) == {(key[0], *known) for key, known in statuses.items()}
    with cat.session() as session:
        dealers = {
            row[0]: row[1] for row in session.execute(select(DealingRow.id, DealingRow.dealer))
        }
        stored = {
            (t.ruleset_id, t.solver_id, dealers[t.dealing_id], t.block): t
            for t in session.scalars(select(BlockRow))
        }
        assert stored.keys() == tallies.keys()
        for key, counts in tallies.items():
            for name in ("attempted", "won", "lost", "unwinnable", "gave_up", "nodes", "cpu_us"):
                assert getattr(stored[key], name) == counts[name], (key, name)
        blocks = {
            (t.ruleset_id, dealers[t.dealing_id], t.block): t
            for t in session.scalars(select(StatusBlockRow))
        }
        assert blocks.keys() == status_tallies.keys()
        for key, counts in status_tallies.items():
            for name in ("deals", "winnable", "unwinnable", "alarms"):
                assert getattr(blocks[key], name) == counts[name], (key, name)
    # counts_of = ("statuses", "tallies", "status-tallies", "belongings")
    # assert verify(cat, share=0.0, resolve_share=0.0, only=counts_of).faults == ()


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
        assert deal.cards is None
        assert deal.digest == sha256(solved.cards[deal.seed - FIRST].tobytes()).digest()[:16]
        assert row.cpu_us == round(1000 * outcome.cpu_ms)
        solution = solutions.get((row.solver_id, row.deal_id))
        assert (solution and decompress("klondike", solution.moves)) == outcome.moves


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
    assert {known[4] for known in statuses_of_blocks(catalogue)} == {3}


def test_a_contradiction_is_kept_and_counted(catalogue: store.Catalogue, solved: Chunk) -> None:
    won = next(k for k, o in enumerate(solved.outcomes[1][1]) if o and o.result == Result.WON)
    write(catalogue, part(solved, [won], [1]))
    wrong = SolverKey("wrong", 1, "wrong", ())
    claim = Achieved(Result.UNWINNABLE, 1, 0.0)
    chunk = part(solved, [won])
    write(catalogue, dataclasses.replace(chunk, outcomes=((wrong, (claim,)),)))
    with catalogue.session() as session:
        assert session.scalars(select(StatusBlockRow.alarms)).all() == [1]
    (status,) = statuses_of_blocks(catalogue)
    assert status[3:7] == ("winnable", 2, 1, 1)


def test_deals_brought_in_by_hand(catalogue: store.Catalogue, solved: Chunk) -> None:
    """Known by their cards, stored once, numbered, and a dealing of their own."""
    by_hand = dataclasses.replace(part(solved, [0, 1, 2, 1]), dealer=None, seeds=())
    assert write(catalogue, by_hand) == Written(3, 6)
    assert write(catalogue, by_hand) == Written(0, 0)
    # The same cards from a dealer are another deal.
    assert write(catalogue, part(solved, [0])) == Written(1, 2)
    assert_counts_hold(catalogue)
    more = dataclasses.replace(part(solved, [4, 1, 3]), dealer=None, seeds=())
    assert write(catalogue, more, by_hand) == Written(2, 4)
    assert_counts_hold(catalogue)
    with catalogue.session() as session:
        numbered = session.execute(
            select(DealRow.seed, DealRow.cards).where(DealRow.cards.is_not(None))
        ).all()
        blocks = session.execute(
            select(DealingRow.dealer, BlockRow.attempted).join(
                BlockRow, BlockRow.dealing_id == DealingRow.id
            )
        ).all()
    places = {seed: solved.cards.tolist().index(list(cards)) for seed, cards in numbered}
    assert places == dict(enumerate([0, 1, 2, 4, 3]))
    # Nobody else may have what the rows of these have, so they are never compacted.
    assert len(blocks_with_rows(catalogue, lacking=False)) == 2
    assert sorted(map(tuple, blocks)) == [
        *[("imported", 5)] * 2,
        *[(DEALER.slug, 1)] * 2,
    ]


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
    assert {
        counted(catalogue, model) for model in (DealRow, OutcomeRow, StatusBlockRow, BlockRow)
    } == {0}


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


# --- verdicts, without rows ----------------------------------------------------------------------


def block_columns(cat: store.Catalogue) -> dict[tuple[int, int], Outcomes]:
    """The columns of each block, by its number and solver."""
    with cat.session() as session:
        return {
            (row.block, row.solver_id): Outcomes.decode(row.columns)
            for row in session.scalars(select(BlockRow))
        }


def assert_said(cat: store.Catalogue, solved: Chunk) -> None:
    """Every outcome of the chunk stands in its block."""
    columns = block_columns(cat)
    with cat.session() as session:
        ids = {row[0]: row[1] for row in session.execute(select(SolverRow.name, SolverRow.id))}
    for key, outcomes in solved.outcomes:
        for seed, outcome in zip(solved.seeds, outcomes, strict=True):
            assert outcome is not None
            mine = columns[seed // BLOCK_SIZE, ids[key.name]]
            place = seed % BLOCK_SIZE - mine.first
            length = len(outcome.moves or b"")
            assert RESULTS[mine.result[place] - 1] == outcome.result
            assert (mine.nodes[place], mine.length[place]) == (outcome.nodes, length)
            assert mine.cpu_us[place] == round(1000 * (outcome.cpu_ms or 0))


def test_verdicts_have_no_rows_but_those_undecided(
    catalogue: store.Catalogue, solved: Chunk
) -> None:
    _, outcomes = solved.outcomes[1]
    undecided = sum(o is not None and o.result == Result.GAVE_UP for o in outcomes)
    assert undecided
    assert write(catalogue, solved, keep=VERDICTS) == Written(undecided, 2 * COUNT)
    assert counted(catalogue, OutcomeRow) == counted(catalogue, DealRow) == undecided
    assert_said(catalogue, solved)
    assert {known[3] for known in statuses_of_blocks(catalogue)} >= {"winnable", "unwinnable"}
    before = block_columns(catalogue)
    assert write(catalogue, solved, keep=VERDICTS) == Written(0, 0)
    assert repr(block_columns(catalogue)) == repr(before)


def test_a_slow_deal_of_verdicts_keeps_its_row(catalogue: store.Catalogue, solved: Chunk) -> None:
    key, outcomes = solved.outcomes[1]
    won = next(k for k, o in enumerate(outcomes) if o and o.result == Result.WON)
    outcome = outcomes[won]
    assert outcome is not None
    slow = dataclasses.replace(outcome, cpu_ms=1000.002)
    chunk = dataclasses.replace(part(solved, [won]), outcomes=((key, (slow,)),))
    assert write(catalogue, chunk, keep=VERDICTS) == Written(1, 1)
    with catalogue.session() as session:
        assert session.scalars(select(OutcomeRow.cpu_us)).all() == [1_000_002]
        moves = session.scalars(select(SolutionRow.moves)).one()
    assert decompress("klondike", moves) == outcome.moves


def test_verdicts_become_everything_row_by_row(catalogue: store.Catalogue, solved: Chunk) -> None:
    write(catalogue, solved, keep=VERDICTS)
    assert write(catalogue, part(solved, range(0, 20))).outcomes == 0
    assert all(not mine.rowed.all() for mine in block_columns(catalogue).values())
    write(catalogue, solved)
    assert counted(catalogue, OutcomeRow) == 2 * COUNT
    assert_said(catalogue, solved)
    assert_counts_hold(catalogue)


def test_verdicts_beside_everything(catalogue: store.Catalogue, solved: Chunk) -> None:
    write(catalogue, part(solved, range(0, 20)))
    write(catalogue, solved, keep=VERDICTS)
    assert_said(catalogue, solved)
    assert counted(catalogue, OutcomeRow) >= 40


def test_another_outcome_than_the_verdict_is_refused(
    catalogue: store.Catalogue, solved: Chunk
) -> None:
    key, outcomes = solved.outcomes[1]
    won = next(k for k, o in enumerate(outcomes) if o and o.result == Result.WON)
    outcome = outcomes[won]
    assert outcome is not None
    chunk = part(solved, [won], [1])
    write(catalogue, chunk, keep=VERDICTS)
    lie = dataclasses.replace(outcome, nodes=2 * outcome.nodes + 100)
    with pytest.raises(OtherOutcome, match=f"thoughtful-1:{FIRST + won} won with .* nodes"):
        write(catalogue, dataclasses.replace(chunk, outcomes=((key, (lie,)),)))
    assert counted(catalogue, OutcomeRow) == 0


def test_columns_equal_those_of_the_rows(catalogue: store.Catalogue, solved: Chunk) -> None:
    for places in (range(30, 50), range(0, 10), range(20, 45)):
        write(catalogue, part(solved, places))
    with catalogue.session() as session:
        for row in session.scalars(select(BlockRow)):
            key = (row.ruleset_id, row.dealing_id, row.block, row.solver_id)
            assert outcomes_of_rows(session, *key).encode() == row.columns


def test_provenance_is_stored_once_for_a_batch(catalogue: store.Catalogue, solved: Chunk) -> None:
    write(catalogue, part(solved, range(0, 30)))
    write(catalogue, solved)
    with catalogue.session() as session:
        rows = session.scalars(select(BatchRow).order_by(BatchRow.id)).all()
        assert [row.rows for row in rows] == [60, 40]
        assert len({row.provenance_id for row in rows}) == 1
    assert pack(solved).provenance.numba


def test_seeds_far_apart(catalogue: store.Catalogue, solved: Chunk) -> None:
    seeds = tuple(range(0, 20 * BLOCK_SIZE, BLOCK_SIZE))
    far = dataclasses.replace(part(solved, range(20)), seeds=seeds)
    assert write(catalogue, far) == Written(20, 40)
    assert counted(catalogue, BlockRow) == 40
    assert_counts_hold(catalogue)
