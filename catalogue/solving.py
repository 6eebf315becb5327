"""Solving deals directly, without a job, and storing what was found."""

from collections.abc import Iterable

from catalogue.outcomes.chunk import Chunk
from catalogue.outcomes.writing import write_chunks
from catalogue.pipe import solve_chunks
from catalogue.reading.deal_detail import DealDetail, DealOutcome
from catalogue.store import Catalogue
from engine.game import Rules
from engine.text.deal_lines import InputDeal
from solvers.choice import default_solver
from solvers.solver import Solver, configure

# Limits of solving one deal while somebody waits: about a minute.
_NODES = 20_000_000
_MEMORY_MIB = 256

# Deals with a chunk of their outcomes, whose wins the referee has replayed.
Batch = tuple[list[InputDeal], Chunk]


def solver_of_one(rules: Rules) -> Solver:
    """The default solver of a ruleset with limits that suit somebody who waits.

    Raises:
        BadInput: no solver plays the ruleset.
    """
    method = default_solver(rules).method
    names = {parameter.name for parameter in method.parameters}
    limits = {"nodes": _NODES, "memory_mib": _MEMORY_MIB}
    # Of a method that decides nothing these would mean something else.
    return configure(method, {n: v for n, v in limits.items() if method.decides and n in names})


def solve_one(detail: DealDetail, rules: Rules, solver: Solver) -> Batch:
    """Solve a deal; the referee replays a win.

    Raises:
        BadInput: the solver does not play the ruleset.
    """
    given = InputDeal(detail.deal, detail.cards, detail.dealer, detail.seed)
    ((deals, chunk),) = solve_chunks([given], rules, solver)
    return deals, chunk


def store_solved(catalogue: Catalogue, batches: Iterable[Batch]) -> int:
    """Store outcomes of deals, by name or else by digest; return the number of new ones."""
    parts = []
    for given, chunk in batches:
        for dealer in sorted({item.dealer for item in given if item.dealer is not None}):
            own = [(row, item) for row, item in enumerate(given) if item.dealer == dealer]
            seeds = [item.seed for _, item in own if item.seed is not None]
            parts.append(chunk.part([row for row, _ in own], dealer, seeds))
        bare = [row for row, item in enumerate(given) if item.dealer is None]
        if bare:
            parts.append(chunk.part(bare, None, ()))
    with catalogue.begin() as session:
        return write_chunks(session, parts).outcomes


def outcome_of_one(detail: DealDetail, solved: Batch) -> DealOutcome:
    """The outcome of `solve_one` as the deal's page shows stored ones."""
    _, chunk = solved
    ((solver, (outcome,)),) = chunk.outcomes
    assert outcome is not None
    return DealOutcome(
        ruleset=chunk.rules.slug,
        solver=solver.name,
        version=solver.version,
        result=outcome.result.value,
        nodes=outcome.nodes,
        cpu_ms=outcome.cpu_ms,
        created_at=None,
        provenance=None,
        moves=outcome.moves,
        length=None if outcome.moves is None else detail.game.length(outcome.moves),
        dead_end=outcome.dead_end,
        lost=None,
        has_row=False,
    )
