"""Solving without a database: deals in and outcomes out as JSON lines, in the same order.

The input is read by `engine.intake.entries_of`, the output format is that of `result_line`.
Memory use is bounded however long the input is. Another program may keep the pipe open, write a
deal and wait for its result: no further deal is waited for before it is written.
"""

import json
import queue
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from functools import lru_cache, partial
from itertools import groupby, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.processes import Workers, may_fork
from catalogue.read_ahead import Given, is_regular, read_ahead
from catalogue.streams import open_input, opened_output
from engine.cards import card_name
from engine.errors import BadInput
from engine.game import Game, Position, Rules
from engine.games import game_of
from engine.intake import EntryReader, InputPosition, WrongEntry, entries_of
from engine.notations import list_moves
from engine.rulesets import parse_ruleset
from engine.text.deal_lines import InputDeal
from solvers.choice import default_solver
from solvers.outcome import Outcome
from solvers.solver import Solver, parse_solver

# Deals that are waiting are solved in batches that take about this time, of this number at most:
# enough to hide what it costs to send one to another process and to judge its wins, few enough that
# no process is left alone with many of the last ones. The results of a batch come together, so
# those of quick deals wait for a slow one among them.
_BATCH_SECONDS = 0.05
BATCH = 128
# The kinds of what is solved together.
_DEAL, _POSITION, _WRONG = "deal", "position", "wrong"
# A slow deal holds back the results after it; up to this many deals per worker are read beyond it,
# which is some ten seconds of work at draw 3: the slowest of 18,000 deals takes three.
AHEAD = 32 * BATCH


class Solved(NamedTuple):
    """A deal of the input and its outcome."""

    given: InputDeal
    outcome: Outcome


class SolvedPosition(NamedTuple):
    """A position of the input and its outcome."""

    given: InputPosition
    outcome: Outcome


def start_of(given: InputDeal | InputPosition, rules: Rules) -> Position:
    """The position to be solved; under these rules if it is a deal."""
    if isinstance(given, InputPosition):
        return given.position
    return game_of(rules).start(given.deal, rules)


def result_line(
    given: Any, outcome: Outcome, game: Game, notation: str | None = None, start: Any = None
) -> dict[str, Any]:
    """A line of output: ``id`` as given, ``outcome``, ``nodes``, ``cpu_ms`` (null if not timed).

    A win also has ``moves``, a list of standard moves of the game, or of the signs of another
    notation from the position `start`, and that ``notation``; where the notation has no sign for a
    move, ``moves`` is null and ``error`` is the sentence that says so. A dead end has
    ``dead_end``, its kind and its witness cards.
    """
    line: dict[str, Any] = {
        "id": given,
        "outcome": outcome.result.value,
        "nodes": outcome.nodes,
        "cpu_ms": None if outcome.cpu_ms is None else round(outcome.cpu_ms, 3),
    }
    if outcome.moves is not None:
        if notation is None:
            line["moves"] = game.move_texts(outcome.moves)
        else:
            line |= {"moves": None, "notation": notation}
            try:
                line["moves"] = list_moves(game.unpack(outcome.moves), start, notation)
            except BadInput as error:
                line["error"] = str(error)
    if outcome.dead_end is not None:
        witness = [card_name(card) for card in outcome.dead_end.witness]
        line["dead_end"] = {"kind": outcome.dead_end.kind, "witness": witness}
    return line


def wrong_line(wrong: WrongEntry) -> dict[str, Any]:
    """The line of output in the place of an entry that cannot be read."""
    return {"id": wrong.line, "outcome": None, "error": f"line {wrong.line}: {wrong.reason}"}


def solve_file(
    source: str,
    target: str,
    rules: Rules,
    solver: Solver | None,
    *,
    workers: int = 1,
    form: str | None = None,
    notation: str | None = None,
    asked: bool = True,
    skip_bad: bool = False,
    on_result: Callable[[Solved | SolvedPosition | WrongEntry], None] = lambda _: None,
) -> Counter[str]:
    """Solve the deals and positions of a file into one of JSON lines; ``-`` is standard input.

    A regular input file is read as a whole before anything is solved, so that a malformed line at
    its end costs no time. A regular output file is written under another name and renamed when
    it is complete.

    Args:
        source: the input.
        target: the output.
        rules: the ruleset of entries that state none.
        solver: the solver; None for the default one of each ruleset.
        workers: number of processes.
        form: the form of all entries; None to detect that of each.
        notation: that of the moves.
        asked: whether somebody asked for the ruleset, so that no entry may state another.
        skip_bad: whether a regular file with wrong entries is solved all the same. A line with the
            error stands in the place of each, as in what is not a regular file.
        on_result: is told of each outcome and each wrong entry.

    Returns:
        The number of deals with each outcome, and of ``wrong`` entries.

    Raises:
        BadInput: a file cannot be opened, both are the same, or an entry of a regular file is
            wrong; the sentence names file and line.
    """
    if asked:
        (solver or default_solver(rules)).check_plays(rules)
    are_there = is_regular(source)
    if are_there and target != "-" and Path(target).exists() and Path(target).samefile(source):
        raise BadInput(f"cannot write {target}: it is the input file, name another file")
    given: Iterable[Given] = _read(source, EntryReader(rules, form, asked=asked))
    if are_there:
        given = read_ahead(given if skip_bad else _all_good(given, source))
    counts: Counter[str] = Counter()
    with opened_output(target) as output:
        for solved in solve_given(given, rules, solver, workers=workers, are_there=are_there):
            if isinstance(solved, WrongEntry):
                line = wrong_line(solved)
                counts["wrong"] += 1
            else:
                under = ruleset_of(solved.given, rules)
                start = None if notation is None else start_of(solved.given, under)
                line = result_line(solved.given.id, solved.outcome, game_of(under), notation, start)
                counts[solved.outcome.result.value] += 1
            print(json.dumps(line), file=output, flush=True)
            on_result(solved)
    return counts


def ruleset_of(given: InputDeal | InputPosition, rules: Rules) -> Rules:
    """The ruleset of a deal or position: that which it states, else the one given."""
    if isinstance(given, InputPosition):
        return given.position.rules
    return rules if given.rules is None else parse_ruleset(given.rules)


def solve_given(
    given: Iterable[Given],
    rules: Rules,
    solver: Solver | None,
    *,
    workers: int = 1,
    are_there: bool = False,
    default: Callable[[Rules], Solver] = default_solver,
) -> Iterator[Solved | SolvedPosition | WrongEntry]:
    """Yield the outcome of every deal and position in order, with wrong entries in their places.

    Args:
        given: deals, positions and wrong entries.
        rules: the ruleset of those that state none.
        solver: the solver; None for the default one of each ruleset.
        workers: number of processes, for deals.
        are_there: see `solve_all`.
        default: the default solver of a ruleset.

    Raises:
        BadInput: the solver does not play a ruleset, or an error of iterating over `given`.
        UnprovedWin: a win that the referee does not accept.
    """
    before, read, done = (_WRONG, ""), 0, 0
    aside: deque[tuple[int, WrongEntry]] = deque()

    def kind_of(item: Given) -> tuple[str, str]:
        nonlocal before
        if isinstance(item, WrongEntry):
            # Where nothing waits for it, it does not end the deals that are solved together.
            return before if are_there and before[0] == _DEAL else (_WRONG, "")
        before = (
            _DEAL if isinstance(item, InputDeal) else _POSITION,
            ruleset_of(item, rules).slug,
        )
        return before

    def deals_of(group: Iterable[Given]) -> Iterator[InputDeal]:
        nonlocal read
        for item in group:
            if isinstance(item, InputDeal):
                read += 1
                yield item
            elif isinstance(item, WrongEntry):
                aside.append((read, item))

    for (kind, slug), group in groupby(given, kind_of):
        if kind == _WRONG:
            yield from (item for item in group if isinstance(item, WrongEntry))
            continue
        under = parse_ruleset(slug)
        chosen = default(under) if solver is None else solver
        chosen.check_plays(under)
        if kind == _POSITION:
            for item in group:
                if isinstance(item, InputPosition):
                    yield SolvedPosition(item, chosen.solve_position(item.position))
            continue
        for solved in solve_all(
            deals_of(group), under, chosen, workers=workers, are_there=are_there
        ):
            while aside and aside[0][0] <= done:
                yield aside.popleft()[1]
            done += 1
            yield solved
        while aside:
            yield aside.popleft()[1]


def solve_all(
    deals: Iterable[InputDeal],
    rules: Rules,
    solver: Solver,
    *,
    workers: int = 1,
    are_there: bool = False,
) -> Generator[Solved, None, None]:
    """Yield the outcome of every deal in order.

    Every win has been judged by `engine.proof.check_wins`.

    Args:
        deals: the deals.
        rules: the ruleset of all of them.
        solver: the solver.
        workers: number of processes.
        are_there: whether none of the deals has to be waited for. One process then solves quick
            ones in batches, which costs less, and yields the outcomes of a batch when it is done;
            else it yields each outcome before it asks for the next deal.

    Raises:
        BadInput: the solver does not play the ruleset, or an error of iterating over `deals`.
        UnprovedWin: a win that the referee does not accept.
    """
    chunks = solve_chunks(deals, rules, solver, workers=workers, are_there=are_there)
    for batch, chunk in chunks:
        yield from one_by_one(batch, chunk)


def one_by_one(batch: Iterable[InputDeal], chunk: Chunk) -> Iterator[Solved]:
    """The deals and outcomes of `solve_chunks`."""
    ((_, outcomes),) = chunk.outcomes
    for given, outcome in zip(batch, outcomes, strict=True):
        assert outcome is not None  # every deal of a batch was attempted
        yield Solved(given, outcome)


def solve_chunks(
    deals: Iterable[InputDeal],
    rules: Rules,
    solver: Solver,
    *,
    workers: int = 1,
    are_there: bool = False,
) -> Iterator[tuple[list[InputDeal], Chunk]]:
    """As `solve_all`, in batches: yield the deals of a batch and their chunk, ready to store."""
    solver.check_plays(rules)
    if workers == 1:
        yield from _solve_here(deals, rules, solver, are_there)
    else:
        yield from _solve_in_processes(deals, rules, solver, workers, are_there)


def _solve_here(
    deals: Iterable[InputDeal], rules: Rules, solver: Solver, are_there: bool
) -> Iterator[tuple[list[InputDeal], Chunk]]:
    """As `solve_chunks`, in this process."""
    solve = partial(_solve, rules.slug, str(solver))
    coming, pace = iter(deals), _Pace()
    while batch := list(islice(coming, pace.batch if are_there else 1)):
        try:
            chunk, seconds = solve(_cards_of(batch))
        except Exception:
            if len(batch) == 1:
                raise
            # Once more, so that the error comes after the outcomes of the deals before its own.
            for given in batch:
                yield [given], solve(_cards_of([given])).chunk
        else:
            pace.note(len(batch), seconds)
            yield batch, chunk


class _Pace:
    """How many deals make a batch, by the time that those before took.

    Attributes:
        batch: their number; 1 as long as nothing is known.
    """

    # After this many deals, all of them count half.
    _FADING = 1000

    def __init__(self) -> None:
        self.batch = 1
        self._is_first = True
        self._deals = self._seconds = 0.0

    def note(self, deals: int, seconds: float) -> None:
        """Take in what a batch took. The first one does not count: it loads the solver, too."""
        if self._is_first:
            self._is_first = False
            return
        self._deals += deals
        self._seconds += seconds
        room = self._deals * _BATCH_SECONDS
        fitting = BATCH if BATCH * self._seconds <= room else int(room / self._seconds)
        self.batch = max(1, min(BATCH, 2 * self.batch, fitting))
        if self._deals > self._FADING:
            self._deals, self._seconds = self._deals / 2, self._seconds / 2


def _cards_of(batch: Iterable[InputDeal]) -> bytes:
    """The cards of deals as `_solve` takes them."""
    return b"".join(bytes(given.deal.cards) for given in batch)


class _DealReader:
    """The deals of the input, read by a thread, so that results can be written while it blocks.

    Args:
        deals: the deals.
        group: deals handed over together: to hand one over takes as long as to make it.
        ahead: most deals read beyond those for which `make_room` was called.
        wake: called when something has been read.

    Attributes:
        waiting: deals that have been read, and that no process was given.
        more: whether others may come.
        error: that of reading.
    """

    def __init__(
        self, deals: Iterable[InputDeal], group: int, ahead: int, wake: Callable[[], None]
    ) -> None:
        self.waiting: deque[InputDeal] = deque()
        self.more = True
        self.error: BaseException | None = None
        self._group = group
        self._room = threading.Semaphore(ahead // group)
        self._without_room = 0
        self._wake = wake
        self._read: queue.SimpleQueue[list[InputDeal]] = queue.SimpleQueue()
        threading.Thread(target=self._read_all, args=(deals,), daemon=True).start()

    def _read_all(self, deals: Iterable[InputDeal]) -> None:
        coming = iter(deals)
        try:
            while some := list(islice(coming, self._group)):
                self._room.acquire()
                self._read.put(some)
                self._wake()
        except BaseException as error:
            self.error = error
        self._read.put([])
        self._wake()

    def take(self) -> None:
        """Take in what has been read."""
        while not self._read.empty():
            some = self._read.get()
            self.more = bool(some)
            self.waiting.extend(some)

    def make_room(self, deals: int) -> None:
        """Have that many more deals read."""
        groups, self._without_room = divmod(self._without_room + deals, self._group)
        if groups:
            self._room.release(groups)


def _solve_in_processes(
    deals: Iterable[InputDeal], rules: Rules, solver: Solver, workers: int, are_there: bool
) -> Iterator[tuple[list[InputDeal], Chunk]]:
    """As `solve_chunks`, with `workers` processes."""
    pace = _Pace()
    running: deque[tuple[list[InputDeal], Future[_Timed]]] = deque()

    def note(result: "Future[_Timed]") -> None:
        if result.exception() is None:  # else it is raised when its turn comes
            pace.note(len(result.result().chunk.cards), result.result().seconds)

    solve = partial(_solve, rules.slug, str(solver))
    fork = may_fork() and solver.load(rules)
    with Workers(workers, solve, per_process=2, fork=fork) as pool:
        given = _DealReader(deals, BATCH if are_there else 1, workers * AHEAD, pool.wake)
        while given.more or given.waiting or running:
            # Thousands of outcomes may have waited for a hard deal, and the processes must not wait
            # until all of them are taken: each time, they are given what they have room for.
            pool.wait(0 if running and running[0][1].done() else None)
            given.take()
            # A second batch waits for the first one of its process, which may take hours where a
            # batch is one deal.
            while given.waiting and (pool.has_room if pace.batch > 1 else pool.is_idle):
                size = min(pace.batch, -(-len(given.waiting) // workers))
                batch = [given.waiting.popleft() for _ in range(size)]
                running.append((batch, pool.submit(_cards_of(batch))))
                running[-1][1].add_done_callback(note)
            if running and running[0][1].done():
                batch, result = running.popleft()
                given.make_room(len(batch))
                yield batch, result.result().chunk
        if given.error is not None:
            raise given.error


@lru_cache(maxsize=1)
def _configured(rules: str, solver: str) -> tuple[Rules, Solver]:
    return parse_ruleset(rules), parse_solver(solver)


class _Timed(NamedTuple):
    """A chunk, and the seconds that it took."""

    chunk: Chunk
    seconds: float


def _solve(ruleset: str, name: str, cards: bytes) -> _Timed:
    """Solve deals given as one byte per card in flat order; runs in the worker processes."""
    since = time.perf_counter()
    rules, solver = _configured(ruleset, name)
    deals = np.frombuffer(cards, dtype=np.uint8).reshape(-1, game_of(rules).cards)
    outcomes = tuple(outcome.without_game() for outcome in solver.solve(deals, rules))
    chunk = Chunk(rules, None, (), deals, ((SolverKey.of(solver), outcomes),))
    return _Timed(chunk, time.perf_counter() - since)


def _read(source: str, reader: EntryReader) -> Iterator[Given]:
    """Yield what a file holds."""
    # Standard input stays open at exit, when a thread may still be reading from it.
    with open_input(source) as stream:
        for entry in entries_of(stream, reader):
            try:
                yield entry if isinstance(entry, WrongEntry) else entry.as_given()
            except BadInput as error:
                yield WrongEntry(entry.line, str(error), "")


def _all_good(given: Iterable[Given], source: str) -> Iterator[Given]:
    for item in given:
        if isinstance(item, WrongEntry):
            raise BadInput(
                f"{source}, line {item.line}: {item.reason}; nothing was solved: with --skip-bad "
                "the other entries are"
            )
        yield item
