"""Solving without a database: deals in and outcomes out as JSON lines, in the same order.

The input is read by `engine.intake.read_entries`, the output format is that of `result_line`.
Memory use is bounded however long the input is, and each result is written as soon as those before
it have been, so that another program may keep the pipe open, write a deal and wait for its result.
"""

import json
import os
import queue
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO

import numpy as np

from catalogue.forking import pool_of_solvers
from catalogue.interrupts import removed_if_ended
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.read_ahead import read_ahead
from catalogue.spawning import check_may_start_processes
from engine.cards import card_name
from engine.errors import BadInput
from engine.game import Game, Rules
from engine.games import game_of
from engine.intake import WrongEntry, read_entries
from engine.notations import write_moves
from engine.rulesets import parse_ruleset
from engine.text.deal_lines import InputDeal
from solvers.outcome import Outcome
from solvers.registry import Solver, parse_solver

# Deals sent to a worker process at once, if that many are waiting: enough to hide the cost of
# sending them, few enough that no process is left alone with many of the last ones.
BATCH = 32
# What one process solves before it writes the results takes about so many seconds, if the deals are
# there: many quick ones, or a slow one.
_AT_ONCE = 0.05
# A slow deal holds back the results after it; up to this many deals per worker are read beyond it,
# which is some ten seconds of work at draw 3: the slowest of 18,000 deals takes three.
AHEAD = 128 * BATCH


class Solved(NamedTuple):
    """A deal of the input and its outcome."""

    given: InputDeal
    outcome: Outcome


def result_line(
    given: Any, outcome: Outcome, game: Game, notation: str | None = None, start: Any = None
) -> dict[str, Any]:
    """A line of output: ``id`` as given, ``outcome``, ``nodes``, ``cpu_ms`` (null if not timed).

    A win also has ``moves``, a list of standard moves of the game, or, in another notation from the
    position `start`, a text, and that ``notation``; where the notation has no sign for a move,
    ``moves`` is null and ``error`` is the sentence that says so. A dead end has ``dead_end``, its
    kind and its witness cards.
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
                line["moves"] = write_moves(game.unpack(outcome.moves), start, notation)
            except BadInput as error:
                line["error"] = str(error)
    if outcome.dead_end is not None:
        witness = [card_name(card) for card in outcome.dead_end.witness]
        line["dead_end"] = {"kind": outcome.dead_end.kind, "witness": witness}
    return line


def solve_file(
    source: str,
    target: str,
    rules: Rules,
    solver: Solver,
    *,
    workers: int = 1,
    form: str | None = None,
    notation: str | None = None,
    on_result: Callable[[Solved], None] = lambda _: None,
) -> Counter[str]:
    """Solve the deals of a file into one of JSON lines; ``-`` is standard input or output.

    A regular input file is read as a whole before anything is solved, so that a malformed line at
    its end costs no time. A regular output file is written under another name and renamed when
    it is complete.

    Returns:
        The number of deals with each outcome.

    Raises:
        BadInput: a file cannot be opened, both are the same, or a line is wrong or a deal of
            another game; the sentence names file and line.
    """
    solver.check_plays(rules)
    game = game_of(rules)
    is_regular = source != "-" and Path(source).is_file()
    if is_regular:
        if target != "-" and Path(target).exists() and Path(target).samefile(source):
            raise BadInput(f"cannot write {target}: it is the input file, name another file")
        deals = read_ahead(_read(source, rules, form))
    else:
        deals = _read(source, rules, form)
    counts: Counter[str] = Counter()
    with opened_output(target) as output:
        for solved in solve_all(deals, rules, solver, workers=workers, are_there=is_regular):
            start = None if notation is None else game.start(solved.given.deal, rules)
            line = result_line(solved.given.id, solved.outcome, game, notation, start)
            print(json.dumps(line), file=output, flush=True)
            counts[solved.outcome.result.value] += 1
            on_result(solved)
    return counts


def solve_all(
    deals: Iterable[InputDeal],
    rules: Rules,
    solver: Solver,
    *,
    workers: int = 1,
    are_there: bool = False,
) -> Iterator[Solved]:
    """Yield the outcome of every deal in order.

    Every win has been judged by `engine.proof.check_wins`.

    Args:
        deals: the deals.
        rules: the ruleset of all of them.
        solver: who solves them.
        workers: number of processes.
        are_there: whether none of the deals has to be waited for. One process then solves quick
            ones some at a time, which costs less; else it yields each outcome before it asks for
            the next deal.

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
        check_may_start_processes()
        yield from _solve_in_processes(deals, rules, solver, workers)


def _solve_here(
    deals: Iterable[InputDeal], rules: Rules, solver: Solver, are_there: bool
) -> Iterator[tuple[list[InputDeal], Chunk]]:
    """As `solve_chunks`, in this process."""
    slug, name = rules.slug, str(solver)
    coming, size = iter(deals), 1
    while batch := list(islice(coming, size)):
        since = time.perf_counter()
        chunk = _solve(_cards_of(batch), slug, name)
        if are_there:
            fitting = int(size * _AT_ONCE / (time.perf_counter() - since))
            size = max(1, min(BATCH, 2 * size, fitting))
        yield batch, chunk


def _cards_of(batch: Iterable[InputDeal]) -> bytes:
    """The cards of deals as `_solve` takes them."""
    return b"".join(bytes(given.deal.cards) for given in batch)


class _End(NamedTuple):
    """The end of the input, or the error of reading it."""

    error: BaseException | None


def _solve_in_processes(
    deals: Iterable[InputDeal], rules: Rules, solver: Solver, workers: int
) -> Iterator[tuple[list[InputDeal], Chunk]]:
    """As `solve_chunks`, with `workers` processes.

    A thread reads the input, so that results can be written while it blocks. Reader and processes
    report to one queue of events: a deal, an end, or None for a finished batch.
    """
    events: queue.SimpleQueue[InputDeal | _End | None] = queue.SimpleQueue()
    room = threading.Semaphore(workers * AHEAD)

    def read() -> None:
        try:
            for given in deals:
                room.acquire()
                events.put(given)
        except BaseException as error:
            events.put(_End(error))
        else:
            events.put(_End(None))

    slug, name = rules.slug, str(solver)
    waiting: deque[InputDeal] = deque()
    running: deque[tuple[list[InputDeal], Future[Chunk]]] = deque()
    reading = True
    busy = 0  # batches that are not finished; others wait for one before them
    pool = pool_of_solvers(workers, solver, rules)
    threading.Thread(target=read, daemon=True).start()
    try:
        while reading or waiting or running:
            event = events.get()
            if isinstance(event, _End):
                if event.error is not None:
                    raise event.error
                reading = False
            elif event is not None:
                waiting.append(event)
            else:
                busy -= 1
            while running and running[0][1].done():
                batch, future = running.popleft()
                for _ in batch:
                    room.release()
                yield batch, future.result()
            while waiting and busy < 2 * workers:
                size = min(BATCH, -(-len(waiting) // workers))
                batch = [waiting.popleft() for _ in range(size)]
                future = pool.submit(_solve, _cards_of(batch), slug, name)
                running.append((batch, future))
                busy += 1
                future.add_done_callback(lambda _: events.put(None))
    finally:
        unwanted = list((getattr(pool, "_processes", None) or {}).values()) if running else []
        pool.shutdown(wait=False, cancel_futures=True)
        # The interpreter would wait for them, and a deal may take hours.
        for process in unwanted:
            process.kill()


@lru_cache(maxsize=1)
def _configured(rules: str, solver: str) -> tuple[Rules, Solver]:
    return parse_ruleset(rules), parse_solver(solver)


def _solve(cards: bytes, ruleset: str, name: str) -> Chunk:
    """Solve deals given as one byte per card in flat order; runs in the worker processes."""
    rules, solver = _configured(ruleset, name)
    deals = np.frombuffer(cards, dtype=np.uint8).reshape(-1, game_of(rules).cards)
    outcomes = tuple(outcome.without_game() for outcome in solver.solve(deals, rules))
    return Chunk(rules, None, (), deals, ((SolverKey.of(solver), outcomes),))


def _read(source: str, rules: Rules, form: str | None = None) -> Iterator[InputDeal]:
    """Yield the deals of a file, all of one game; errors name the file and the line."""
    name = "standard input" if source == "-" else source
    try:
        # A separate stream, since the interpreter must not close one at exit that a thread is still
        # reading from.
        with open(0 if source == "-" else source, "rb", closefd=source != "-") as stream:
            for entry in read_entries(stream, rules, form):
                try:
                    if isinstance(entry, WrongEntry):
                        raise BadInput(entry.reason)
                    given = entry.as_input()
                except BadInput as error:
                    raise BadInput(f"line {entry.line}: {error}") from None
                yield given
    except BadInput as error:
        raise BadInput(f"{name}, {error}") from None
    except OSError as error:
        raise BadInput(f"cannot read {name}: {error.strerror}") from None


@contextmanager
def opened_output(target: str) -> Iterator[TextIO]:
    """Open the output; a regular file appears under its name only when it is complete."""
    with opened_bytes(target) as raw:
        stream = TextIOWrapper(raw, encoding="ascii", newline="\n", write_through=True)
        yield stream
        stream.flush()
        stream.detach()


@contextmanager
def opened_bytes(target: str) -> Iterator[BinaryIO]:
    """`opened_output` for bytes."""
    if target == "-":
        with open(1, "wb", closefd=False) as stream:
            yield stream
        return
    path = Path(target)
    # A device or a named pipe is written in place.
    in_place = path.exists() and not path.is_file()
    written = path if in_place else path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        kept = nullcontext() if in_place else removed_if_ended(written)
        with kept, written.open("wb") as stream:
            yield stream
        if not in_place:
            written.replace(path)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise BadInput(f"cannot write {target}: {error.strerror}") from None
    finally:
        if not in_place:
            written.unlink(missing_ok=True)
