"""`/api/board`: what `dashboard.board.answers` tells the board of a position; JSON in and out.

The board in the browser knows no rules: whatever is legal, and what it leads to, comes from here.
A request names a start and the moves made from there, so that nothing is remembered between
requests; answers to the same question are kept for a while.
"""

import asyncio
import json
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from cachetools import LRUCache

from dashboard.board.answers import (
    Answer,
    LineQuestion,
    advice,
    analysis,
    moment,
    question_of,
    read_request,
    regret,
    solution,
)
from engine.errors import BadInput
from engine.games import game_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

T = TypeVar("T")

# Bytes of a request.
BODY_MOST = 65_536
# Requests that wait for a thread; further ones are told to come again.
WAITING_MOST = 64
# Answers that are kept.
_KEPT = 4_096

# A pool of its own: each thread keeps the memory of a solver.
_threads = ThreadPoolExecutor(max(2, os.cpu_count() or 1), thread_name_prefix="analysis")
TOO_MANY = "too many positions are being analysed at once: ask again in a second"
_places = threading.Semaphore(WAITING_MOST)
_answers: LRUCache[tuple[Answer, LineQuestion], str] = LRUCache(_KEPT)
_lock = threading.Lock()


def routes() -> "list[BaseRoute]":
    """The addresses; those that search are answered in a thread."""
    from starlette.routing import Route

    return [
        Route("/api/board/setting", _setting, methods=["POST"]),
        *(
            Route(f"/api/board/{answer.__name__}", partial(_answer, answer), methods=["POST"])
            for answer in (analysis, solution, moment, advice, regret)
        ),
    ]


async def _answer(answer: Answer, request: "Request") -> "Response":
    from starlette.responses import Response

    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > BODY_MOST:
            return _problem(413, f"a request may have {BODY_MOST:,} bytes at most")
    work = in_pool(partial(_kept, answer, bytes(body)))
    if work is None:
        return _problem(503, TOO_MANY)
    try:
        text = await asyncio.wrap_future(work)
    except BadInput as error:
        return _problem(400, str(error))
    return Response(text, media_type="application/json")


async def answered(request: "Request", work: Callable[[bytes], str]) -> "Response":
    """The answer to a request for which no thread is needed, as JSON, or what is wrong with it."""
    from starlette.responses import Response

    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > BODY_MOST:
            return _problem(413, f"a request may have {BODY_MOST:,} bytes at most")
    try:
        told = work(bytes(body))
    except BadInput as error:
        return _problem(400, str(error))
    return Response(told, media_type="application/json")


async def _setting(request: "Request") -> "Response":
    """A table on which cards are put down by hand; it searches nothing."""
    return await answered(request, lambda body: json.dumps(setting(body)))


def setting(body: bytes) -> dict[str, Any]:
    """The table of a request, with what each of its places can take.

    Raises:
        BadInput: the request is wrong, or its cards do not fit.
    """
    rules, data = read_request(body)
    game = game_of(rules)
    if game.setting is None:
        raise BadInput(f"cards of {game.name} cannot be entered one by one")
    cards = data.get("cards", {})
    if not isinstance(cards, dict) or not all(
        isinstance(pile, list) and all(isinstance(card, str) for card in pile)
        for pile in cards.values()
    ):
        raise BadInput('"cards" is not an object with a list of cards for each place')
    return asdict(game.setting(cards, rules))


def in_pool(work: Callable[[], T]) -> "Future[T] | None":
    """Have the threads that search do a work; None if too much waits for them."""
    if not _places.acquire(blocking=False):
        return None
    doing = _threads.submit(work)
    # Not when the asker is gone: the thread goes on until it has the answer.
    doing.add_done_callback(lambda _: _places.release())
    return doing


def _kept(answer: Answer, body: bytes) -> str:
    """The answer to a request, from those that are kept if it was asked before.

    One that time was too short for is not kept: the next time there may be more.

    Raises:
        BadInput: the request is wrong.
    """
    question = question_of(body)
    key = answer, question
    with _lock:
        kept = _answers.get(key)
    if kept is not None:
        return kept
    found, final = answer(question)
    text = json.dumps(found)
    if final:
        with _lock:
            _answers[key] = text
    return text


def _problem(status: int, detail: str) -> "Response":
    """An error as RFC 9457 has it."""
    from http import HTTPStatus

    from starlette.responses import Response

    told = {"title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    headers = {"Retry-After": "1"} if status == 503 else None
    return Response(json.dumps(told), status, headers, media_type="application/problem+json")
