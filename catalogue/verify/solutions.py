"""Check of solutions, by the compiled referee, and a share of them by the plain one, too."""

import zlib
from typing import Any

import numpy as np

from catalogue.outcomes.compression import decompress
from catalogue.schema import SolutionRow
from catalogue.verify.context import Context
from catalogue.verify.rows import as_cards, deal_of, drawn, with_deals
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from engine.proof import RefereesDisagree, check_wins


def check_solutions(context: Context) -> None:
    """Replay solutions."""
    query = with_deals(context, SolutionRow, SolutionRow.length, SolutionRow.moves)
    share = context.share_of("solution")
    for (ruleset_id, solver_id), rows in drawn(context, "solution", query, share).items():
        rules = context.rules(ruleset_id)
        if rules is not None:
            _check(context, rules, ruleset_id, solver_id, rows)


def _check(
    context: Context, rules: Rules, ruleset_id: int, solver_id: int, rows: list[Any]
) -> None:
    own = game_of(rules)
    deals = [deal_of(row) for row in rows]
    name = context.namer(ruleset_id, deals, solver_id)
    cards, solutions, places = [], [], []
    context.checked["solution"] += len(rows)
    for at, dealt in context.playable(rules, deals, name):
        try:
            moves = decompress(own.slug, rows[at].moves)
        except BadInput as error:
            context.fault("solution", name(at), str(error))
            continue
        if own.length(moves) != rows[at].length:
            what = f"its length is {own.length(moves)}, stored is {rows[at].length}"
            context.fault("solution", name(at), what)
        cards.append(dealt)
        solutions.append(moves)
        places.append(at)
    # The share that the plain referee replays is drawn by the seed, too.
    rng = np.random.default_rng((context.options.seed, zlib.crc32(str(context.piece).encode())))
    for at, reason in zip(places, judged(own, cards, rules, solutions, rng), strict=True):
        if reason is not None:
            context.fault(reason[0], name(at), reason[1])


def judged(
    own: Any, cards: list[bytes], rules: Rules, solutions: list[bytes], rng: np.random.Generator
) -> list[tuple[str, str] | None]:
    """For each solution the kind and the words of what is wrong, or None if it wins."""
    decks = as_cards(cards, own)
    try:
        reasons = check_wins(own, decks, rules, solutions, rng=rng)
    except RefereesDisagree:
        # Name each that they differ on.
        found: list[tuple[str, str] | None] = []
        for at, solution in enumerate(solutions):
            try:
                (reason,) = check_wins(own, decks[at : at + 1], rules, [solution], plain_share=1.0)
                found.append(None if reason is None else ("solution", reason))
            except RefereesDisagree as error:
                found.append(("alarm", str(error)))
        return found
    return [None if reason is None else ("solution", reason) for reason in reasons]
