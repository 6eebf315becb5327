"""Checks of inferred outcomes: that they follow from their source, and that its wins translate."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalogue.blocks import PROVED, RESULTS, WON, Outcomes
from catalogue.inference.inferred import METHOD, source_of
from catalogue.inference.sources import solutions, with_result
from catalogue.outcomes.compression import decompress
from catalogue.schema import BLOCK_SIZE
from catalogue.verify.context import Context, DealKey
from catalogue.verify.replays import losing
from catalogue.verify.solving import same_solver
from catalogue.verify.stream import as_cards, outcomes_of_block
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of

# Outcomes of all solvers on a block, by ruleset and solver.
Known = Mapping[int, Mapping[int, Outcomes]]


@dataclass(frozen=True, slots=True)
class _Inferred:
    """The outcomes of a block that follow from one ruleset."""

    ruleset_id: int
    solver_id: int
    rules: Rules
    source_id: int
    source: Rules
    columns: Outcomes
    first: int  # the seed of its first column


def check_inferred(context: Context) -> None:
    """Check that each inferred outcome of a block follows from one that is stored."""
    known, block = outcomes_of_block(context), context.block[1]
    for each in _each(context, known, block):
        implies = game_of(each.rules).rulesets.implies
        other = each.source != each.rules
        ways = {
            WON: other and implies(each.source, each.rules),
            PROVED: other and implies(each.rules, each.source),
        }
        places = _asked(context, each, np.flatnonzero(each.columns.result))
        context.checked["inferred outcome"] += len(places)
        seeds = range(each.first, each.first + len(each.columns))
        theirs = _found(context, known.get(each.source_id, {}))
        stored = {code: with_result(theirs, code, seeds) for code in ways}
        name = _namer(context, each)
        for at in places.tolist():
            code = int(each.columns.result[at])
            if code not in ways:
                word = RESULTS[code - 1] if 1 <= code <= len(RESULTS) else f"the code {code}"
                context.fault("inferred", name(at), f"{word} does not follow from anything")
            elif not ways[code]:
                what = f"{RESULTS[code - 1]} does not follow from {each.source.slug}"
                context.fault("inferred", name(at), what)
            elif not stored[code][at]:
                what = f"it is {RESULTS[code - 1]}, but not so under {each.source.slug}"
                context.fault("inferred", name(at), what)


def check_translations(context: Context) -> None:
    """Translate the wins of sources, and hold the solutions of inferred wins against them."""
    known, block = outcomes_of_block(context), context.block[1]
    for each in _each(context, known, block):
        won = each.columns.result == WON
        # Of an outcome without a row, the source may have to be solved again.
        shares = (
            (each.columns.rowed, context.share_of("solution")),
            (~each.columns.rowed, context.options.resolve_share),
        )
        places = np.concatenate([_drawn(context, each, won & kept, s) for kept, s in shares])
        places.sort()
        if len(places):
            _check_wins(context, each, known, places)


def _drawn(
    context: Context, each: _Inferred, which: NDArray[np.bool_], share: float
) -> NDArray[np.int64]:
    """A random share of the places of some outcomes."""
    places = np.flatnonzero(which)
    key = (each.ruleset_id, each.solver_id)
    return places[context.draw_seeds("translation", key, each.first + places, share)]


def _check_wins(context: Context, each: _Inferred, known: Known, places: NDArray[np.int64]) -> None:
    game = game_of(each.rules)
    seeds = range(each.first + int(places[0]), each.first + int(places[-1]) + 1)
    dealing_id = context.block[0]
    hidden = [solver_id for solver_id in context.solvers if _is_inferred(context, solver_id)]
    others = [solver_id for solver_id in context.solvers if solver_id != each.solver_id]
    with context.cat.session() as session:
        given = solutions(session, each.source_id, dealing_id, seeds, hidden)
        own = solutions(session, each.ruleset_id, dealing_id, seeds, others)
    name = _namer(context, each)
    deals = [DealKey(None, dealing_id, each.first + at) for at in places.tolist()]
    lines: list[tuple[str, bytes, bytes]] = []
    names = [name(at) for at in places.tolist()]
    for k, cards in context.playable(each.rules, deals, names):
        at = int(places[k])
        seed = each.first + at
        context.checked["translation"] += 1
        try:
            found = [decompress(game.slug, moves) for moves in given.get(seed, [])]
            mine = [decompress(game.slug, moves) for moves in own.get(seed, [])]
            found = found or _solved_again(context, each, known, at, cards)
            deal = game.deal(cards)
            made = [game.translated(deal, moves, each.source, each.rules) for moves in found]
        except BadInput as error:
            context.fault("inferred", name(at), f"its source cannot be translated: {error}")
            continue
        if made and mine and mine[0] not in made:
            what = f"its solution is not that of {each.source.slug}, translated"
            context.fault("inferred", name(at), what)
        lines += [(name(at), cards, moves) for moves in made[:1]]
    for where, _, reason in losing(each.rules, lines, context.rng):
        what = f"the solution of {each.source.slug}, translated, is wrong: {reason}"
        context.fault("alarm", where, what)


def _solved_again(
    context: Context, each: _Inferred, known: Known, at: int, cards: bytes
) -> list[bytes]:
    """The solution of the source of a verdict, by the first solver that can find it again."""
    seed = each.first + at
    for solver_id, columns in sorted(known.get(each.source_id, {}).items()):
        solver = same_solver(context, solver_id)
        if solver is None or not with_result([columns], WON, range(seed, seed + 1))[0]:
            continue
        (outcome,) = solver.solve(as_cards([cards], game_of(each.source)), each.source)
        if outcome.moves is not None:
            return [bytes(outcome.moves)]
    return []


def _each(context: Context, known: Known, block: int) -> Iterator[_Inferred]:
    """The inferred outcomes of a block whose source this program knows."""
    for ruleset_id, by_solver in known.items():
        for solver_id, columns in by_solver.items():
            if not _is_inferred(context, solver_id) or not len(columns):
                continue
            rules, slug = context.rules(ruleset_id), source_of(context.solver(solver_id).name)
            source_id = next((each for each, own in context.rulesets.items() if own == slug), None)
            source = None if source_id is None else context.rules(source_id)
            if rules is None or source is None or source_id is None or source.game != rules.game:
                where = f"{context.solver(solver_id).name} under {context.slug(ruleset_id)}"
                context.fault("inferred", where, "its source is no ruleset of the catalogue")
                continue
            first = block * BLOCK_SIZE + columns.first
            yield _Inferred(ruleset_id, solver_id, rules, source_id, source, columns, first)


def _found(context: Context, by_solver: Mapping[int, Outcomes]) -> list[Outcomes]:
    """The outcomes that were found, not inferred."""
    return [
        columns for solver_id, columns in by_solver.items() if not _is_inferred(context, solver_id)
    ]


def _is_inferred(context: Context, solver_id: int) -> bool:
    return context.solver(solver_id).method == METHOD


def _namer(context: Context, each: _Inferred) -> Any:
    dealing_id = context.block[0]

    def name(at: int) -> str:
        deal = DealKey(None, dealing_id, each.first + at)
        return context.where(each.ruleset_id, deal, each.solver_id)

    return name


def _asked(context: Context, each: _Inferred, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those of some places that are of the deal asked for, if one is."""
    if context.asked is None:
        return places
    dealing_id = context.block[0]
    asked = [seed - each.first for other, seed in context.asked.places if other == dealing_id]
    return places[np.isin(places, asked)]
