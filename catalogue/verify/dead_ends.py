"""Check of dead ends: their witnesses, with the slow reference checker."""

from catalogue.schema import DeadEndRow
from catalogue.verify.context import Context
from catalogue.verify.rows import one_by_one, with_deals
from engine import game
from engine.cards import parse_card
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of


def check_dead_ends(context: Context) -> None:
    """Check the witnesses of dead ends."""
    query = with_deals(context, DeadEndRow, DeadEndRow.kind, DeadEndRow.witness)
    share = context.share_of("dead_end")
    for row, deal, rules, name in one_by_one(context, "dead end", query, share):
        reason = _why_no_proof(deal, rules, row.kind, row.witness)
        if reason is not None:
            context.fault("dead end", name, reason)


def _why_no_proof(deal: game.Deal, rules: Rules, kind: str, witness: str) -> str | None:
    own = game_of(rules)
    if own.load_dead_ends is None:
        return f"{own.name} has no dead-end tests"
    try:
        cards = [parse_card(card) for card in witness.split()]
        if own.load_dead_ends().proves(deal, rules, kind, cards):
            return None
    except BadInput as error:
        return str(error)
    return f"its witness {witness} does not prove it a dead end of kind {kind}"
