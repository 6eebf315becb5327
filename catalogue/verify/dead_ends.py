"""Check of dead ends: their witnesses, with the slow reference checker."""

from catalogue.schema import DeadEndRow
from catalogue.verify.context import Context
from engine import game
from engine.cards import parse_card
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of


def check_dead_ends(context: Context) -> None:
    """Check the witnesses of dead ends."""
    for row in context.rows(DeadEndRow, (DeadEndRow.kind, DeadEndRow.witness), context.share):
        kind, witness = row.values
        rules = row.rules
        context.checked["dead end"] += 1
        reason = _why_no_proof(row.deal, rules, kind, witness)
        if reason is not None:
            context.fault("dead end", f"{row.name} under {rules.slug}", reason)


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
