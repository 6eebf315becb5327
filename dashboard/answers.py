"""What is told of the position at the end of a line: verdicts, wins, advice, where a game was lost.

A question names a start and the moves made from there, so that nothing is remembered between
questions. Each answer is plain data, and whether more time would tell nothing else.
"""

import copy
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.viewer.changes import Change, follow, step_as_data
from dashboard.viewer.renderer import GameTable, Piles, Step, renderer_of
from engine.dealing.dealers import deal_by_id
from engine.errors import BadInput
from engine.game import Move, Position, Rules
from engine.games import game_of
from engine.replay import replay
from engine.rulesets import parse_ruleset
from engine.safe_moves import safe_moves
from engine.text.strict_json import parse_json
from solvers.advice import Advice
from solvers.analysis import Verdict, analyse, regret_of, win_from
from solvers.moments import is_last_critical
from solvers.registry import adviser, forgiver
from solvers.regret import RegretKind

# Moves of a line.
MOVES_MOST = 5_000
# Time for the verdicts of a position, for a win from it, and for the regret of a game.
VERDICTS_MILLISECONDS = 250.0
WIN_MILLISECONDS = 2_000.0
REGRET_MILLISECONDS = 5_000.0


@dataclass(frozen=True, slots=True)
class LineQuestion:
    """A start and the moves from there, as JSON and as text, so that answers can be kept.

    Attributes:
        rules: slug of the ruleset.
        deal: name of the deal at the start, or None.
        position: the position at the start as JSON, or None.
        moves: names of the moves.
        hidden: whether it is asked as a person sees the table, without the face-down cards.
    """

    rules: str
    deal: str | None
    position: str | None
    moves: tuple[str, ...]
    hidden: bool = False


# What is told, and whether more time would tell nothing else.
Answer = Callable[[LineQuestion], tuple[dict[str, Any], bool]]


@dataclass(frozen=True, slots=True)
class Reached:
    """The end of a line, with the cards of the table there."""

    position: Position
    table: GameTable | None


def question_of(body: bytes) -> LineQuestion:
    """Read a request.

    Raises:
        BadInput: it is no JSON object with the keys that are needed.
    """
    rules, data = read_request(body)
    deal, position = data.get("deal"), data.get("position")
    if (deal is None) == (position is None):
        raise BadInput('the request needs either "deal", a name, or "position", a JSON object')
    if deal is not None and not isinstance(deal, str):
        raise BadInput('"deal" is not the name of a deal, such as "thoughtful-1:42"')
    if position is not None and not isinstance(position, dict):
        raise BadInput('"position" is not a JSON object')
    moves = data.get("moves", [])
    if not isinstance(moves, list) or not all(isinstance(move, str) for move in moves):
        raise BadInput('"moves" is not a list of the names of moves')
    if len(moves) > MOVES_MOST:
        raise BadInput(f'"moves" has {len(moves):,} moves: {MOVES_MOST:,} at most')
    hidden = data.get("hidden", False)
    if not isinstance(hidden, bool):
        raise BadInput('"hidden" is neither true nor false')
    told = None if position is None else json.dumps(position, sort_keys=True)
    return LineQuestion(rules.slug, deal, told, tuple(moves), hidden)


def read_request(body: bytes) -> tuple[Rules, dict[str, Any]]:
    """The ruleset of a request, and all that it holds.

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
    return parse_ruleset(data["rules"]), data


def _start_of(question: LineQuestion) -> Position:
    rules = parse_ruleset(question.rules)
    game = game_of(rules)
    if question.deal is not None:
        return game.start(deal_by_id(question.deal, game), rules)
    assert question.position is not None
    return game.position_from_json(json.loads(question.position), rules)


def _reach(question: LineQuestion) -> Reached:
    """Play the line of a question.

    Raises:
        BadInput: the start is impossible, or one of its moves is none or illegal.
    """
    start = _start_of(question)
    game = game_of(start.rules)
    renderer = renderer_of(game.slug)
    table = None if renderer is None else renderer.table(start)
    moves = [game.parse_move(name) for name in question.moves]
    if table is None:
        return Reached(replay(start, moves), None)
    reached = [start, *(position for _, _, position in follow(table, start, moves))]
    return Reached(reached[-1], table)


def analysis(question: LineQuestion) -> tuple[dict[str, Any], bool]:
    """The position at the end of the line, its moves and which of them keep the win.

    As a person sees it, what a player that does not see the hidden cards thinks of each move.
    """
    reached = _reach(question)
    if question.hidden:
        return _seen(reached), True
    found = analyse(reached.position, VERDICTS_MILLISECONDS)
    return (
        {
            "rules": question.rules,
            "position": reached.position.to_json(),
            "piles": {} if reached.table is None else reached.table.piles,
            "won": reached.position.is_won,
            "verdict": found.verdict,
            "legal": len(found.moves),
            "winning": found.winning if found.complete else None,
            "complete": found.complete,
            "safe": _line(reached, safe_moves(reached.position)),
            "moves": [
                _line(reached, [each.move])[0] | {"verdict": each.verdict} for each in found.moves
            ],
        },
        found.complete,
    )


def _seen(reached: Reached) -> dict[str, Any]:
    """`analysis` without the hidden cards: the moves by their chances in the mind of a player."""
    position = reached.position
    player = adviser(position.rules)
    plays = [] if player is None else player.advise(position.observation(), position.rules)
    # Plays come best first; what a move is worth is the best of those that begin with it.
    best = {str(play.moves[0]): play for play in reversed(plays)}
    advised = [(move, best.get(str(move))) for move in position.legal_moves()]
    advised.sort(key=lambda each: _rank(each[1]))
    return {
        "rules": position.rules.slug,
        "position": position.observation(),
        "hidden": True,
        "won": position.is_won,
        "player": None if player is None else str(player),
        "legal": len(advised),
        "winning": None,
        "complete": True,
        "safe": _line(reached, safe_moves(position)),
        "moves": [
            _line(reached, [move])[0] | {"advice": None if play is None else _advice_as_data(play)}
            for move, play in advised
        ],
    }


def solution(question: LineQuestion) -> tuple[dict[str, Any], bool]:
    """A win from the end of the line; no moves where there is none or none is found."""
    reached = _reach(question)
    verdict, moves = win_from(reached.position, WIN_MILLISECONDS)
    told = {"verdict": verdict, "moves": _line(reached, moves)}
    return told, verdict != Verdict.UNKNOWN


def moment(question: LineQuestion) -> tuple[dict[str, Any], bool]:
    """Whether the last move of the line was made at a critical moment.

    Where no solver tells the plays of the ruleset, it never is.
    """
    start = _start_of(question)
    if forgiver(start.rules) is None:
        return {"critical": False}, True
    game = game_of(start.rules)
    moves = [game.parse_move(name) for name in question.moves]
    return {"critical": is_last_critical(start, moves)}, True


def advice(question: LineQuestion) -> tuple[dict[str, Any], bool]:
    """What a player that does not see the hidden cards thinks of each play.

    Raises:
        BadInput: no player advises on positions of the ruleset.
    """
    reached = _reach(question)
    player = adviser(reached.position.rules)
    if player is None:
        raise BadInput(f"no player that sees only the open cards advises on {question.rules}")
    found = player.advise(reached.position.observation(), reached.position.rules)
    return {"player": str(player), "plays": list(map(_advice_as_data, found))}, True


def _rank(play: Advice | None) -> float:
    """The place of a move in the list: by chance, those that nobody advises last."""
    return 1.0 if play is None else -(play.chance or 0.0)


def _advice_as_data(play: Advice) -> dict[str, Any]:
    return {
        "moves": list(map(str, play.moves)),
        "chance": play.chance,
        "error": play.error,
        "trajectories": play.trajectories,
        "certain": play.certain,
    }


def regret(question: LineQuestion) -> tuple[dict[str, Any], bool]:
    """The move of the line after which no win was possible any more.

    Raises:
        BadInput: the line ends in a win, or no solver decides positions of the ruleset.
    """
    start = _start_of(question)
    game = game_of(start.rules)
    moves = [game.parse_move(name) for name in question.moves]
    found = regret_of(start, moves, REGRET_MILLISECONDS)
    told = {"kind": found.kind, "step": found.step}
    return told, found.kind != RegretKind.UNDECIDED


def _line(reached: Reached, moves: Sequence[Move]) -> list[dict[str, Any]]:
    """Moves one after the other, each as the board shows it."""
    if reached.table is None:
        return [_move(Step(str(move), str(move), ()), [], {}) for move in moves]
    table = copy.deepcopy(reached.table)
    return [
        _move(step, changed, table.piles)
        for step, changed, _ in follow(table, reached.position, moves)
    ]


def _move(step: Step, changed: list[Change], piles: Piles) -> dict[str, Any]:
    """A move, given the piles after it."""
    return step_as_data(step, changed) | {
        "foreseen": step.foreseen or step.sentence,
        "target": _pile_of(piles, step.moved[-1]) if step.moved else None,
    }


def _pile_of(piles: Piles, card: str) -> str | None:
    return next((name for name, cards in piles.items() if card in cards), None)
