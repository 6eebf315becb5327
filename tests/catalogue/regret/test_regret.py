"""Tests of regrets in the catalogue: exactly the missing ones are found and counted."""

import dataclasses
import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import func, select, update

from catalogue import store
from catalogue.jobs import queue as jobs
from catalogue.jobs.runner import run
from catalogue.jobs.task import Progress
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.compression import decompress
from catalogue.outcomes.seals import add_up, seal_of_batch, seal_of_regret
from catalogue.outcomes.writing import write_chunk
from catalogue.reading.deal_detail import deal_detail
from catalogue.regret import task as regrets_jobs
from catalogue.regret.games import PlayedGames, games_of
from catalogue.regret.reading import read
from catalogue.regret.task import submit
from catalogue.schema import BatchRow, DealRow, RegretRow, SolverRow
from catalogue.statistics import clopper_pearson
from catalogue.tables.export import export
from command_line import Thoughtful, command_runner
from engine.dealing.dealers import Sample, get_dealer
from engine.errors import BadInput
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import pack_solution, parse_solution, unpack_solution
from engine.klondike.referee import KlondikePosition
from engine.rulesets import parse_ruleset
from engine.spider.moves import SpiderKind
from engine.spider.moves import unpack_solution as unpack_spider
from here import find_regrets, regrets_task
from samples import sizes
from solvers.outcome import Outcome as Achieved
from solvers.outcome import Result
from solvers.regret import find_regret
from solvers.solver import parse_solver

RULES = parse_ruleset("klondike-draw3")
COUNT = 120
GIVEN_UP = range(5, 25)  # here the exact solver gave up
SAMPLE = Sample("thoughtful-1", 0, COUNT)
EXACT, GREEDY = parse_solver("exact"), parse_solver("greedy")

Row = tuple[str, int | None, str | None, int, bytes, int]


@pytest.fixture(scope="module")
def solved() -> Chunk:
    cards = get_dealer("thoughtful-1").deal_block(0, COUNT)
    exact = EXACT.solve(cards, RULES)
    for seed in GIVEN_UP:
        exact[seed] = Achieved(Result.GAVE_UP, 1, 0.1)
    greedy = GREEDY.solve(cards, RULES)
    return Chunk(
        RULES,
        "thoughtful-1",
        tuple(range(COUNT)),
        cards,
        ((SolverKey.of(EXACT), tuple(exact)), (SolverKey.of(GREEDY), tuple(greedy))),
    )


@pytest.fixture(scope="module")
def expected(solved: Chunk) -> dict[int, Row]:
    """The expected regrets by seed, computed directly by the solvers."""
    (_, exact), (_, greedy) = solved.outcomes
    found: dict[int, Row] = {}
    for seed, (decided, played) in enumerate(zip(exact, greedy, strict=True)):
        assert decided is not None
        assert played is not None
        if decided.result == Result.WON and played.played is not None:
            start = KlondikePosition.start(KlondikeDeal.of(solved.cards[seed]), RULES)
            moves = unpack_solution(played.played)
            one = find_regret(start, moves, EXACT)
            found[seed] = (
                one.kind.value,
                one.step,
                one.action,
                len(moves),
                played.played,
                EXACT.method.version,
            )
    return found


@pytest.fixture
def filled(catalogue: store.Catalogue, solved: Chunk) -> store.Catalogue:
    with catalogue.begin() as session:
        write_chunk(session, solved)
    return catalogue


@pytest.fixture
def games() -> PlayedGames:
    return games_of("klondike-draw3", SAMPLE, "greedy")


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regrets_jobs, "_SHARD", 10)


def stored(cat: store.Catalogue, game: str = "klondike") -> dict[int, Row]:
    with cat.session() as session:
        rows = session.execute(
            select(
                DealRow.seed,
                RegretRow.kind,
                RegretRow.step,
                RegretRow.action,
                RegretRow.length,
                RegretRow.moves,
                RegretRow.reference_version,
            ).join(DealRow, DealRow.id == RegretRow.deal_id)
        ).all()
    assert len({row[0] for row in rows}) == len(rows)
    return {
        seed: (kind, step, action, length, decompress(game, moves), version)
        for seed, kind, step, action, length, moves, version in rows
    }


def test_every_regret_is_found_once(
    filled: store.Catalogue, games: PlayedGames, expected: dict[int, Row]
) -> None:
    said: list[tuple[int, int]] = []
    done = find_regrets(filled, games, on_progress=said.append)
    assert done == len(expected) > 50
    assert stored(filled) == expected
    assert said[-1] == (done, done)
    assert {total for _, total in said} == {done}
    assert find_regrets(filled, games) == 0
    assert stored(filled) == expected


def test_the_summary_is_what_a_recount_gives(
    filled: store.Catalogue, games: PlayedGames, solved: Chunk, expected: dict[int, Row]
) -> None:
    (_, exact), (_, greedy) = solved.outcomes
    lost = [seed for seed, o in enumerate(greedy) if o is not None and o.result == Result.LOST]
    statuses = Counter(o.result.value for seed, o in enumerate(exact) if o and seed in lost)
    assert min(statuses["won"], statuses["unwinnable"], statuses["gave_up"]) > 5

    before = read(filled, games)
    assert (before.left, before.kinds.total()) == (statuses["won"], 0)
    assert before.shares is None
    find_regrets(filled, games)
    found = read(filled, games)
    assert (found.attempted, found.lost, found.left) == (COUNT, len(lost), 0)
    assert found.winnable == statuses["won"] == len(expected)
    assert found.unwinnable == statuses["unwinnable"]
    assert found.unresolved == statuses["gave_up"]
    assert found.kinds == Counter(row[0] for row in expected.values())
    assert found.actions == Counter(row[2] for row in expected.values() if row[2])
    moved = [row for row in expected.values() if row[0] == "move"]
    parts = sorted((row[1] or 0) / row[3] + 1 / row[3] for row in moved)
    assert found.shares is not None
    assert found.shares[1] == pytest.approx(np.median(parts))
    # Unresolved deals widen the interval on one side only.
    span = found.winnable_interval
    assert span is not None
    assert span.low == clopper_pearson(found.winnable, found.lost, 0.99).low
    most = found.winnable + found.unresolved
    assert span.high == clopper_pearson(most, found.lost, 0.99).high


def test_a_part_of_the_sample_and_what_is_not_there(
    filled: store.Catalogue, expected: dict[int, Row]
) -> None:
    part = games_of("klondike-draw3", Sample("thoughtful-1", 30, 40), "greedy")
    assert find_regrets(filled, part) == sum(30 <= seed < 70 for seed in expected)
    assert read(filled, part).attempted == 40
    beyond = games_of("klondike-draw3", Sample("thoughtful-1", COUNT, 5000), "greedy")
    others = games_of("klondike-draw3", SAMPLE, "random")
    for nothing in (beyond, others):
        assert find_regrets(filled, nothing) == 0
        found = read(filled, nothing)
        assert (found.attempted, found.lost, found.left) == (0, 0, 0)
        assert (found.winnable_interval, found.shares) == (None, None)


def test_the_deal_shows_the_lost_game(
    filled: store.Catalogue, games: PlayedGames, expected: dict[int, Row]
) -> None:
    find_regrets(filled, games)
    seed, (kind, step, _, length, moves, version) = next(iter(expected.items()))
    by = {o.solver: o.lost for o in deal_detail(filled, f"thoughtful-1:{seed}").outcomes}
    game = by["greedy"]
    assert game is not None
    assert (game.kind.value, game.step, game.length) == (kind, step, length)
    assert (game.reference, game.reference_version) == ("exact", version)
    assert game.moves == moves
    assert by[str(EXACT)] is None
    without = next(seed for seed in range(COUNT) if seed not in expected)
    outcomes = deal_detail(filled, f"thoughtful-1:{without}").outcomes
    assert [outcome.lost for outcome in outcomes] == [None, None]


def test_regrets_are_exported(
    filled: store.Catalogue, games: PlayedGames, expected: dict[int, Row], tmp_path: Path
) -> None:
    find_regrets(filled, games)
    export(filled, tmp_path / "out", format="jsonl")
    rows = [json.loads(line) for line in (tmp_path / "out/regrets.jsonl").read_text().splitlines()]
    names = ("kind", "step", "action", "length")
    assert {
        row["deal"]: (
            *(row[name] for name in names),
            pack_solution(parse_solution(row["moves"])),
            row["reference_version"],
        )
        for row in rows
    } == {f"thoughtful-1:{seed}": row for seed, row in expected.items()}
    assert {(row["solver"], row["ruleset"]) for row in rows} == {("greedy", "klondike-draw3")}


class Stopped(Exception):
    pass


@pytest.mark.usefixtures("small_shards")
def test_stopped_half_way_it_goes_on_with_what_is_missing(
    filled: store.Catalogue, games: PlayedGames, expected: dict[int, Row]
) -> None:
    def stop(progress: Progress) -> None:
        if progress.done >= 20:
            raise Stopped

    with pytest.raises(Stopped):
        find_regrets(filled, games, stop)
    half = stored(filled)
    assert 20 <= len(half) < len(expected)
    assert half.items() <= expected.items()
    assert find_regrets(filled, games) == len(expected) - len(half)
    assert stored(filled) == expected


def test_two_at_once_write_each_row_once(
    filled: store.Catalogue, games: PlayedGames, expected: dict[int, Row]
) -> None:
    """Two runners have found the same regrets before either writes."""
    task = regrets_task(filled, games)
    assert task is not None
    found = []
    for seeds in (range(COUNT), range(30, COUNT)):
        with filled.session() as session:
            work = task.work(session, seeds)
        assert work is not None
        found.append(work.function(*work.arguments))
    for each in found:
        with filled.begin() as session:
            task.store(session, [each])
    assert stored(filled) == expected
    assert find_regrets(filled, games) == 0


@pytest.mark.thorough
@pytest.mark.usefixtures("small_shards")
def test_processes_come_to_the_same(
    sqlite_catalogue: store.Catalogue, solved: Chunk, games: PlayedGames, expected: dict[int, Row]
) -> None:
    with sqlite_catalogue.begin() as session:
        write_chunk(session, solved)
    for number in submit(sqlite_catalogue, games):
        assert run(sqlite_catalogue, workers=2, only=[number]) == 1
    assert stored(sqlite_catalogue) == expected


def test_a_deal_that_is_solved_later_is_looked_at_then(
    filled: store.Catalogue, games: PlayedGames, expected: dict[int, Row], solved: Chunk
) -> None:
    find_regrets(filled, games)
    seeds = np.array(GIVEN_UP)
    again = parse_solver("exact(nodes=999999999)")
    outcomes = tuple(again.solve(solved.cards[seeds], RULES))
    more = Chunk(
        RULES,
        "thoughtful-1",
        tuple(int(seed) for seed in seeds),
        solved.cards[seeds],
        ((SolverKey.of(again), outcomes),),
    )
    with filled.begin() as session:
        write_chunk(session, more)
    left = read(filled, games).left
    assert 0 < left <= sum(outcome.result == Result.WON for outcome in outcomes)
    assert find_regrets(filled, games) == left
    found = read(filled, games)
    assert (found.left, found.unresolved) == (0, 0)
    assert expected.items() < stored(filled).items()


def test_outcomes_of_another_version_are_not_those_of_this_player(
    filled: store.Catalogue, games: PlayedGames
) -> None:
    with filled.begin() as session:
        session.execute(update(SolverRow).where(SolverRow.method == "greedy").values(version=99))
    assert find_regrets(filled, games) == 0
    assert read(filled, games).attempted == 0


def test_a_game_that_goes_otherwise_is_said_and_nothing_of_it_kept(
    catalogue: store.Catalogue, games: PlayedGames, solved: Chunk
) -> None:
    exact, (greedy, played) = solved.outcomes
    lost = tuple(
        Achieved(Result.LOST, each.nodes, each.cpu_ms)
        if each is not None and each.result == Result.WON
        else each
        for each in played
    )
    assert lost != played
    with catalogue.begin() as session:
        write_chunk(session, dataclasses.replace(solved, outcomes=(exact, (greedy, lost))))
    with pytest.raises(BadInput, match=r"greedy should lose the deal .* again, but it won it"):
        find_regrets(catalogue, games)
    with catalogue.session() as session:
        assert session.scalar(select(func.count()).select_from(RegretRow)) == 0


def test_the_batch_of_regrets_is_sealed(filled: store.Catalogue, games: PlayedGames) -> None:
    find_regrets(filled, games)
    names = [column.name for column in RegretRow.__table__.columns]
    with filled.session() as session:
        batches = session.scalars(
            select(BatchRow).where(BatchRow.id.in_(select(RegretRow.batch_id)))
        ).all()
        for batch in batches:
            rows = session.scalars(select(RegretRow).where(RegretRow.batch_id == batch.id)).all()
            assert len(rows) == batch.rows
            shares = [seal_of_regret({name: getattr(row, name) for name in names}) for row in rows]
            own = seal_of_batch(batch.provenance_id, batch.created_at, batch.rows)
            assert batch.seal == add_up([*shares, own])
    assert len(batches) > 1


@pytest.mark.parametrize(
    ("ruleset", "sample", "player", "said"),
    [
        ("bridge", SAMPLE, "greedy", "unknown ruleset 'bridge'"),
        ("klondike-draw3", SAMPLE, "magic", "unknown solver 'magic'"),
        ("klondike-draw3", SAMPLE, "exact", "exact is not a player, .* hop, .* uct"),
        ("klondike-vegas", SAMPLE, "greedy", "greedy does not play klondike-vegas"),
        ("klondike-draw3", Sample("pysolfc", 2**63, 1), "greedy", "cannot be stored"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    ruleset: str, sample: Sample, player: str, said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        games_of(ruleset, sample, player)


# --- the command ---------------------------------------------------------------------------------


@pytest.fixture
def thoughtful(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    initialised_sqlite: Path,
) -> Thoughtful:
    """Run a command in this process with a fresh catalogue."""
    place = tmp_path / "catalogue.db"
    shutil.copy(initialised_sqlite, place)
    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", f"sqlite:///{place}")

    return command_runner(capfd)


@pytest.mark.usefixtures("jobs_here")
def test_the_command_plays_finds_and_then_only_reads(
    thoughtful: Callable[..., tuple[int, str, str]],
) -> None:
    command = ("regret", "thoughtful-1:0-59", "--player", "greedy", "--workers", "1")
    code, out, err = thoughtful(*command, "--json")
    assert code == 0
    line: dict[str, Any] = json.loads(out)
    assert "regrets of greedy" in err
    with store.open_catalogue() as cat:
        found = read(cat, games_of("klondike-draw3", Sample("thoughtful-1", 0, 60), "greedy"))
        rows = stored(cat)
        assert [(job.kind, job.solvers, job.state) for job in jobs.list_jobs(cat)] == [
            ("outcomes", (str(EXACT), "greedy"), "done"),
            ("regrets", ("greedy",), "done"),
        ]
    assert (line["games"], line["lost"]) == (60, found.lost)
    assert line["lost_winnable"] == found.winnable == len(rows)
    assert line["lost_winnable"] + line["lost_unwinnable"] + line["lost_unresolved"] == found.lost
    assert sum(line["regrets"].values()) == len(rows)
    assert sum(line["losing_moves"].values()) == line["regrets"]["move"]
    assert line["left"] == 0
    assert found.shares is not None
    assert list(line["share_of_game"].values()) == list(found.shares)

    code, out, err = thoughtful(*command)
    assert (code, err) == (0, "")
    tables = [
        [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
        for block in out.split("\n\n")
        if block.startswith("|")
    ]
    counts = {cells[0]: cells[1] for cells in tables[0]}
    assert counts["lost on a deal that is winnable"] == str(found.winnable)
    assert counts["winnable, lost by one move"] == str(line["regrets"]["move"])
    assert sum(int(cells[1]) for cells in tables[1][2:]) == line["regrets"]["move"]
    assert f"lost by one move: {100 * found.shares[1]:.0f} % of the game" in out


@pytest.mark.slow
@pytest.mark.usefixtures("jobs_here")
@pytest.mark.parametrize("last", sizes(3, 11))
def test_stages_of_games_are_counted_and_most_could_still_be_won_at_the_first(
    thoughtful: Callable[..., tuple[int, str, str]], last: int
) -> None:
    """Spider, whose games are lost little by little: after each row by the referee."""
    player = "spider-player(width=2)"
    command = ("regret", f"thoughtful-1:0-{last}", "-r", "spider-4", "-p", player, "-w", "1")
    code, out, _ = thoughtful(*command, "--json")
    assert code == 0
    line: dict[str, Any] = json.loads(out)
    with store.open_catalogue() as cat:
        rows = stored(cat, "spider")
    counts: Counter[tuple[int, str]] = Counter()
    for _kind, step, _action, length, moves, _version in rows.values():
        begun = 0
        assert step is not None
        for number, move in enumerate(unpack_spider(moves), start=1):
            if move.kind is SpiderKind.DEAL:
                begun += 1
                counts[begun, "games"] += 1
                counts[begun, "winnable"] += number <= step
        assert length >= step
    assert [(each["games"], each["winnable"]) for each in line["stages"]] == [
        (counts[number, "games"], counts[number, "winnable"])
        for number in range(1, len(line["stages"]) + 1)
    ]
    shares = [each["winnable"] / each["games"] for each in line["stages"]]
    assert len(shares) == 5
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.5 > shares[-1]
    assert line["lost_winnable"] == len(rows) > last // 2
    code, out, _ = thoughtful(*command)
    assert code == 0
    assert "| row dealt, 5 |" in out


@pytest.mark.thorough
def test_a_player_that_never_loses_has_no_table_of_moves(
    thoughtful: Callable[..., tuple[int, str, str]],
    solved: Chunk,
) -> None:
    greedy = solved.outcomes[1][1]
    seed = next(s for s, o in enumerate(greedy) if o is not None and o.result == Result.WON)
    code, out, _ = thoughtful("regret", f"thoughtful-1:{seed}-{seed}", "--workers", "1")
    assert code == 0
    assert "could be won" not in out
    assert "Median position" not in out
