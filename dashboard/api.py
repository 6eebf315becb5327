"""`/api/v1`: verdicts beside the moves of a position, wins from there, advice; JSON in and out.

The board in the browser knows no rules: whatever is legal, and what it leads to, comes from here.
A request names a start and the moves made from there, so that nothing is remembered between
requests; answers to the same question are kept for a while.
"""

import asyncio
import copy
import json
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from dashboard.viewer.changes import follow, step_as_data
from dashboard.viewer.renderer import GameTable, Piles, Step, renderer_of
from engine.dealing.dealers import deal_by_id
from engine.errors import BadInput
from engine.game import Move, Position
from engine.games import game_of
from engine.replay import replay
from engine.rulesets import parse_ruleset
from engine.text.strict_json import parse_json
from solvers.analysis import Verdict, analyse, win_from
from solvers.registry import adviser

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

# Bytes of a request, and moves of a line.
BODY_MOST = 65_536
MOVES_MOST = 5_000
# Requests that wait for a thread; whoever comes then is told to come again.
WAITING_MOST = 64
# Answers that are kept.
_KEPT = 4_096
# Time for the verdicts of a position, and for a win from it.
VERDICTS_MILLISECONDS = 250.0
WIN_MILLISECONDS = 2_000.0

# A pool of its own: each thread keeps the memory of a solver.
_threads = ThreadPoolExecutor(max(2, os.cpu_count() or 1), thread_name_prefix="analysis")
_places = threading.Semaphore(WAITING_MOST)
_answers: "OrderedDict[tuple[Answer, LineQuestion], str]" = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class LineQuestion:
    """A start and the moves from there, as JSON and as text, so that answers can be kept.

    Attributes:
        rules: slug of the ruleset.
        deal: name of the deal at the start, or None.
        position: the position at the start as JSON, or None.
        moves: names of the moves.
    """

    rules: str
    deal: str | None
    position: str | None
    moves: tuple[str, ...]


# What is told, and whether more time would tell nothing else.
Answer = Callable[[LineQuestion], tuple[dict[str, Any], bool]]


@dataclass(frozen=True, slots=True)
class Reached:
    """The end of a line, with the cards of the table there."""

    position: Position
    table: GameTable | None


def routes() -> "list[BaseRoute]":
    """The addresses; each is answered in a thread, since it searches."""
    from starlette.routing import Route

    return [
        Route(f"/api/v1/{name}", partial(_answer, answer), methods=["POST"])
        for name, answer in (("analysis", analysis), ("solution", solution), ("advice", advice))
    ]


async def _answer(answer: Answer, request: "Request") -> "Response":
    from starlette.responses import Response

    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > BODY_MOST:
            return _problem(413, f"a request may have {BODY_MOST:,} bytes at most")
    if not _places.acquire(blocking=False):
        return _problem(503, "too many positions are being analysed at once: ask again in a second")
    work = _threads.submit(_kept, answer, bytes(body))
    # Not when the asker is gone: the thread goes on until it has the answer.
    work.add_done_callback(lambda _: _places.release())
    try:
        text = await asyncio.wrap_future(work)
    except BadInput as error:
        return _problem(400, str(error))
    return Response(text, media_type="application/json")


def _kept(answer: Answer, body: bytes) -> str:
    """The answer to a request, from those that are kept if it was asked before.

    One that time was too short for is not kept: the next time there may be more.

    Raises:
        BadInput: the request is wrong.
    """
    question = question_of(body)
    key = answer, question
    with _lock:
        if key in _answers:
            _answers.move_to_end(key)
            return _answers[key]
    found, final = answer(question)
    text = json.dumps(found)
    if final:
        with _lock:
            _answers[key] = text
            while len(_answers) > _KEPT:
                _answers.popitem(last=False)
    return text


def _problem(status: int, detail: str) -> "Response":
    """An error as RFC 9457 has it."""
    from http import HTTPStatus

    from starlette.responses import Response

    told = {"title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    headers = {"Retry-After": "1"} if status == 503 else None
    return Response(json.dumps(told), status, headers, media_type="application/problem+json")


def question_of(body: bytes) -> LineQuestion:
    """Read a request.

    Raises:
        BadInput: it is no JSON object with the keys that are needed.
    """
    try:
        data = parse_json(body.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise BadInput("the request is not UTF-8") from None
    if not isinstance(data, dict):
        raise BadInput('the request is not a JSON object with "rules" and "deal" or "position"')
    rules, deal, position = (data.get(key) for key in ("rules", "deal", "position"))
    if not isinstance(rules, str):
        raise BadInput('the request needs the slug of a ruleset in "rules"')
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
    told = None if position is None else json.dumps(position, sort_keys=True)
    return LineQuestion(parse_ruleset(rules).slug, deal, told, tuple(moves))


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
    """The position at the end of the line, its moves and which of them keep the win."""
    reached = _reach(question)
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
            "moves": [
                _line(reached, [each.move])[0] | {"verdict": each.verdict} for each in found.moves
            ],
        },
        found.complete,
    )


def solution(question: LineQuestion) -> tuple[dict[str, Any], bool]:
    """A win from the end of the line; no moves where there is none or none is found."""
    reached = _reach(question)
    verdict, moves = win_from(reached.position, WIN_MILLISECONDS)
    told = {"verdict": verdict, "moves": _line(reached, moves)}
    return told, verdict != Verdict.UNKNOWN


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
    return (
        {
            "player": str(player),
            "plays": [
                {
                    "moves": list(map(str, each.moves)),
                    "chance": each.chance,
                    "error": each.error,
                    "trajectories": each.trajectories,
                    "certain": each.certain,
                }
                for each in found
            ],
        },
        True,
    )


def _line(reached: Reached, moves: Sequence[Move]) -> list[dict[str, Any]]:
    """Moves one after the other, each as the board shows it."""
    if reached.table is None:
        named = (Step(str(move), str(move), ()) for move in moves)
        return [step_as_data(step, []) | {"target": None} for step in named]
    table = copy.deepcopy(reached.table)
    return [
        step_as_data(step, changed)
        | {"target": _pile_of(table.piles, step.moved[-1]) if step.moved else None}
        for step, changed, _ in follow(table, reached.position, moves)
    ]


def _pile_of(piles: Piles, card: str) -> str | None:
    return next((name for name, cards in piles.items() if card in cards), None)
