"""Checks of what a dealer or a referee can repeat: deals, solutions, dead ends, lost games."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from sqlalchemy import select

from catalogue.outcomes.compression import decompress
from catalogue.schema import DeadEndRow, DealRow, RegretRow, SolutionRow
from catalogue.verify.context import Context, DealKey
from catalogue.verify.stream import as_cards, cases, with_deals
from engine import game, replay
from engine.cards import parse_card
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from engine.proof import RefereesDisagree, check_wins
from solvers.registry import get_method
from solvers.regret import RegretKind

REGRET_COLUMNS = (
    RegretRow.kind,
    RegretRow.step,
    RegretRow.action,
    RegretRow.length,
    RegretRow.moves,
    RegretRow.reference,
    RegretRow.reference_version,
)


def check_cards(context: Context) -> None:
    """Deal again and recompute digests."""
    row = DealRow
    query = select(row.id, row.dealing_id, row.seed, row.digest)
    with context.cat.session() as session:
        rows = session.execute(query.where(*context.inside(context.table))).all()
    ids = np.array([row.id for row in rows], dtype=np.int64).reshape(-1, 1)
    imported = np.array([context.is_imported(row.dealing_id) for row in rows], dtype=np.bool_)
    drawn = imported.copy()
    drawn[~imported] = context.draw("cards", ids[~imported], context.share_of("deal"))
    context.checked["cards"] += int((drawn & ~imported).sum())
    # Nobody can deal these again, and to look at them costs next to nothing.
    if imported.any():
        context.checked["imported cards"] += int(imported.sum())
    chosen = np.flatnonzero(drawn).tolist()
    deals = [DealKey(*rows[at][:3]) for at in chosen]
    for at, deal, cards in zip(chosen, deals, context.dealt(deals), strict=True):
        name = context.deal_name(deal)
        if isinstance(cards, str):
            context.fault("cards", name, cards)
        elif (digest := sha256(cards).digest()[:16]) != rows[at].digest:
            whose = "the cards" if imported[at] else "the deal that its dealer deals"
            what = f"its digest is {rows[at].digest.hex()}, that of {whose} is {digest.hex()}"
            context.fault("cards", name, what)


def check_solutions(context: Context) -> None:
    """Replay solutions by the compiled referee, and a share of them by the plain one, too."""
    query = with_deals(context, SolutionRow, SolutionRow.length, SolutionRow.moves)
    rng = context.rng
    for rules, _, mine in cases(context, "solution", query, context.share_of("solution")):
        own = game_of(rules)
        played = []
        for case in mine:
            try:
                moves = decompress(own.slug, case.row.moves)
            except BadInput as error:
                context.fault("solution", case.where, str(error))
                continue
            if own.length(moves) != case.row.length:
                what = f"its length is {own.length(moves)}, stored is {case.row.length}"
                context.fault("solution", case.where, what)
            played.append((case.where, case.cards, moves))
        for where, kind, what in losing(rules, played, rng):
            context.fault(kind, where, what)


def losing(
    rules: Rules, played: list[tuple[str, bytes, bytes]], rng: np.random.Generator
) -> Iterator[tuple[str, str, str]]:
    """Of solutions, each with a name and cards: the name, a kind and a sentence if it is wrong."""
    own = game_of(rules)
    decks = as_cards([cards for _, cards, _ in played], own)
    try:
        reasons = check_wins(own, decks, rules, [moves for *_, moves in played], rng=rng)
    except RefereesDisagree:
        # Name each that they differ on.
        for at, (where, _, moves) in enumerate(played):
            try:
                (reason,) = check_wins(own, decks[at : at + 1], rules, [moves], plain_share=1.0)
                if reason is not None:
                    yield where, "solution", reason
            except RefereesDisagree as error:
                yield where, "alarm", str(error)
        return
    for (where, _, _), reason in zip(played, reasons, strict=True):
        if reason is not None:
            yield where, "solution", reason


def check_dead_ends(context: Context) -> None:
    """Check the witnesses of dead ends with the slow reference checker."""
    query = with_deals(context, DeadEndRow, DeadEndRow.kind, DeadEndRow.witness)
    for rules, _, mine in cases(context, "dead end", query, context.share_of("dead_end")):
        for row, where, cards in mine:
            reason = _why_no_proof(game_of(rules).deal(cards), rules, row.kind, row.witness)
            if reason is not None:
                context.fault("dead end", where, reason)


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


def check_regrets(context: Context) -> None:
    """Replay lost games and check that each regret is consistent with its game."""
    query = with_deals(context, RegretRow, *REGRET_COLUMNS)
    for rules, _, mine in cases(context, "regret", query, context.share_of("regret")):
        for row, where, cards in mine:
            context.faults("regret", where, faults_of_regret(cards, rules, row))
            try:
                known = get_method(row.reference).version
            except BadInput as error:
                context.fault("regret", where, f"its reference solver is unknown: {error}")
                continue
            if not 1 <= row.reference_version <= known:
                named = f"{row.reference} v{row.reference_version}"
                what = f"its reference solver is {named}, here v{known}"
                context.fault("regret", where, what)


def passed(cards: bytes, rules: Rules, stored: bytes) -> tuple[Sequence[Any], list[Any]]:
    """The moves of a game, and the positions that it passes.

    Raises:
        BadInput: the moves are damaged, or one of them is illegal.
    """
    own = game_of(rules)
    moves = own.unpack(decompress(own.slug, stored))
    return moves, list(replay.positions(own.start(own.deal(cards), rules), moves))


def faults_of_regret(cards: bytes, rules: Rules, row: Any) -> Iterator[str]:
    """The contradictions between a regret and its game, whether or not its solver was right."""
    try:
        played, positions = passed(cards, rules, row.moves)
    except BadInput as error:
        yield str(error)
        return
    kind, step = row.kind, row.step
    if row.length != len(played):
        yield f"its length is {len(played)}, stored is {row.length}"
    if positions[-1].is_won:
        yield "its moves win the game"
    if kind not in set(RegretKind):
        yield f"there is no kind {kind!r}"
    elif kind == RegretKind.MOVE and (step is None or not 0 <= step < len(played)):
        yield f"its game of {len(played)} moves has no move after {step}"
    elif kind == RegretKind.STOPPED and step != len(played):
        yield f"it stopped after {len(played)} moves, stored is {step}"
    elif kind == RegretKind.UNWINNABLE and step is not None:
        yield f"it is {kind}, but has a losing move after {step}"
    elif kind == RegretKind.UNDECIDED and step is not None and not 0 <= step < len(played):
        yield f"its game of {len(played)} moves has no move after {step}"
    else:
        lost_by = None
        if kind == RegretKind.MOVE:
            lost_by = game_of(rules).load_actions().action_of(positions[step], played[step])
        if row.action != lost_by:
            yield f"its losing move is {lost_by}, stored is {row.action}"
