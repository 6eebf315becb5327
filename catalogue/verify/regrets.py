"""Checks of regrets: lost games replayed, and losing moves judged by another solver."""

from catalogue.outcomes.compression import decompress
from catalogue.schema import RegretRow
from catalogue.verify.context import Context
from catalogue.verify.rows import one_by_one, with_deals
from engine import game, replay
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from solvers import registry
from solvers.outcome import Result
from solvers.regret import RegretKind

_COLUMNS = (RegretRow.kind, RegretRow.step, RegretRow.action, RegretRow.length, RegretRow.moves)


def check_regrets(context: Context) -> None:
    """Replay lost games and check that each regret is consistent with its game."""
    query = with_deals(context, RegretRow, *_COLUMNS, RegretRow.judge, RegretRow.judge_version)
    share = context.share_of("regret")
    for row, deal, rules, where in one_by_one(context, "regret", query, share):
        values = (row.kind, row.step, row.action, row.length, row.moves)
        for what in _faults_of(deal, rules, *values):
            context.fault("regret", where, what)
        try:
            known = registry.get_method(row.judge).version
        except BadInput as error:
            context.fault("regret", where, f"its judge is unknown: {error}")
            continue
        if not 1 <= row.judge_version <= known:
            what = f"its judge is {row.judge} v{row.judge_version}, here v{known}"
            context.fault("regret", where, what)


def check_losing_moves(context: Context) -> None:
    """Have an independent solver check that a win was possible before a losing move, not after."""
    query = with_deals(context, RegretRow, *_COLUMNS, RegretRow.judge)
    share = context.options.resolve_share
    for row, deal, rules, where in one_by_one(context, "losing move", query, share):
        values = (row.kind, row.step, row.action, row.length, row.moves)
        other = registry.capable(rules, registry.Ability.JUDGE, row.judge)
        if other is None or _faults_of(deal, rules, *values):
            # Nobody can tell, or the check of regrets reports it.
            context.checked["losing move"] -= 1
            context.found.of["losing move"] -= 1
            continue
        own = game_of(rules)
        moves = own.unpack(decompress(own.slug, row.moves))
        positions = list(replay.positions(own.start(deal, rules), moves))
        if row.kind in (RegretKind.MOVE, RegretKind.STOPPED):
            found = other.solve_position(positions[row.step])
            if found.result == Result.UNWINNABLE:
                context.fault(
                    "alarm", where, f"{other} proves that it was lost before move {row.step + 1}"
                )
        if row.kind in (RegretKind.MOVE, RegretKind.UNWINNABLE):
            number = 0 if row.step is None else row.step + 1
            found = other.solve_position(positions[number])
            if found.result == Result.WON:
                won = replay.wins(positions[number], own.unpack(found.moves or b""))
                how = "wins it" if won else "wins it by moves that do not replay"
                context.fault("alarm", where, f"after move {number} {other} {how}")


def _faults_of(
    deal: game.Deal,
    rules: Rules,
    kind: str,
    step: int | None,
    action: str | None,
    length: int,
    stored: bytes,
) -> list[str]:
    """The contradictions between a regret and its game, whether or not its judge was right."""
    own = game_of(rules)
    try:
        played = own.unpack(decompress(own.slug, stored))
        positions = list(replay.positions(own.start(deal, rules), played))
    except BadInput as error:
        return [str(error)]
    wrong = []
    if length != len(played):
        wrong.append(f"its length is {len(played)}, stored is {length}")
    if positions[-1].is_won:
        wrong.append("its moves win the game")
    if kind not in set(RegretKind):
        wrong.append(f"there is no kind {kind!r}")
    elif kind == RegretKind.MOVE and (step is None or not 0 <= step < len(played)):
        wrong.append(f"its game of {len(played)} moves has no move after {step}")
    elif kind == RegretKind.STOPPED and step != len(played):
        wrong.append(f"it stopped after {len(played)} moves, stored is {step}")
    elif kind in (RegretKind.UNWINNABLE, RegretKind.UNDECIDED) and step is not None:
        wrong.append(f"it is {kind}, but has a losing move after {step}")
    else:
        lost_by = None
        if kind == RegretKind.MOVE and step is not None:
            lost_by = own.load_actions().action_of(positions[step], played[step])
        if action != lost_by:
            wrong.append(f"its losing move is {lost_by}, stored is {action}")
    return wrong
