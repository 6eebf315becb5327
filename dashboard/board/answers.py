"""Answers about the position at the end of a line: verdicts, wins, advice, where a game was lost.

A question names a start and the moves made from there, so that nothing is remembered between
questions. Each answer is plain data, and whether more time would tell nothing else.
"""

import copy
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from catalogue import asking
from catalogue.asking import Question, WriteMoves, usual_budget
from dashboard.elements.card_text import with_signs
from dashboard.http_api.questions import question
from dashboard.http_api.stored import catalogue
from dashboard.server.searching import BUDGETS, cancel, decide_longer, key_of_longer, regret_longer
from dashboard.viewer.changes import Change, follow, step_as_data
from dashboard.viewer.renderer import GameTable, Piles, Step, renderer_of, table_of
from engine.errors import BadInput
from engine.game import Edit, EditKind, Move, Position
from engine.games import game_of
from engine.rulesets import parse_ruleset
from engine.safe_moves import safe_moves
from engine.text.strict_json import parse_json
from solvers.advice import Advice
from solvers.analysis import GameRegret, different
from solvers.choice import Ability, capable
from solvers.deciding import Budget, Ending, Verdict, ending_words, limit_of
from solvers.moments import is_last_critical
from solvers.regret import Regret, RegretKind

# Time for the verdicts of a position, for the same once more, for a win from it, and for the regret
# of a game.
VERDICTS_MILLISECONDS = 250.0
# Searches that have begun go on to their end, so that 95 % of these answers come within a second.
AGAIN_MILLISECONDS = 850.0
WIN_MILLISECONDS = 1_000.0
REGRET_MILLISECONDS = 5_000.0

# The keys of a request that may lack, with what they are then, and the others.
_DEFAULTS: dict[str, Any] = {
    "moves": [],
    **{"hidden": False, "again": False, "cancel": False},
    **{"about": None, "seconds": None, "cards": None, "edit": None},
    **{"band": "any", "key": "", "date": "", "theme": None},
}
_KEYS = ("rules", "deal", *_DEFAULTS)

# Plain data, and whether more time would tell nothing else.
Response = tuple[dict[str, Any], bool]


def read(body: bytes) -> dict[str, Any]:
    """Read a request: the keys that mean something, so that equal questions are equal.

    Raises:
        BadInput: it is no JSON object, or names no ruleset.
    """
    try:
        data = parse_json(body.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise BadInput("the request is not UTF-8") from None
    if not isinstance(data, dict):
        raise BadInput("the request is not a JSON object")
    if not isinstance(data.get("rules"), str):
        raise BadInput('the request needs the slug of a ruleset in "rules"')
    return _DEFAULTS | {key: data[key] for key in _KEYS if key in data}


def question_in(data: dict[str, Any], budget: Budget) -> Question:
    """The question of a request, with the budget of its answer.

    Raises:
        BadInput: a key is wrong, or the line is impossible.
        Problem: it names the digest of a deal, and there is no catalogue.
    """
    deal, moves = data.get("deal"), data["moves"]
    if not isinstance(deal, str | dict):
        raise BadInput('the request needs a deal or position in "deal", as a text or as JSON')
    if not isinstance(moves, list) or not all(isinstance(move, str) for move in moves):
        raise BadInput('"moves" is not a list of the names of moves')
    for name in ("hidden", "again"):
        _flag(data, name)
    text = deal if isinstance(deal, str) else json.dumps(deal)
    return question(text, data["rules"], " ".join(moves)).within(budget)


def _flag(data: dict[str, Any], name: str) -> bool:
    flag = data[name]
    if not isinstance(flag, bool):
        raise BadInput(f'"{name}" is neither true nor false')
    return flag


def analysis(data: dict[str, Any]) -> Response:
    """The position at the end of the line, its moves and which of them keep the win.

    As a person sees it, what a player that does not see the hidden cards thinks of each move.
    """
    milliseconds = AGAIN_MILLISECONDS if _flag(data, "again") else VERDICTS_MILLISECONDS
    asked = question_in(data, Budget(milliseconds))
    table = table_after(asked)
    if _flag(data, "hidden"):
        return _seen(asked.position, writer(table)), True
    found = asking.answer(replace(asked, about="moves"), catalogue)
    response, is_final = found.as_data(writer(table)), found.ending is None
    moves = different(found.moves)
    winning = sum(each.verdict == Verdict.WINNABLE for each in moves)
    response |= {
        "position": asked.position.to_json(),
        "piles": {} if table is None else table.piles,
        "legal": len(moves),
        "winning": winning if is_final else None,
        "moves": [each.pop("move") | each for each in response["moves"]],
    }
    return response, is_final


def _seen(position: Position, write: WriteMoves) -> dict[str, Any]:
    """`analysis` without the hidden cards: the moves by their chances in the mind of a player."""
    player = capable(position.rules, Ability.ADVISE)
    plays = [] if player is None else player.advise(position.observation(), position.rules)
    # Plays come best first; what a move is worth is the best of those that begin with it.
    best = {str(play.moves[0]): play for play in reversed(plays)}
    advised = [(move, best.get(str(move))) for move in position.legal_moves()]
    # By chance, those that nobody advises last.
    advised.sort(key=lambda each: 1.0 if each[1] is None else -(each[1].chance or 0.0))
    return {
        "rules": position.rules.slug,
        "position": position.observation(),
        "hidden": True,
        "won": position.is_won,
        "player": None if player is None else str(player),
        "legal": len(advised),
        "winning": None,
        "complete": True,
        "safe": write(position, safe_moves(position)),
        "moves": [
            write(position, [move])[0] | {"advice": None if play is None else advice_as_data(play)}
            for move, play in advised
        ],
    }


def solution(data: dict[str, Any]) -> Response:
    """A win from the end of the line; no moves where there is none or none is found."""
    asked = question_in(data, Budget(WIN_MILLISECONDS))
    found = asking.answer(asked, catalogue)
    return found.as_data(writer(table_after(asked))), found.ending is None


def moment(data: dict[str, Any]) -> Response:
    """Whether the last move of the line was made at a critical moment.

    Where no solver tells the plays of the ruleset, it never is.
    """
    asked = question_in(data, Budget(0.0))
    forgives = capable(asked.rules, Ability.FORGIVE) is not None
    return {"critical": forgives and is_last_critical(asked.start, asked.line)}, True


def advice(data: dict[str, Any]) -> Response:
    """The opinion of a player that does not see the hidden cards on each play.

    Raises:
        BadInput: no player advises on positions of the ruleset.
    """
    asked = question_in(data, Budget(0.0))
    player = capable(asked.rules, Ability.ADVISE)
    if player is None:
        raise BadInput(f"no bot that sees only the open cards advises on {asked.rules.slug}")
    found = player.advise(asked.position.observation(), asked.rules)
    return {"player": str(player), "plays": list(map(advice_as_data, found))}, True


def advice_as_data(play: Advice) -> dict[str, Any]:
    """The opinion of a player on a play."""
    return {
        "moves": list(map(str, play.moves)),
        "chance": play.chance,
        "error": play.error,
        "trajectories": play.trajectories,
        "certain": play.certain,
    }


def regret(data: dict[str, Any]) -> Response:
    """The move of the line after which no win was possible any more.

    Of a game that is won it says so, and it is undecided where no solver decides its positions.
    """
    asked = question_in(data, Budget(REGRET_MILLISECONDS))
    if asked.position.is_won:
        return {"kind": "won", "step": None, "ending": None, "limit": None, "reason": None}, True
    if capable(asked.rules, Ability.DECIDE) is None:
        undecided = GameRegret(Regret(RegretKind.UNDECIDED), Ending.NO_SOLVER, ())
        return _regret_as_data(asked, undecided), True
    found = asking.regret(asked, catalogue)
    return _regret_as_data(asked, found), found.ending is None


def _regret_as_data(asked: Question, found: GameRegret) -> dict[str, Any]:
    ending, budget = found.ending, asked.budget
    return {
        "kind": found.regret.kind,
        "step": found.regret.step,
        "ending": ending,
        "limit": limit_of(ending, budget),
        "reason": None if ending is None else ending_words(ending, budget, asked.rules),
    }


def longer(data: dict[str, Any]) -> Response:
    """The state of a search that takes longer than an answer may, begun unless it was; or its end.

    Raises:
        BadInput: the request is wrong, or too many long searches wait.
    """
    about, seconds = data["about"], data["seconds"]
    if about not in ("solution", "regret"):
        raise BadInput('"about" is neither "solution" nor "regret"')
    if seconds not in BUDGETS[1:] or isinstance(seconds, bool):
        raise BadInput(f'"seconds" is none of {", ".join(map(str, BUDGETS[1:]))}')
    asked = question_in(data, usual_budget(1000.0 * seconds))
    if _flag(data, "cancel"):
        cancel(key_of_longer(asked, about))
        return {"state": "cancelled"}, False
    if about == "solution":
        found = decide_longer(asked)
        response = None if found is None else found.as_data(writer(table_after(asked)))
    else:
        lost = regret_longer(asked, catalogue)
        response = None if lost is None else _regret_as_data(asked, lost)
    if response is None:
        return {"state": "searching"}, False
    state = "cancelled" if response["ending"] == Ending.CANCELLED else "done"
    return {"state": state, **response}, False


def setting(data: dict[str, Any]) -> Response:
    """A table on which cards are entered one by one, after a change of it.

    Raises:
        BadInput: the request is wrong, or names what is no card or place.
    """
    rules = parse_ruleset(data["rules"])
    game = game_of(rules)
    if game.setting is None:
        raise BadInput(f"cards of {game.name} cannot be entered one by one")
    cards = data["cards"]
    if cards is not None and (
        not isinstance(cards, dict)
        or not all(
            isinstance(pile, list) and all(isinstance(card, str) for card in pile)
            for pile in cards.values()
        )
    ):
        raise BadInput('"cards" is not an object with a list of cards for each place')
    found = game.setting(cards, rules, _edit(data["edit"]))
    renderer = renderer_of(game.slug)
    if renderer is None or renderer.seen is None or renderer.places is None:
        raise BadInput(f"the table of {game.name} cannot be drawn")
    piles = renderer.seen(found.data)
    drawn = renderer.places(piles)
    return {
        "places": [asdict(place) | {"drawn": drawn[place.name]} for place in found.places],
        "piles": piles,
        "left": dict(found.left),
        "problem": None if found.problem is None else with_signs(found.problem),
        "text": found.text,
    }, True


def _edit(data: Any) -> Edit | None:
    """The change of a table in a request.

    Raises:
        BadInput: it is none.
    """
    if data is None:
        return None
    kinds = [kind.value for kind in EditKind]
    if not isinstance(data, dict) or data.get("kind") not in kinds:
        raise BadInput(f'"edit" is no object whose "kind" is one of {", ".join(kinds)}')
    place, at, card = (data.get(key) for key in ("place", "at", "card"))
    if not isinstance(place, str) or not isinstance(card, str | None):
        raise BadInput('"place" and "card" of "edit" are not the names of a place and a card')
    if isinstance(at, bool) or not isinstance(at, int | None):
        raise BadInput('"at" of "edit" is not the number of a card')
    return Edit(EditKind(data["kind"]), place, at, card)


def table_after(asked: Question) -> GameTable | None:
    """The table at the end of a line, on which each card has been followed."""
    table = table_of(asked.start)
    if table is not None:
        for _ in follow(table, asked.start, asked.line):
            pass
    return table


def writer(table: GameTable | None) -> WriteMoves:
    """Writes moves from a position as the board shows them, one after another."""

    def write(at: Position, moves: Sequence[Move]) -> list[dict[str, Any]]:
        if table is None:
            return [_move(Step(str(move), str(move), ()), [], {}) for move in moves]
        own = copy.deepcopy(table)
        return [_move(step, changed, own.piles) for step, changed, _ in follow(own, at, moves)]

    return write


def _move(step: Step, changed: list[Change], piles: Piles) -> dict[str, Any]:
    """A move, given the piles after it."""
    last = step.moved[-1] if step.moved else None
    return step_as_data(step, changed) | {
        "foreseen": step.foreseen or step.sentence,
        "gain": step.gain,
        "target": next((name for name, cards in piles.items() if last in cards), None),
    }
