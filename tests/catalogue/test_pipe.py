"""Tests of the pipe: order, identity, streaming and malformed lines."""

import gzip
import itertools
import json
import multiprocessing
import os
import subprocess
import sys
import time
import types
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from catalogue import pipe, read_ahead
from catalogue.outcomes.chunk import UnprovedWin
from catalogue.pipe import (
    AHEAD,
    BATCH,
    one_by_one,
    result_line,
    solve_all,
    solve_chunks,
    solve_file,
)
from catalogue.processes import LostWorker, Workers
from engine.dealing.dealers import deal_by_id, get_dealer
from engine.errors import BadInput
from engine.games import default_game
from engine.kernels.compiler import COMPILED
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import parse_move
from engine.klondike.referee import proves_win
from engine.rulesets import parse_ruleset
from engine.text.deal_lines import InputDeal, write_deal_line
from samples import sizes, thorough_case
from solvers import registry
from solvers.method import Method
from solvers.outcome import Outcome, Result
from solvers.solver import parse_solver

DRAW3 = parse_ruleset("klondike-draw3")
QUICK = parse_solver("exact(nodes=20000)")
KNOWN = Path(__file__).parent.parent / "data" / "klondike-draw3.jsonl.gz"


def dealt(count: int, first: int = 0) -> Iterator[InputDeal]:
    dealer = get_dealer("thoughtful-1")
    for seed in range(first, first + count):
        yield InputDeal(f"{dealer.slug}:{seed}", dealer.deal(seed), dealer.slug, seed)


def write_lines(path: Path, lines: list[str]) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


def without_time(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in line.items() if key != "cpu_ms"} for line in lines]


@pytest.fixture(scope="module")
def known() -> list[str]:
    """Forty deals with verdicts, as the lines they were published in."""
    with gzip.open(KNOWN, "rt") as stream:
        return [line.rstrip("\n") for line in itertools.islice(stream, 40)]


@pytest.fixture(scope="module")
def solved(known: list[str], tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("pipe")
    solve_file(
        write_lines(folder / "in.jsonl", known), str(folder / "out.jsonl"), DRAW3, QUICK, workers=1
    )
    return read_lines(folder / "out.jsonl")


def test_results_are_right_and_in_order(known: list[str], solved: list[dict[str, Any]]) -> None:
    given_lines = [json.loads(line) for line in known]
    assert [line["id"] for line in solved] == [line["id"] for line in given_lines]
    verdicts = {"winnable": {"won", "gave_up"}, "unwinnable": {"unwinnable", "gave_up"}}
    for line, result in zip(given_lines, solved, strict=True):
        assert result["outcome"] in verdicts[line["verdict"]]
        assert isinstance(result["nodes"], int)
        assert result["cpu_ms"] >= 0
        assert ("moves" in result) == (result["outcome"] == "won")
        if "moves" in result:
            moves = [parse_move(text) for text in result["moves"]]
            assert proves_win(KlondikeDeal.from_json(line), DRAW3, moves)
    assert {"won", "unwinnable"} <= {line["outcome"] for line in solved}


def test_two_workers_give_what_one_gives(
    known: list[str], solved: list[dict[str, Any]], tmp_path: Path
) -> None:
    source = write_lines(tmp_path / "in.jsonl", known * 3)
    counts = solve_file(source, str(tmp_path / "out.jsonl"), DRAW3, QUICK, workers=2)
    assert without_time(read_lines(tmp_path / "out.jsonl")) == without_time(solved * 3)
    assert counts.total() == 3 * len(solved)


def test_a_seed_and_its_cards_are_the_same_deal(tmp_path: Path) -> None:
    lines = []
    for item in dealt(3, first=2):
        lines.append(json.dumps({"id": "seed", "dealer": item.dealer, "seed": item.seed}))
        lines.append(json.dumps({"id": "cards", **item.deal.to_json()}))
    source = write_lines(tmp_path / "in.jsonl", lines)
    solve_file(source, str(tmp_path / "out.jsonl"), DRAW3, QUICK)
    results = without_time(read_lines(tmp_path / "out.jsonl"))
    for by_seed, by_cards in zip(results[::2], results[1::2], strict=True):
        assert by_seed == {**by_cards, "id": "seed"}


@given(st.one_of(st.text(st.characters(codec=None)), st.integers()))
@example("\ud800")
@example("a\nb")
@example(-(10**40))
@settings(max_examples=50, deadline=None)
def test_ids_pass_through_as_they_are(name: str | int) -> None:
    line = json.dumps(result_line(name, Outcome(Result.LOST, 1, 0.5), default_game()))
    assert line.isascii()
    assert "\n" not in line
    assert json.loads(line)["id"] == name


GOOD = write_deal_line(next(dealt(1, first=2)))


def broken(change: str) -> str:
    """A good line with one thing wrong."""
    line = json.loads(GOOD)
    line.pop("dealer")
    line.pop("seed")
    match change:
        case "51 cards":
            line["stock"].pop()
        case "doubled card":
            line["stock"][0] = line["stock"][1]
        case "six columns":
            line["stock"] += line["tableau"].pop()
        case "a card that is none":
            line["stock"][0] = "1X"
    return json.dumps(line)


WRONG_LINES = [
    ("{", "not JSON"),
    ("[]", "not a JSON object"),
    ("{}", "tableau"),
    ('{"dealer": "nobody", "seed": 1}', "unknown dealer 'nobody'"),
    ('{"dealer": "pysolfc", "seed": 0}', "seed 0 is out of range"),
    ('{"dealer": "thoughtful-1", "seed": -1}', "seed -1 is out of range"),
    ('{"dealer": "thoughtful-1", "seed": 1.5}', "1.5"),
    ('{"dealer": "thoughtful-1"}', "seed"),
    ("[" * 100_000, "nested"),
    ('{"dealer": "thoughtful-1", "seed": ' + "9" * 5000 + "}", "JSON"),
    (broken("51 cards"), "51 cards of 52"),
    (broken("doubled card"), "more than once"),
    (broken("six columns"), "7 columns"),
    (broken("a card that is none"), "'1X' is not a card"),
]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(("line", "said"), WRONG_LINES[:3])
def test_a_wrong_line_is_named_before_anything_is_solved(
    line: str, said: str, workers: int, tmp_path: Path
) -> None:
    source = write_lines(tmp_path / "in.jsonl", [GOOD, "", line])
    target = tmp_path / "out.jsonl"
    target.write_text("kept")
    seen: list[object] = []
    with pytest.raises(BadInput) as caught:
        solve_file(source, str(target), DRAW3, QUICK, workers=workers, on_result=seen.append)
    assert said in str(caught.value)
    assert f"{source}, line 3" in str(caught.value)
    assert seen == []
    assert target.read_text() == "kept"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "out.jsonl"]


@pytest.mark.parametrize(("line", "said"), WRONG_LINES)
def test_what_is_wrong_with_a_line_is_said(line: str, said: str, tmp_path: Path) -> None:
    source = write_lines(tmp_path / "in.jsonl", [line])
    with pytest.raises(BadInput) as caught:
        solve_file(source, os.devnull, DRAW3, QUICK)
    assert said in str(caught.value)
    assert f"{source}, line 1" in str(caught.value)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(GOOD.encode() + b"\n\xff\xfe\n")
    with pytest.raises(BadInput, match="line 2"):
        solve_file(str(tmp_path / "in.jsonl"), os.devnull, DRAW3, QUICK)


def json_values() -> st.SearchStrategy[Any]:
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["id", "tableau", "stock", "dealer", "seed"]), inner, max_size=5
            )
        ),
        max_leaves=12,
    )


@st.composite
def damaged_lines(draw: st.DrawFn) -> bytes:
    """A good line with a few bytes changed, doubled or left out."""
    line = bytearray(GOOD.encode())
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(line) - 1))
        line[at : at + draw(st.integers(0, 3))] = draw(st.binary(max_size=3))
    return bytes(line)


@given(
    st.one_of(
        st.binary(max_size=60),
        st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")),
        json_values().map(lambda value: json.dumps(value).encode()),
        damaged_lines(),
    )
)
@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_garbage_is_a_sentence_or_a_deal(tmp_path: Path, garbage: bytes) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(garbage)
    target.unlink(missing_ok=True)
    said = None
    try:
        counts = solve_file(str(source), str(target), DRAW3, parse_solver("exact(nodes=1)"))
    except BadInput as error:
        said = str(error)
    if said is None:
        assert len(read_lines(target)) == counts.total()
    else:
        assert said.startswith(f"{source}, line ")
        assert not target.exists()


@pytest.mark.parametrize("bytes_in_memory", [1, 1 << 20])
def test_deals_read_ahead_are_those_that_were_read(
    bytes_in_memory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_ahead, "_IN_MEMORY", bytes_in_memory)
    count = 2 * read_ahead._BLOCK + 1
    own = [InputDeal(f"own {number}", deal.deal) for number, deal in enumerate(dealt(3))]
    made: list[InputDeal] = []

    def making() -> Iterator[InputDeal]:
        for item in [*dealt(count), *own]:
            made.append(item)
            yield item

    found = read_ahead.read_ahead(making())
    assert len(made) == count + 3
    assert list(found) == made
    assert list(read_ahead.read_ahead([])) == []


def test_reading_ahead_raises_at_once() -> None:
    def bad() -> Iterator[InputDeal]:
        yield from dealt(1)
        raise BadInput("line 2: nonsense")

    with pytest.raises(BadInput, match="line 2"):
        read_ahead.read_ahead(bad())


def test_places_that_cannot_be(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "in.jsonl", [GOOD])
    for wrong in (tmp_path / "missing.jsonl", tmp_path):
        with pytest.raises(BadInput, match="cannot read"):
            solve_file(str(wrong), os.devnull, DRAW3, QUICK)
    for wrong in (tmp_path / "no" / "out.jsonl", tmp_path):
        with pytest.raises(BadInput, match="cannot write"):
            solve_file(source, str(wrong), DRAW3, QUICK)


def test_results_do_not_replace_their_deals(tmp_path: Path) -> None:
    deals = write_lines(tmp_path / "deals.jsonl", [GOOD])
    (tmp_path / "link").symlink_to(deals)
    before = Path(deals).read_bytes()
    for target in (deals, str(tmp_path / "link")):
        with pytest.raises(BadInput, match=r"cannot write .*: it is the input file, name another"):
            solve_file(deals, target, DRAW3, QUICK)
    assert Path(deals).read_bytes() == before


def test_a_device_is_written_in_place(tmp_path: Path) -> None:
    solve_file(write_lines(tmp_path / "in.jsonl", [GOOD]), os.devnull, DRAW3, QUICK)
    assert Path(os.devnull).is_char_device()


def test_a_solver_that_does_not_play_the_rules(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "in.jsonl", [GOOD])
    target = tmp_path / "out.jsonl"
    with pytest.raises(BadInput, match="exact does not play spider-4"):
        solve_file(source, str(target), parse_ruleset("spider-4"), QUICK)
    assert not target.exists()


@pytest.mark.parametrize("workers", sizes("2", "1"))
@pytest.mark.parametrize("said", [["--input", "-"], ["-", "--json"]])
def test_an_answer_comes_while_the_pipe_stays_open(workers: str, said: list[str]) -> None:
    command = [sys.executable, "-m", "thoughtful", "solve", *said, "--workers", workers]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for item in dealt(3, first=2):
            print(write_deal_line(item), file=process.stdin, flush=True)
            assert json.loads(process.stdout.readline())["id"] == item.id
        process.stdin.close()
        assert process.stdout.read() == ""
        assert process.wait() == 0
        assert ("3 deals" in process.stderr.read()) == (said[0] == "--input")


@pytest.mark.parametrize("workers", sizes("1", "2"))
def test_whoever_has_read_enough_may_leave(workers: str) -> None:
    lines = "".join(f"{GOOD}\n" for _ in range(5000))
    command = f"{sys.executable} -m thoughtful solve --input - --workers {workers} | head -n 1"
    ended = subprocess.run(command, shell=True, input=lines, capture_output=True, text=True)
    assert json.loads(ended.stdout)["outcome"] == "won"
    assert ended.stderr == ""


def test_reading_does_not_run_away() -> None:
    taken = 0

    def endless() -> Iterator[InputDeal]:
        nonlocal taken
        item = next(dealt(1, first=2))
        while True:
            taken += 1
            yield item

    results = solve_all(endless(), DRAW3, QUICK, workers=2)
    for count, result in enumerate(itertools.islice(results, 3 * BATCH), start=1):
        assert result.outcome.result == Result.WON
        # Room is made for a whole batch before its first result is there.
        assert taken <= count + BATCH + 2 * AHEAD + 1
    results.close()


@pytest.mark.parametrize(
    ("count", "most", "expected"),
    [
        (0, BATCH, []),
        (1, BATCH, [1]),
        (2, BATCH, [1, 1]),
        (6, BATCH, [1, 1, 2, 2]),
        (70, BATCH, [1, 1, 2, 4, 8, 16, 32, 6]),
        (20, 5, [1, 1, 2, 4, 5, 5, 2]),
    ],
)
def test_deals_that_are_there_are_solved_some_at_a_time(
    count: int, most: int, expected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whatever they take is less than this.
    monkeypatch.setattr(pipe, "_BATCH_SECONDS", 1e6)
    monkeypatch.setattr(pipe, "BATCH", most)
    given_deals = list(dealt(count, first=2))
    batches = list(solve_chunks(iter(given_deals), DRAW3, QUICK, are_there=True))
    assert [item for batch, _ in batches for item in batch] == given_deals
    assert [len(batch) for batch, _ in batches] == expected
    found = [solved.outcome for each in batches for solved in one_by_one(*each)]
    alone = [solved.outcome for solved in solve_all(given_deals, DRAW3, QUICK)]
    assert [replace(each, cpu_ms=None) for each in found] == [
        replace(each, cpu_ms=None) for each in alone
    ]


def test_a_deal_that_is_waited_for_is_not_asked_for_before_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pipe, "_BATCH_SECONDS", 1e6)
    taken: list[InputDeal] = []

    def one_after_another() -> Iterator[InputDeal]:
        for item in dealt(5, first=2):
            taken.append(item)
            yield item

    for count, _ in enumerate(solve_all(one_after_another(), DRAW3, QUICK), start=1):
        assert len(taken) == count
    assert count == 5


@pytest.mark.parametrize(
    ("batch", "ahead", "are_there"),
    [(2, 4, False), (5, 5, True), thorough_case(3, 7, False), thorough_case(3, 7, True)],
)
def test_processes_get_all_deals_through_little_room(
    batch: int, ahead: int, are_there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipe, "BATCH", batch)
    monkeypatch.setattr(pipe, "AHEAD", ahead)
    given_deals = list(dealt(61, first=2))
    taken: list[InputDeal] = []

    def reading() -> Iterator[InputDeal]:
        for item in given_deals:
            taken.append(item)
            yield item

    found = []
    solved = solve_all(reading(), DRAW3, QUICK, workers=2, are_there=are_there)
    for count, each in enumerate(solved, start=1):
        found.append(each.given)
        assert len(taken) <= count + 2 * batch + 2 * ahead + 1
    assert found == given_deals


def test_pace_follows_the_time_that_deals_take() -> None:
    pace = pipe._Pace()
    pace.note(1, 1e9)  # loads the solver
    assert pace.batch == 1
    for _ in range(10):
        pace.note(pace.batch, 0.0)
    assert pace.batch == BATCH
    for _ in range(200):
        pace.note(1, 1e9)
    assert pace.batch == 1
    for _ in range(10_000):
        pace.note(128, 0.0)
    assert pace.batch == BATCH
    pace = pipe._Pace()
    for _ in range(100):
        pace.note(pace.batch, pace.batch * pipe._BATCH_SECONDS / 10.5)
    assert pace.batch == 10


@pytest.mark.parametrize("are_there", [False, True])
def test_an_error_comes_after_the_outcomes_before_it(
    are_there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipe, "_BATCH_SECONDS", 1e6)
    wrong = deal_by_id("thoughtful-1:22").as_array()

    def lie_once(deals: Any, rules: Any, values: Any) -> list[Outcome]:
        return [
            Outcome(Result.WON, 1, 0.0, moves=b"\x00")
            if (cards == wrong).all()
            else Outcome(Result.GAVE_UP, 1, 0.0)
            for cards in deals
        ]

    _register(monkeypatch, lie_once)
    solved = solve_all(dealt(40), DRAW3, parse_solver("liar"), are_there=are_there)
    assert [each.given.seed for each in itertools.islice(solved, 22)] == list(range(22))
    with pytest.raises(UnprovedWin, match="liar claims to win"):
        next(solved)


def test_slow_deals_are_solved_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    # Whatever one takes is more than this.
    monkeypatch.setattr(pipe, "_BATCH_SECONDS", 1e-12)
    batches = list(solve_chunks(dealt(9), DRAW3, QUICK, are_there=True))
    assert [len(batch) for batch, _ in batches] == [1] * 9


SLOW = InputDeal("slow", deal_by_id("thoughtful-1:517738"), "thoughtful-1", 517_738)
SLOW_SOLVER = parse_solver(f"exact(nodes={10_000_000 if COMPILED else 20_000})")


@pytest.fixture
def submitted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, Future[Any]]]:
    """For each batch that workers were given the number of its deals, and its future."""
    batches: list[tuple[int, Future[Any]]] = []

    class Counting(Workers[Any, Any]):
        def submit(self, item: Any) -> Future[Any]:
            future = super().submit(item)
            batches.append((len(item) // 52, future))
            return future

    monkeypatch.setattr(pipe, "Workers", Counting)
    return batches


def test_a_slow_deal_holds_no_worker_up(submitted: list[Any]) -> None:
    """While one process solves a deal of millions of positions, the other one goes on."""
    quick = dealt(20 * BATCH, first=2)
    results = solve_all(itertools.chain([SLOW], quick), DRAW3, SLOW_SOLVER, workers=2)
    assert next(iter(results)).given.id == "slow"
    # The slow deal's batch, and those that wait for a process, are four.
    assert len(submitted) > 8
    results.close()


@pytest.mark.parametrize("are_there", [False, True])
def test_outcomes_that_wait_hold_no_worker_up(
    are_there: bool, submitted: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the outcomes behind a slow deal are taken, new deals are given to the processes."""
    monkeypatch.setattr(pipe, "BATCH", 4)
    monkeypatch.setattr(pipe, "AHEAD", 64)
    taken = 0

    def reading() -> Iterator[InputDeal]:
        nonlocal taken
        for item in itertools.chain([SLOW], dealt(1000, first=2)):
            taken += 1
            yield item

    results = solve_all(reading(), DRAW3, SLOW_SOLVER, workers=2, are_there=are_there)
    assert next(iter(results)).given.id == "slow"
    # All others that there is room for are done by now, or nearly so.
    before, room = len(submitted), taken
    count = 0
    for count, _ in enumerate(itertools.islice(results, 60), start=1):
        while taken < room + count - 4:  # each batch that is taken makes room for another
            time.sleep(0.001)
    assert count == 60
    assert len(submitted) > before + 5
    results.close()


def test_outcomes_are_not_lost_when_a_process_is_killed(
    submitted: list[tuple[int, Future[Any]]],
) -> None:
    """Those of the deals before its own come before the error."""

    def deals() -> Iterator[InputDeal]:
        yield from dealt(500, first=2)
        yield SLOW
        while sum(size for size, _ in submitted) <= 500 or not all(
            future.done() for _, future in submitted[:-1]
        ):
            time.sleep(0.001)
        for process in multiprocessing.active_children():
            process.kill()
        yield from dealt(500, first=502)

    found = []

    def take_all() -> None:
        for each in solve_all(deals(), DRAW3, SLOW_SOLVER, workers=2):
            found.append(each.given.id)

    with pytest.raises(LostWorker, match="a worker process ended with code -9"):
        take_all()
    at_least = sum(
        size for size, _ in itertools.takewhile(lambda each: _succeeded(each[1]), submitted)
    )
    # The slow one is there, too, if its process had done it before the others were looked at.
    given = [*dealt(500, first=2), SLOW, *dealt(500, first=502)]
    assert found == [each.id for each in given[:at_least]]
    assert 500 - BATCH < len(found) < len(given)


def _succeeded(future: Future[Any]) -> bool:
    return future.done() and future.exception() is None


def test_a_process_that_is_killed_while_it_has_nothing_to_do_is_replaced(
    submitted: list[tuple[int, Future[Any]]],
) -> None:
    def deals() -> Iterator[InputDeal]:
        yield from dealt(20, first=2)
        while sum(size for size, future in submitted if future.done()) < 20:
            time.sleep(0.001)
        idle = multiprocessing.active_children()
        assert idle
        for process in idle:
            process.kill()
            process.join()
        yield from dealt(20, first=22)

    results = solve_all(deals(), DRAW3, QUICK, workers=2)
    assert [each.given for each in results] == list(dealt(40, first=2))


@pytest.mark.parametrize("wanted", [1, 5, 6])
def test_a_pool_has_ended_with_its_results(wanted: int) -> None:
    solved = solve_all(dealt(5, first=2), DRAW3, QUICK, workers=2)
    assert len(list(itertools.islice(solved, wanted))) == min(wanted, 5)
    solved.close()
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("workers", [1, 2])
def test_a_wrong_line_ends_the_processes_too(workers: int) -> None:
    """After the outcomes of all deals before it."""

    def bad() -> Iterator[InputDeal]:
        yield from dealt(25, first=2)
        raise BadInput("line 26: nonsense")

    found = []

    def take_all() -> None:
        for each in solve_all(bad(), DRAW3, QUICK, workers=workers):
            found.append(each.given)

    with pytest.raises(BadInput, match="line 26"):
        take_all()
    assert found == list(dealt(25, first=2))
    assert multiprocessing.active_children() == []


def _register(monkeypatch: pytest.MonkeyPatch, solve: Any) -> None:
    """Make `solve` the search of a solver named liar."""
    liar = types.ModuleType("liar")
    liar.METHOD = Method(  # type: ignore[attr-defined]
        slug="liar",
        version=1,
        summary="wins all",
        game="klondike",
        sees="deal",
        source=None,
        parameters=(),
        rulesets="all",
        plays=lambda _: True,
        chunk=1,
        solve=solve,
    )
    pipe._configured.cache_clear()
    monkeypatch.setitem(sys.modules, "liar", liar)
    monkeypatch.setitem(registry._BUILT_IN["klondike"], "liar", "liar:METHOD")


def test_a_win_that_does_not_replay_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def lie(deals: Any, _rules: Any, _values: Any) -> list[Outcome]:
        return [Outcome(Result.WON, 1, 0.0, moves=b"\x00") for _ in deals]

    _register(monkeypatch, lie)
    with pytest.raises(UnprovedWin, match="liar claims to win"):
        list(solve_all(dealt(1), DRAW3, parse_solver("liar")))
