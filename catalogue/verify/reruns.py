"""Checks of outcomes by the solver that made them: the same version gives the same again."""

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from catalogue.blocks import PROVED, RESULT_CODES, RESULTS, WON, Outcomes
from catalogue.outcomes.compression import decompress
from catalogue.schema import BLOCK_SIZE, BlockRow, OutcomeRow, SolutionRow, same_outcome
from catalogue.verify.context import Context, DealKey
from catalogue.verify.rows import as_cards, deal_of, drawn, with_deals
from catalogue.verify.solutions import judged
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from solvers.outcome import Result
from solvers.registry import Solver, parse_solver

# With a limit of time an outcome depends on the machine.
_TIME_LIMIT = "seconds"


def check_reruns(context: Context) -> None:
    """Solve deals again with the same solvers, and compare results, nodes and solutions."""
    repeatable = [each for each in context.solver_ids if same_solver(context, each) is not None]
    query = (
        with_deals(context, OutcomeRow, OutcomeRow.result, OutcomeRow.nodes, SolutionRow.moves)
        .outerjoin(SolutionRow, same_outcome(SolutionRow))
        .where(OutcomeRow.solver_id.in_(repeatable))
    )
    share = context.options.resolve_share
    for (ruleset_id, solver_id), rows in drawn(context, "rerun", query, share).items():
        rules, solver = context.rules(ruleset_id), same_solver(context, solver_id)
        if rules is None or solver is None or not solver.plays(rules):
            continue  # of another version or package; the checks of names report what is wrong
        own = game_of(rules)
        deals = [deal_of(row) for row in rows]
        name = context.namer(ruleset_id, deals, solver_id)
        context.checked["rerun"] += len(rows)
        playable = list(context.playable(rules, deals, name))
        if not playable:
            continue
        outcomes = solver.solve(as_cards([cards for _, cards in playable], own), rules)
        for (at, _), outcome in zip(playable, outcomes, strict=True):
            row, where = rows[at], name(at)
            again = outcome.result.value
            if again != row.result:
                context.fault("alarm", where, f"it is {row.result}, again it is {again}")
            elif int(outcome.nodes) != row.nodes:
                context.fault("alarm", where, f"nodes is {row.nodes}, again it is {outcome.nodes}")
            elif outcome.moves is not None and bytes(outcome.moves) != _moves(own.slug, row.moves):
                what = "the solution stored is not the one that it finds"
                context.fault("alarm", where, what)


def check_blocks_again(context: Context) -> None:
    """Solve deals without rows again, and compare all that their blocks have of them."""
    row = BlockRow
    dealing_id, block = context.block
    with context.cat.session() as session:
        found = session.execute(
            select(row.ruleset_id, row.solver_id, row.columns)
            .where(row.rowed < row.attempted, row.dealing_id == dealing_id, row.block == block)
            .order_by(row.ruleset_id, row.solver_id)
        ).all()
    for ruleset_id, solver_id, packed in found:
        try:
            columns = Outcomes.decode(packed)
        except ValueError:
            continue  # the check of blocks reports it
        _solve_block(context, (ruleset_id, dealing_id, block, solver_id), columns)


def _solve_block(context: Context, key: tuple[int, int, int, int], columns: Outcomes) -> None:
    ruleset_id, dealing_id, block, solver_id = key
    rules, solver = context.rules(ruleset_id), same_solver(context, solver_id)
    if rules is None or solver is None or not solver.plays(rules):
        return  # of another version or package; the checks of names report what is wrong
    places = np.flatnonzero(columns.result)
    places = places[context.in_slice(block * BLOCK_SIZE + columns.first + places)]
    seeds = block * BLOCK_SIZE + columns.first + places
    keys = np.stack([np.full(len(seeds), part) for part in (ruleset_id, solver_id, dealing_id)])
    drawn = context.draw(
        "deal of a block", np.vstack([keys, seeds]).T, context.options.resolve_share
    )
    if context.asked is not None:
        asked = [seed for each, seed in context.asked.places if each == dealing_id]
        drawn &= np.isin(seeds, asked)
        context.found.of["deal of a block"] += int(drawn.sum()) - len(seeds)
    own = game_of(rules)
    places, seeds = places[drawn], seeds[drawn]
    context.checked["deal of a block"] += len(seeds)
    step = max(1, min(solver.chunk, 4096))
    for start in range(0, len(seeds), step):
        part = slice(start, start + step)
        deals = [DealKey(None, dealing_id, seed) for seed in seeds[part].tolist()]
        name = context.namer(ruleset_id, deals, solver_id)
        playable = list(context.playable(rules, deals, name))
        if playable:
            at = np.array([each for each, _ in playable])
            cards = as_cards([each for _, each in playable], own)
            _compare(
                context, rules, solver, columns, cards, places[part][at], [name(k) for k in at]
            )


def _compare(
    context: Context,
    rules: Rules,
    solver: Solver,
    columns: Outcomes,
    cards: NDArray[np.uint8],
    at: NDArray[np.int64],
    names: list[str],
) -> None:
    """Solve deals again and compare them with the columns of a block at these places."""
    own = game_of(rules)
    found = solver.solve(cards, rules)
    result = np.array([RESULT_CODES[each.result] for each in found], dtype=np.uint8)
    nodes = np.array([each.nodes for each in found], dtype=np.int64)
    length = np.array(
        [own.length(bytes(e.moves or b"")) if e.result == Result.WON else 0 for e in found],
        dtype=np.int64,
    )
    kinds = [None if e.dead_end is None else e.dead_end.kind for e in found]
    stored_nodes, stored_length = columns.nodes[at], columns.length[at]
    for k in range(len(found)):
        code, was = int(result[k]), int(columns.result[at[k]])
        dead = int(columns.dead_end[at[k]])
        kind = columns.kinds[dead - 1] if 0 < dead <= len(columns.kinds) else None
        if code != was:
            what = f"its block has {_word(was)}, again it is {_word(code)}"
        elif stored_nodes[k] not in (-1, nodes[k]):
            what = f"its block has {stored_nodes[k]} nodes, again it has {nodes[k]}"
        elif stored_length[k] not in (0, length[k]):
            what = f"its block has {stored_length[k]} moves, again it has {length[k]}"
        elif code == PROVED and kind != kinds[k]:
            what = f"its block has the dead end {kind}, again it is {kinds[k]}"
        else:
            continue
        context.fault("alarm", names[k], what)
    won = np.flatnonzero(result == WON).tolist()
    rng = np.random.default_rng((context.options.seed, zlib.crc32(str(context.piece).encode())))
    solutions = [bytes(found[k].moves or b"") for k in won]
    reasons = judged(own, [cards[k].tobytes() for k in won], rules, solutions, rng)
    for k, reason in zip(won, reasons, strict=True):
        if reason is not None:
            context.fault(reason[0], names[k], f"solved again, {reason[1]}")


def same_solver(context: Context, solver_id: int) -> Solver | None:
    """The solver, if this program has it in the same version and time does not matter to it."""
    try:
        solver = parse_solver(context.solver(solver_id))
    except BadInput:
        return None
    limited = dict(solver.values).get(_TIME_LIMIT, 0)
    same = solver.method.version == context.version(solver_id)
    return solver if same and not limited else None


def _word(code: int) -> str:
    return RESULTS[code - 1] if 1 <= code <= len(RESULTS) else f"the code {code}"


def _moves(game: str, stored: Any) -> bytes | None:
    try:
        return None if stored is None else decompress(game, stored)
    except BadInput:
        return None  # the check of solutions reports it
