"""Errors as RFC 9457 has them: one sentence, and when to come again."""

import json
from http import HTTPStatus
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.responses import Response

MEDIA_TYPE = "application/problem+json"


class Problem(Exception):
    """A request that is not answered.

    Attributes:
        status: of HTTP.
        detail: one sentence.
        retry_after: seconds after which it may be asked again; None if that would not help.
    """

    def __init__(self, status: int, detail: str, retry_after: int | None = None) -> None:
        super().__init__(status, detail, retry_after)
        self.status = status
        self.detail = detail
        self.retry_after = retry_after

    def __str__(self) -> str:
        return self.detail


def busy() -> Problem:
    """The refusal of a server that has as much to do as it can."""
    return Problem(
        503, "the server has as many requests as it can answer: ask again in a second", 1
    )


def response_of(problem: Problem, headers: dict[str, str] | None = None) -> "Response":
    """The response that tells it."""
    from starlette.responses import Response

    body = {
        "type": "about:blank",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": " ".join(problem.detail.split()),
    }
    more = {"Cache-Control": "no-store", **(headers or {})}
    if problem.retry_after is not None:
        more["Retry-After"] = str(problem.retry_after)
    return Response(json.dumps(body), problem.status, more, media_type=MEDIA_TYPE)
