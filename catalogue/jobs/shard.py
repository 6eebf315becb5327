"""Solving a shard of a job, the seeds that one worker solves at a time.

This code runs on the workers, which need the engine and the solvers but not the database, so it
imports nothing of SQL.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.packed import PackedChunk, join, pack, skipped
from catalogue.outcomes.provenance import this_provenance
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.games import game_of
from engine.rulesets import parse_ruleset
from solvers.solver import parse_solver

# Deals that are solved and packed at a time: their solutions and cards are held in memory.
_PART = 4_096


class OtherVersion(BadInput):
    """A worker has another version of the program or of a solver than the runner.

    Attributes:
        worker: its address; empty where there is none.
    """

    worker = ""


@dataclass(frozen=True, slots=True)
class SolvedShard:
    """The result of a shard on a worker.

    Attributes:
        result: what the work returned.
        seconds: time it took, by the clock.
        cpu_seconds: CPU time of the thread.
    """

    result: Any
    seconds: float
    cpu_seconds: float


def run(
    program: str, topic: str, number: int, function: Callable[..., Any], arguments: Sequence[Any]
) -> SolvedShard:
    """Do the work of a shard on a worker, having told the runner that it begins.

    Args:
        program: version of the runner's program.
        topic: where the runner listens.
        number: of the shard.
        function: the work.
        arguments: its arguments.

    Raises:
        OtherVersion: this worker has another version of the program.
    """
    address = _tell(topic, number)
    mine = this_provenance().program
    start, cpu = time.perf_counter(), time.thread_time()
    try:
        if mine != program:
            raise OtherVersion(f"the runner has version {program} of Thoughtful, a worker {mine}")
        result = function(*arguments)
    except OtherVersion as error:
        error.worker = address
        raise
    return SolvedShard(result, time.perf_counter() - start, time.thread_time() - cpu)


def _tell(topic: str, number: int) -> str:
    """Tell the runner which worker begins a shard, and return the worker's address."""
    from distributed import get_worker

    try:
        worker = get_worker()
    except ValueError:
        return ""  # called without a worker, by a test
    address = str(worker.address)
    worker.log_event(topic, {"shard": number, "worker": address})
    return address


def solve_shard(
    ruleset: str,
    dealer: str,
    first: int,
    wanted: Sequence[tuple[str, int, NDArray[np.bool_]]],
    keep: str,
    follows: Sequence[tuple[SolverKey, NDArray[np.int64]]] = (),
) -> PackedChunk:
    """Deal and solve a shard of a job.

    Args:
        ruleset: slug of the ruleset.
        dealer: slug of the dealer.
        first: the first seed of the shard.
        wanted: for each solver its name, its version, and bool[n] saying for which of the seeds
            first … first + n − 1 its outcome is missing.
        keep: what is kept, one of `catalogue.blocks.KEEPS`.
        follows: for each solver the seeds that it skips, since their outcomes follow.

    Raises:
        UnprovedWin: a win that the referee does not accept.
        OtherVersion: this worker has other versions of the solvers.
        BadInput: it does not know them.
    """
    any_wanted = np.logical_or.reduce([missing for _, _, missing in wanted])
    count = len(any_wanted) if wanted else 0
    parts = [skipped(parse_ruleset(ruleset), dealer, *each) for each in follows]
    parts += [
        _solve_part(ruleset, dealer, first + start, any_wanted[start : start + _PART], part, keep)
        for start in range(0, count, _PART)
        if (part := [(n, v, column[start : start + _PART]) for n, v, column in wanted])
        and any_wanted[start : start + _PART].any()
    ]
    (packed,) = join(parts)
    return packed


def _solve_part(
    ruleset: str,
    dealer: str,
    first: int,
    any_wanted: NDArray[np.bool_],
    wanted: Sequence[tuple[str, int, NDArray[np.bool_]]],
    keep: str,
) -> PackedChunk:
    rules = parse_ruleset(ruleset)
    cards = get_dealer(dealer).deal_block(first, len(any_wanted), game_of(rules))[any_wanted]
    columns = []
    for name, version, missing in wanted:
        solver = parse_solver(name)
        if solver.method.version != version:
            raise OtherVersion(
                f"the job asks for version {version} of {name}, but the program on this worker "
                f"has version {solver.method.version}"
            )
        mine = missing[any_wanted]
        found = iter(solver.solve(cards[mine], rules) if mine.any() else [])
        outcomes = tuple(next(found).without_game() if asked else None for asked in mine)
        columns.append((SolverKey.of(solver), outcomes))
    seeds = tuple(int(seed) for seed in first + np.flatnonzero(any_wanted))
    return pack(Chunk(rules, dealer, seeds, cards, tuple(columns)), keep)


def warm_up(ruleset: str, names: Sequence[str]) -> None:
    """Compile the kernels of solvers in this process, or load them from the cache.

    Compiled kernels are cached on disk, so if one worker does this first, the others load them.
    """
    rules = parse_ruleset(ruleset)
    for name in names:
        parse_solver(name).warm_up(rules)
