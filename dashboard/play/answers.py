"""Answers for the table on which people play: deals, legal moves, hints.

Requests and responses are those of `dashboard.board.answers`. Nothing here says more than was
asked: the legal moves come without their verdicts, and a hint is asked for by itself.
"""

import copy
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from catalogue import asking
from catalogue.difficulty.deal_of_day import deal_of_day
from catalogue.difficulty.playable import Band, level_of, playable_deal
from catalogue.difficulty.puzzles import THEMES, puzzle, state_after
from dashboard.board.answers import (
    WIN_MILLISECONDS,
    Response,
    question_in,
    table_after,
    writer,
)
from dashboard.http_api.stored import catalogue
from dashboard.viewer.changes import step_as_data
from dashboard.viewer.renderer import GameTable, renderer_of, table_of
from engine.errors import BadInput
from engine.game import Actions, Position
from engine.games import family_of, game_of
from engine.replay import replay
from engine.safe_moves import finishing_moves, safe_moves
from engine.text.numbers import per_cent
from solvers.analysis import different
from solvers.choice import Ability, capable
from solvers.deciding import Budget, Verdict

# Time for the verdicts of all moves, by which a hint says how many keep the win.
_MOVES_MILLISECONDS = 100.0
# Moves of a win among which the reason for the first is looked for.
_AHEAD = 12


def deal(data: dict[str, Any]) -> Response:
    """A deal to play: winnable, and as hard as the player wants it.

    Raises:
        BadInput: the band is none, or no solver wins deals of the ruleset.
    """
    band, key = data["band"], data["key"]
    if band not in list(Band):
        raise BadInput(f'"band" is none of {", ".join(Band)}')
    if not isinstance(key, str):
        raise BadInput('"key" is not a text')
    found = playable_deal(data["rules"], Band(band), key)
    return {
        "deal": found.deal,
        "rules": found.ruleset,
        "level": found.level,
        "level_name": found.level_name,
    }, True


def daily(data: dict[str, Any]) -> Response:
    """The deal of a day that has begun somewhere on earth.

    Raises:
        BadInput: it is no date, or a later one.
    """
    try:
        day = date.fromisoformat(data["date"])
    except (TypeError, ValueError):
        raise BadInput('"date" is not a date such as 2026-11-28') from None
    today = datetime.now(UTC).date()
    if (day - today).days > 1:
        raise BadInput(f"the deal of {day} is not drawn yet: it can be played from that day on")
    found = deal_of_day(day, data["rules"])
    return {
        "deal": found.deal,
        "rules": found.ruleset,
        "date": found.date,
    }, True


def level(data: dict[str, Any]) -> Response:
    """Whether a deal is known to be winnable, and its level by the shipped model if it is."""
    asked = question_in(data, Budget(WIN_MILLISECONDS))
    found = asking.answer(asked, catalogue)
    is_won = found.verdict == Verdict.WINNABLE
    known = None
    if is_won and asked.deal is not None:
        with suppress(BadInput):  # the solver behind the levels may find no win of a hard one
            known = level_of(asked.deal, asked.rules)
    return {
        "sure": is_won,
        "level": None if known is None else known.number,
        "level_name": None if known is None else known.name,
    }, found.ending is None


def puzzle_position(data: dict[str, Any]) -> Response:
    """A position in which one play of many keeps the win, with that play.

    Raises:
        BadInput: there are no puzzles of the ruleset or of the theme.
    """
    theme, key = data["theme"], data["key"]
    if not isinstance(key, str) or not isinstance(theme, str | None):
        raise BadInput('"theme" and "key" are not texts')
    found = puzzle(data["rules"], theme, key)
    at = found.position
    moves = game_of(at.rules).parse_solution(" ".join(found.solution))
    steps = writer(table_of(at))(at, moves)
    return {
        "deal": at.to_json(),
        "name": None,
        "rules": found.ruleset,
        "level": found.level,
        "level_name": found.level_name,
        "puzzle": {
            "plays": found.plays,
            "words": " ".join(f"{THEMES[each]}." for each in found.themes),
            "solution": steps,
        },
    }, True


def puzzle_state(data: dict[str, Any]) -> Response:
    """Whether the moves made from the position of a puzzle solve it, lose it, or leave it open."""
    asked = question_in(data, Budget(0.0))
    return {"state": state_after(asked.start, asked.line)}, True


def table(data: dict[str, Any]) -> Response:
    """The legal moves at the end of the line, and what a table does of itself there.

    ``moves`` come with those first that a player most likely means; ``same_as`` tells whether
    another leads to the same position but for the order of cells or columns. ``groups`` are moves
    of several cards as one, each with its ``steps``. ``safe`` are moves that lose no win, one after
    another; ``finish`` are moves that win without a choice. At the start of a line there is
    ``drawing``, too: the script of the table, by its family of games, and the layout that it finds.
    """
    asked = question_in(data, Budget(0.0))
    at, drawn = asked.position, table_after(asked)
    write = writer(drawn)
    actions = game_of(asked.rules).load_actions()
    moves = sorted(at.legal_moves(), key=lambda move: actions.preference(at, move))
    safe = safe_moves(at)
    response: dict[str, Any] = {
        "won": at.is_won,
        "piles": {} if drawn is None else drawn.piles,
        "moves": [
            write(at, [move])[0] | {"same_as": actions.first_alike(at, move) != move}
            for move in moves
        ],
        "groups": [] if drawn is None else _groups(at, actions, drawn),
        "safe": write(at, safe),
        "finish": write(at, finishing_moves(at)),
    }
    renderer = renderer_of(asked.rules.game)
    if not data["moves"] and renderer is not None:
        response["drawing"] = {"script": family_of(asked.rules.game), "layout": renderer.layout}
    return response, True


def _groups(at: Position, actions: Actions, drawn: GameTable) -> list[dict[str, Any]]:
    """The moves of groups from a position, given the table there, as `writer` writes moves."""
    groups = sorted(actions.group_moves(at), key=lambda group: actions.preference(at, group[0]))
    found = []
    for move, moves in groups:
        own = copy.deepcopy(drawn)
        step = own.play(at, move, replay(at, moves))
        found.append(
            step_as_data(step, [])
            | {
                "foreseen": step.foreseen or step.sentence,
                "target": next(
                    name for name, cards in own.piles.items() if step.moved[-1] in cards
                ),
                "steps": writer(drawn)(at, moves),
            }
        )
    return found


def hint(data: dict[str, Any]) -> Response:
    """Whether the game can still be won, by which move, and why that one.

    Where it is not decided, the move of a player that sees only the open cards, if there is one.
    """
    asked = question_in(data, Budget(WIN_MILLISECONDS))
    found = asking.answer(asked, catalogue)
    write = writer(table_after(asked))
    response = found.as_data(lambda _at, _moves: []) | {"move": None, "why": "", "length": None}
    response["final"] = found.ending is None
    if found.verdict == Verdict.WINNABLE and found.win:
        ahead = write(asked.position, found.win[:_AHEAD])
        response |= {
            "move": ahead[0],
            "why": _reason(asked, ahead),
            "length": len(found.win),
        }
    elif found.verdict == Verdict.UNDECIDED:
        response |= _advised(asked.position, write)
    return response, found.ending is None


def _reason(asked: asking.Question, ahead: Sequence[dict[str, Any]]) -> str:
    """Why the first of these moves is made: what it keeps, and what it leads to."""
    sentences = []
    about_moves = replace(asked, about="moves", budget=Budget(_MOVES_MILLISECONDS))
    verdicts = [each.verdict for each in different(asking.answer(about_moves, catalogue).moves)]
    if len(verdicts) > 1 and Verdict.UNDECIDED not in verdicts:
        keep = verdicts.count(Verdict.WINNABLE)
        if keep == 1:
            sentences.append(f"It is the only one of {len(verdicts)} moves that keeps the win.")
        elif keep < len(verdicts):
            sentences.append(f"{keep} of {len(verdicts)} moves keep the win; this is one of them.")
        else:
            sentences.append("No move loses the win here; this is a short way.")
    gains = ((at, step["gain"]) for at, step in enumerate(ahead) if step["gain"])
    at, gain = next(gains, (0, ""))
    if at > 0:  # what the move itself gains stands in its sentence
        moves = "The next move" if at == 1 else f"The move {at} moves later"
        sentences.append(f"{moves} {gain}.")
    return " ".join(sentences)


def _advised(position: Position, write: asking.WriteMoves) -> dict[str, Any]:
    """The move of a player that sees only the open cards; empty if none advises."""
    player = capable(position.rules, Ability.ADVISE)
    plays = [] if player is None else player.advise(position.observation(), position.rules)
    if not plays:
        return {}
    best = plays[0]
    why = "It is what a bot would play that sees only the open cards."
    if best.chance is not None:
        games = f"{per_cent(best.chance, 0)} % of its games"
        why = f"A bot that sees only the open cards wins {games} with it."
    return {"move": write(position, [best.moves[0]])[0], "why": why}
