"""Checks of regrets: lost games replayed, and losing moves judged by another solver."""

from catalogue.schema import RegretRow
from catalogue.verify.context import Context
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
    columns = (*_COLUMNS, RegretRow.judge, RegretRow.judge_version)
    for row in context.rows(RegretRow, columns, context.share):
        *values, judge, version = row.values
        where = f"{row.name} under {row.rules.slug}"
        context.checked["regret"] += 1
        for what in _faults_of(row.deal, row.rules, *values):
            context.fault("regret", where, what)
        try:
            known = registry.get_method(judge).version
        except BadInput as error:
            context.fault("regret", where, f"its judge is unknown: {error}")
            continue
        if not 1 <= version <= known:
            context.fault("regret", where, f"its judge is {judge} v{version}, here v{known}")


def check_losing_moves(context: Context) -> None:
    """Have an independent solver check that a win was possible before a losing move, not after."""
    columns = (*_COLUMNS, RegretRow.judge)
    for row in context.rows(RegretRow, columns, context.resolve_share):
        *values, judge = row.values
        kind, step, _, _, moves = values
        rules = row.rules
        where = f"{row.name} under {rules.slug}"
        other = registry.judge(rules, of=judge)
        if other is None or _faults_of(row.deal, rules, *values):
            continue  # `check_regrets` reports these
        own = game_of(rules)
        positions = list(replay.positions(own.start(row.deal, rules), own.unpack(moves)))
        context.checked["losing move"] += 1
        if kind in (RegretKind.MOVE, RegretKind.STOPPED):
            found = other.solve_position(positions[step])
            if found.result == Result.UNWINNABLE:
                context.fault(
                    "regret", where, f"{other} proves that it was lost before move {step + 1}"
                )
        if kind in (RegretKind.MOVE, RegretKind.UNWINNABLE):
            number = 0 if step is None else step + 1
            found = other.solve_position(positions[number])
            if found.result == Result.WON:
                won = replay.wins(positions[number], own.unpack(found.moves or b""))
                how = "wins it" if won else "wins it by moves that do not replay"
                context.fault("regret", where, f"after move {number} {other} {how}")


def _faults_of(
    deal: game.Deal,
    rules: Rules,
    kind: str,
    step: int | None,
    action: str | None,
    length: int,
    moves: bytes,
) -> list[str]:
    """The contradictions between a regret and its game, whether or not its judge was right."""
    own = game_of(rules)
    try:
        played = own.unpack(moves)
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
