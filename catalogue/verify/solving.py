"""Checks of what solvers found: by those that found it, and by others that had no part in it."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalogue.blocks import PROVED, RESULTS, UNRESOLVED, UNWINNABLE, WON, Outcomes, combine
from catalogue.outcomes.compression import decompress
from catalogue.reading.block_reader import read_follows
from catalogue.schema import (
    BLOCK_SIZE,
    OutcomeRow,
    RegretRow,
    SolutionRow,
    same_outcome,
)
from catalogue.verify.context import Context, DealKey
from catalogue.verify.replays import REGRET_COLUMNS, faults_of_regret, losing, passed
from catalogue.verify.stream import as_cards, cases, outcomes_of_block, with_deals
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from engine.replay import wins
from solvers.choice import Ability, capable
from solvers.outcome import Outcome, Result
from solvers.registry import methods_of
from solvers.regret import RegretKind
from solvers.solver import Solver, configure, parse_solver

# With a limit of time an outcome depends on the machine.
_TIME_LIMIT = "seconds"
# Deals that a solver is given at once.
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class _Stored:
    """An outcome as it is stored; None for what is not known of it."""

    result: str
    nodes: int | None
    length: int | None = None
    dead_end: str | None = None
    moves: bytes | None = None


def same_solver(context: Context, solver_id: int) -> Solver | None:
    """The solver, if this program has it in the same version and time does not matter to it."""
    known = context.solver(solver_id)
    try:
        solver = parse_solver(known.name)
    except BadInput:
        return None
    limited = dict(solver.values).get(_TIME_LIMIT, 0)
    return solver if solver.method.version == known.version and not limited else None


def check_reruns(context: Context) -> None:
    """Solve deals again with the same solvers, and compare results, nodes and solutions."""
    repeatable = [each for each in context.solvers if same_solver(context, each) is not None]
    query = (
        with_deals(context, OutcomeRow, OutcomeRow.result, OutcomeRow.nodes, SolutionRow.moves)
        .outerjoin(SolutionRow, same_outcome(SolutionRow))
        .where(OutcomeRow.solver_id.in_(repeatable))
    )
    share = context.options.resolve_share

    def plays(rules: Rules, solver_id: int) -> bool:
        solver = same_solver(context, solver_id)
        return solver is not None and solver.plays(rules)

    for rules, solver_id, mine in cases(context, "rerun", query, share, plays):
        slug = game_of(rules).slug
        stored = [_Stored(r.result, r.nodes, moves=_moves(slug, r.moves)) for r, *_ in mine]
        _solve_again(context, rules, solver_id, [case[1:] for case in mine], stored)


def check_blocks_again(context: Context) -> None:
    """Solve deals of blocks without all rows again, and compare all that is stored of them."""
    dealing_id, block = context.block
    for ruleset_id, by_solver in outcomes_of_block(context).items():
        rules = context.rules(ruleset_id)
        for solver_id, columns in by_solver.items():
            solver = same_solver(context, solver_id)
            tried = np.flatnonzero(columns.result)
            if rules is None or solver is None or not solver.plays(rules):
                continue  # of another version or package; the checks of names report what is wrong
            if columns.rowed[tried].all():
                continue  # the check of reruns has them
            seeds = block * BLOCK_SIZE + columns.first + tried
            key, share = (ruleset_id, solver_id, dealing_id), context.options.resolve_share
            drawn = context.draw_seeds("deal of a block", key, seeds, share)
            context.checked["deal of a block"] += int(drawn.sum())
            names = [
                context.of_block(ruleset_id, seed, solver_id) for seed in seeds[drawn].tolist()
            ]
            deals = [DealKey(None, dealing_id, seed) for seed in seeds[drawn].tolist()]
            stored = [_in_block(columns, at) for at in tried[drawn].tolist()]
            playable = list(context.playable(rules, deals, names))
            given = [(names[at], cards) for at, cards in playable]
            _solve_again(context, rules, solver_id, given, [stored[at] for at, _ in playable])


def _in_block(columns: Outcomes, at: int) -> _Stored:
    """The outcome at a place of the columns of a block."""
    code, dead, nodes = int(columns.result[at]), int(columns.dead_end[at]), int(columns.nodes[at])
    return _Stored(
        RESULTS[code - 1] if code <= len(RESULTS) else f"the code {code}",
        None if nodes < 0 else nodes,
        int(columns.length[at]) or None,
        columns.kinds[dead - 1] if 0 < dead <= len(columns.kinds) else "none",
    )


def _solve_again(
    context: Context,
    rules: Rules,
    solver_id: int,
    deals: Sequence[tuple[str, bytes]],
    stored: Sequence[_Stored],
) -> None:
    """Solve deals, each a name and its cards, and compare with what is stored."""
    solver, own, rng = same_solver(context, solver_id), game_of(rules), context.rng
    if solver is None or not solver.plays(rules):
        return  # the checks of names report what is wrong
    step = max(1, min(solver.chunk, 4096))
    for start in range(0, len(deals), step):
        part = deals[start : start + step]
        played = []
        outcomes = solver.solve(as_cards([cards for _, cards in part], own), rules)
        before_all = stored[start : start + step]
        for (where, cards), outcome, before in zip(part, outcomes, before_all, strict=True):
            what = _difference(own, before, outcome)
            if what is not None:
                context.fault("alarm", where, what)
            if outcome.result == Result.WON and before.moves is None:
                played.append((where, cards, bytes(outcome.moves or b"")))
        for where, kind, what in losing(rules, played, rng):
            context.fault(kind, where, f"solved again, {what}")


def _difference(own: Any, before: _Stored, outcome: Outcome) -> str | None:
    """The first difference of an outcome from the one that is stored, as a sentence."""
    moves = None if outcome.moves is None else bytes(outcome.moves)
    kind = "none" if outcome.dead_end is None else outcome.dead_end.kind
    if outcome.result.value != before.result:
        return f"stored is {before.result}, again it is {outcome.result.value}"
    if before.nodes not in (None, outcome.nodes):
        return f"stored is {before.nodes} nodes, again it has {outcome.nodes}"
    length = None if moves is None else own.length(moves)
    if moves is not None and before.length not in (None, length):
        return f"stored is {before.length} moves, again it has {length}"
    if outcome.result == Result.UNWINNABLE and before.dead_end not in (None, kind):
        return f"stored is the dead end {before.dead_end}, again it is {kind}"
    if before.moves is not None and moves is not None and before.moves != moves:
        return "the solution stored is not the one that it finds"
    return None


def _moves(game: str, stored: Any) -> bytes | None:
    try:
        return None if stored is None else decompress(game, stored)
    except BadInput:
        return b""  # which is not what a solver finds


def other_solvers(rules: Rules, by: Collection[str]) -> list[Solver]:
    """The solvers that judge verdicts of the methods `by` under a ruleset."""
    # Players are not used, since their losses prove nothing, nor who looks for shortest solutions:
    # the verdict of these is that of another solver, and what they do after it takes long.
    solvers = (
        configure(method, {})
        for method in methods_of(rules.game)
        if method.sees == "deal" and method.shortest is None and method.slug not in by
    )
    return [solver for solver in solvers if solver.plays(rules)]


class _Decided(NamedTuple):
    """Deals of a block that the same methods decided under a ruleset.

    Attributes:
        ruleset_id: id of the ruleset.
        methods: their slugs.
        seeds: int64[n], the deals.
        won: bool[n], whether each is won; of a contradiction the win counts, which was replayed.
    """

    ruleset_id: int
    methods: Collection[str]
    seeds: NDArray[np.int64]
    won: NDArray[np.bool_]


def check_verdicts(context: Context) -> None:
    """Solve decided deals of a block again with other solvers."""
    dealing_id, _ = context.block
    for ruleset_id, methods, seeds, won in _decided(context):
        rules = context.rules(ruleset_id)
        others = [] if rules is None else other_solvers(rules, methods)
        if rules is None or not others:
            continue  # the check of names reports what is wrong
        share = context.options.resolve_share
        drawn = context.draw_seeds("verdict", (ruleset_id, dealing_id), seeds, share)
        asked = [DealKey(None, dealing_id, seed) for seed in seeds[drawn].tolist()]
        names = [context.where(ruleset_id, deal) for deal in asked]
        context.checked["verdict"] += len(asked)
        winnable = won[drawn].tolist()
        playable = [
            (names[at], cards, winnable[at]) for at, cards in context.playable(rules, asked, names)
        ]
        for other in others:
            for start in range(0, len(playable), _AT_ONCE):
                _ask(context, rules, other, playable[start : start + _AT_ONCE])


def _decided(context: Context) -> Iterator[_Decided]:
    """The deals of a block that are decided."""
    dealing_id, block = context.block
    for ruleset_id, known in outcomes_of_block(context).items():
        try:
            with context.cat.session() as session:
                follows = read_follows(session, ruleset_id, dealing_id, block)
        except ValueError:
            continue  # the check of blocks reports it
        statuses = combine(known, (), follows)
        # For each deal, which methods decided it, as bits.
        slugs = {solver_id: context.solver(solver_id).method for solver_id in known}
        methods = sorted(set(slugs.values()))
        deciders = np.zeros(len(statuses), dtype=np.int64)
        for solver_id, each in known.items():
            at = slice(each.first - statuses.first, each.end - statuses.first)
            own = (each.result == WON) | (each.result == PROVED)
            deciders[at] |= own.astype(np.int64) << methods.index(slugs[solver_id])
        # Where no method of this ruleset decided it, outcomes under other rulesets did.
        decided = statuses.status > UNRESOLVED
        for code in np.unique(deciders[decided]).tolist():
            places = np.flatnonzero(decided & (deciders == code))
            yield _Decided(
                ruleset_id,
                {method for bit, method in enumerate(methods) if code >> bit & 1},
                block * BLOCK_SIZE + statuses.first + places,
                statuses.status[places] != UNWINNABLE,
            )


def _ask(
    context: Context, rules: Rules, solver: Solver, deals: Sequence[tuple[str, bytes, bool]]
) -> None:
    game: Any = game_of(rules)
    outcomes = solver.solve(as_cards([cards for _, cards, _ in deals], game), rules)
    for (where, cards, winnable), outcome in zip(deals, outcomes, strict=True):
        if outcome.result == Result.WON:
            moves = game.unpack(outcome.moves or b"")
            if not wins(game.start(game.deal(cards), rules), moves):
                context.fault("alarm", where, f"{solver} wins it by moves that do not replay")
            elif not winnable:
                context.fault("alarm", where, f"stored as unwinnable, but {solver} wins it")
        elif outcome.result == Result.UNWINNABLE and winnable:
            context.fault("alarm", where, f"stored as winnable, but {solver} proves it is not")


def check_losing_moves(context: Context) -> None:
    """Have an independent solver check that a win was possible before a losing move, not after."""
    query = with_deals(context, RegretRow, *REGRET_COLUMNS)
    share = context.options.resolve_share
    for rules, _, mine in cases(context, "losing move", query, share):
        for row, where, cards in mine:
            other = capable(rules, Ability.DECIDE, row.reference)
            if other is None or any(faults_of_regret(cards, rules, row)):
                # Nobody can tell, or the check of regrets reports it.
                context.checked["losing move"] -= 1
                context.found.of["losing move"] -= 1
                continue
            _, positions = passed(cards, rules, row.moves)
            if row.kind != RegretKind.UNWINNABLE and row.step is not None:
                found = other.solve_position(positions[row.step])
                if found.result == Result.UNWINNABLE:
                    what = f"{other} proves that it was lost before move {row.step + 1}"
                    context.fault("alarm", where, what)
            if row.kind in (RegretKind.MOVE, RegretKind.UNWINNABLE):
                number = 0 if row.step is None else row.step + 1
                found = other.solve_position(positions[number])
                if found.result == Result.WON:
                    moves = game_of(rules).unpack(found.moves or b"")
                    won = wins(positions[number], moves)
                    how = "wins it" if won else "wins it by moves that do not replay"
                    context.fault("alarm", where, f"after move {number} {other} {how}")
