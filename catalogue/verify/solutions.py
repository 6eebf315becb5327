"""Check of solutions, replayed by the referee."""

from catalogue.schema import SolutionRow
from catalogue.verify.context import Context
from engine.errors import BadInput
from engine.games import game_of
from engine.replay import replay


def check_solutions(context: Context) -> None:
    """Replay solutions."""
    for row in context.rows(SolutionRow, (SolutionRow.moves, SolutionRow.length), context.share):
        moves, length = row.values
        rules = row.rules
        game = game_of(rules)
        where = f"{row.name} under {rules.slug}"
        context.checked["solution"] += 1
        if length != game.length(moves):
            context.fault(
                "solution", where, f"its length is {game.length(moves)}, stored is {length}"
            )
        try:
            if not replay(game.start(row.deal, rules), game.unpack(moves)).is_won:
                context.fault("solution", where, "its moves do not end in a win")
        except BadInput as error:
            context.fault("solution", where, str(error))
