"""Answers about the position at the end of a line: verdicts, wins, advice, where a game was lost.

A question names a start and the moves made from there, so that nothing is remembered between
questions. Each answer is plain data, and whether more time would tell nothing else.
"""

import copy
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from catalogue import asking
from catalogue.asking import Knowledge, Origin
from dashboard.http_api.stored import knowledge, origin_of
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
from solvers.analysis import regret_of
from solvers.deciding import Budget, Ending, ending_words, limit_of
from solvers.moments import is_last_critical
from solvers.registry import Ability, capable, decider
from solvers.regret import RegretKind

# Moves of a line.
MOVES_MOST = 5_000
# Time for the verdicts of a position, for the same once more, for a win from it, and for the regret
# of a game.
VERDICTS_MILLISECONDS = 250.0
AGAIN_MILLISECONDS = 1_000.0
WIN_MILLISECONDS = 1_000.0
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
        again: whether it was asked before, so that it gets more time.
        digest: of the deal that the position at the start belongs to, if the catalogue has it.
    """

    rules: str
    deal: str | None
    position: str | None
    moves: tuple[str, ...]
    hidden: bool = False
    again: bool = False
    digest: str | None = None


# What is told, and whether more time would tell nothing else.
Answer = Callable[[LineQuestion], tuple[dict[str, Any], bool]]


@dataclass(frozen=True, slots=True)
class Reached:
    """The end of a line, with the cards of the table there, and the deal at its start if known."""

    position: Position
    table: GameTable | None
    origin: Origin | None

    @property
    def knowledge(self) -> Knowledge:
        """The knowledge of the position and of those after it."""
        return knowledge(self.origin, self.position.rules)


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
    hidden, again = data.get("hidden", False), data.get("again", False)
    for name, flag in (("hidden", hidden), ("again", again)):
        if not isinstance(flag, bool):
            raise BadInput(f'"{name}" is neither true nor false')
    digest = data.get("digest")
    if digest is not None and not isinstance(digest, str):
        raise BadInput('"digest" is not that of a deal, 32 hexadecimal digits')
    told = None if position is None else json.dumps(position, sort_keys=True)
    return LineQuestion(rules.slug, deal, told, tuple(moves), hidden, again, digest)


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


def _start_of(question: LineQuestion) -> tuple[Position, Origin | None]:
    """The position at the start, and the deal of which it is that, if it is known."""
    rules = parse_ruleset(question.rules)
    game = game_of(rules)
    if question.deal is not None:
        origin = Origin(deal_by_id(question.deal, game), question.deal)
        return game.start(origin.deal, rules), origin
    assert question.position is not None
    start = game.position_from_json(json.loads(question.position), rules)
    return start, None if question.digest is None else origin_of(start, question.digest)


def _reach(question: LineQuestion) -> Reached:
    """Play the line of a question.

    Raises:
        BadInput: the start is impossible, or one of its moves is none or illegal.
    """
    start, origin = _start_of(question)
    game = game_of(start.rules)
    renderer = renderer_of(game.slug)
    table = None if renderer is None else renderer.table(start)
    moves = [game.parse_move(name) for name in question.moves]
    if table is None:
        return Reached(replay(start, moves), None, origin)
    reached = [start, *(position for _, _, position in follow(table, start, moves))]
    return Reached(reached[-1], table, origin)


def analysis(question: LineQuestion) -> tuple[dict[str, Any], bool]:
    """The position at the end of the line, its moves and which of them keep the win.

    As a person sees it, what a player that does not see the hidden cards thinks of each move.
    """
    reached = _reach(question)
    if question.hidden:
        return _seen(reached), True
    budget = Budget(AGAIN_MILLISECONDS if question.again else VERDICTS_MILLISECONDS)
    found = asking.marked_moves(reached.position, budget, reached.knowledge)
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
            **_limit(found.ending, budget, reached.position.rules),
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
    player = capable(position.rules, Ability.ADVISE)
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
    budget = Budget(WIN_MILLISECONDS)
    found = asking.answer(reached.position, budget, knowledge=reached.knowledge)
    told = {"verdict": found.verdict, "moves": _line(reached, found.moves)}
    told |= _limit(found.ending, budget, reached.position.rules)
    return told, found.ending is None


def _limit(ending: Ending | None, budget: Budget, rules: Rules) -> dict[str, Any]:
    """The ending of a search, its limit if a larger one may tell more, and both in words."""
    reason = None if ending is None else ending_words(ending, budget, decider(rules), rules.slug)
    return {"ending": ending, "limit": limit_of(ending, budget), "reason": reason}


def moment(question: LineQuestion) -> tuple[dict[str, Any], bool]:
    """Whether the last move of the line was made at a critical moment.

    Where no solver tells the plays of the ruleset, it never is.
    """
    start, _ = _start_of(question)
    if capable(start.rules, Ability.FORGIVE) is None:
        return {"critical": False}, True
    game = game_of(start.rules)
    moves = [game.parse_move(name) for name in question.moves]
    return {"critical": is_last_critical(start, moves)}, True


def advice(question: LineQuestion) -> tuple[dict[str, Any], bool]:
    """The opinion of a player that does not see the hidden cards on each play.

    Raises:
        BadInput: no player advises on positions of the ruleset.
    """
    reached = _reach(question)
    player = capable(reached.position.rules, Ability.ADVISE)
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
    start, moves, known = game_asked(question)
    budget = Budget(REGRET_MILLISECONDS)
    found, ending = regret_of(start, moves, budget, known, asking.remember)
    told = {"kind": found.kind, "step": found.step, **_limit(ending, budget, start.rules)}
    return told, found.kind != RegretKind.UNDECIDED


def game_asked(question: LineQuestion) -> tuple[Position, tuple[Move, ...], Knowledge]:
    """The game of a question, its start and its moves, and what is known of its positions.

    Raises:
        BadInput: the start is impossible, or one of its moves is none.
    """
    start, origin = _start_of(question)
    moves = tuple(map(game_of(start.rules).parse_move, question.moves))
    return start, moves, knowledge(origin, start.rules)


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
