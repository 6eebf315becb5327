"""The play to make, on a page: in words and on the table, with the chances of the others."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import streamlit as st

from dashboard.elements.tables import Column, show_table
from dashboard.elements.wording import percent, ruleset_title
from dashboard.server.connection import literal
from dashboard.viewer.plays import SeenTable
from dashboard.viewer.renderer import table_of
from dashboard.viewer.table import show_piles, show_replay
from engine.game import Move, Position, Rules
from engine.games import game_of
from solvers.advice import Advice
from solvers.choice import Ability, capable, quick_player

# Moves of a play that is certain to win, in the list.
_FIRST = 3

# A play that wins always, one that never does, one without a chance, and a chance with its error.
_SENTENCE = (
    "certain to win",
    "cannot win",
    "the choice of a bot that counts no wins",
    "wins about {}, give or take {}",
)
_CELL = ("always", "never", "–", "{} ± {}")


def first_words(start: Position, moves: Sequence[Move]) -> str:
    """The sentence of the first move of a win."""
    table = table_of(start)
    if table is None:
        return f"First {moves[0]}."
    return f"First: {table.play(start, moves[0], start.play(moves[0])).sentence}"


def show_plays(
    plays: Sequence[Advice] | None, observation: Mapping[str, Any], rules: Rules
) -> None:
    """Show the plays of a position of which some cards are not known, the one to make first.

    Args:
        plays: the plays; None if no player advises.
        observation: the JSON of the position, with ``??`` for unknown cards.
        rules: the ruleset.
    """
    if plays is None:
        name = ruleset_title(rules.slug)
        st.info(f"No bot that sees only the open cards advises on {name}.")
    elif not plays:
        st.info("There is nothing left to play.")
    table = SeenTable.of(observation, rules)
    if not plays:
        if table is not None:
            show_piles(rules.game, table.piles, {})
        return
    best = plays[0]
    st.subheader(literal(f"{_words(best, table)}: {_wins(best, _SENTENCE)}"))
    if best.certain and best.wins and game_of(rules).fill_in is not None:
        _show_win(best, observation, rules)
    elif table is not None:
        show_piles(rules.game, table.piles, table.play(best.moves).marks)
        st.caption("The cards to move are outlined and numbered.")
    if any(_per_cent(each) > _per_cent(best) for each in plays[1:]):
        st.caption(
            "Some other plays won a little more often in these games, which may be luck. Between "
            "plays that are so close, the one comes first that the bot chose by looking ahead."
        )
    if len(plays) > 1:
        show_table(
            [Column("Other plays", "wide"), Column("Wins about", "number")],
            [(_words(each, table), _wins(each, _CELL)) for each in plays[1:]],
            name="Other plays",
        )
    if any(play.chance is not None and not play.certain for play in plays):
        st.caption(
            "That is how often a bot wins that sees what you see, over random deals of the "
            "cards that are not seen; you may win more or less often. What follows ± or *give or "
            "take* is one standard error."
        )
    _show_details(plays, rules)


def _show_win(play: Advice, observation: Mapping[str, Any], rules: Rules) -> None:
    """A play that wins for certain: no two cards can be confused, so that there is one position."""
    fill_in = game_of(rules).fill_in
    assert fill_in is not None
    start = fill_in(observation, rules, Random(0))
    show_replay(start, play.moves, "The position that you gave.")


def _words(play: Advice, table: SeenTable | None) -> str:
    moves = play.moves[:_FIRST] if play.certain else play.moves
    if table is None:
        return " ".join(map(str, moves))
    more = ", and so on" if len(moves) < len(play.moves) else ""
    return table.play(moves).words + more


def _wins(play: Advice, words: tuple[str, str, str, str]) -> str:
    """How often a play wins, in the words of a sentence or of a cell."""
    always, never, uncounted, about = words
    if play.certain:
        return always if play.wins else never
    if play.chance is None or play.error is None:
        return uncounted
    # An error in whole per cent, of which there is one at least.
    return about.format(percent(play.chance, 0), percent(max(play.error, 0.01), 0))


def _per_cent(play: Advice) -> int:
    """The chance of a play as it is shown."""
    return round(100 * (play.chance or 0.0))


def _show_details(plays: Sequence[Advice], rules: Rules) -> None:
    """The plays in the notation, with their numbers and who plays."""
    fold = st.expander("Details", key="plays-details", on_change="rerun")
    if not fold.open:
        return
    with fold:
        show_table(
            [
                Column("Play", "wide"),
                Column("Chance", "number"),
                Column("Standard error", "number"),
                Column("Trajectories", "number"),
            ],
            [
                (
                    " ".join(map(str, each.moves)),
                    "–" if each.chance is None else percent(each.chance),
                    "–" if each.error is None else percent(each.error),
                    f"{each.trajectories:,}",
                )
                for each in plays
            ],
            name="Plays",
        )
        player, quick = capable(rules, Ability.ADVISE), quick_player(rules)
        words = f"Advice by `{player}`"
        if quick is not None and player is not None and not player.method.counts_wins:
            words += f", games by `{quick}`"
        st.caption(f"{words}. Moves: {game_of(rules).notation}.")
