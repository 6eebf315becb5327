"""The application of `/api/v1`: its calls, their errors, and its OpenAPI document."""

from collections import Counter
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import HTMLResponse, Response
from starlette.routing import Match, Route

from catalogue.settings import get_settings, listed
from dashboard.http_api import answering, files, shapes, tables
from dashboard.http_api.budgets import most
from dashboard.http_api.examples import json_texts, plain_texts
from dashboard.http_api.guard import BODY_MOST, BODY_SECONDS, Guard
from dashboard.http_api.listing import page_of
from dashboard.http_api.problems import MEDIA_TYPE, Problem, response_of
from dashboard.http_api.questions import question
from engine.errors import BadInput
from engine.text.encoding import read_text
from engine.text.numbers import significant

PREFIX = "/api/v1"

# What every call may answer, beside what it tells.
_ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"description": "the request is wrong, in one sentence"},
    408: {"description": f"the body did not arrive within {significant(BODY_SECONDS)} seconds"},
    413: {"description": f"the body has more than {BODY_MOST:,} bytes"},
    414: {"description": "the address is too long"},
    429: {"description": "this client asks too often; Retry-After tells when to ask again"},
    500: {"description": "a fault of the server, which has logged it"},
    503: {
        "description": "too much is asked at once, or there is no catalogue; Retry-After tells "
        "when to ask again"
    },
}
_SEARCH_ERRORS = {304: {"description": "the answer with the tag of If-None-Match holds"}, **_ERRORS}
_TEXT = {
    "requestBody": {
        "required": True,
        "description": "a deal or position, in any form that the program reads",
        "content": {
            "text/plain": {
                "schema": {"type": "string", "minLength": 1},
                "examples": plain_texts(),
            },
            "application/json": {"schema": {"type": "object"}, "examples": json_texts()},
        },
    }
}


def make_api() -> FastAPI:
    """The application, to be mounted at `PREFIX`."""
    settings = get_settings()
    api = FastAPI(
        title="Thoughtful",
        version=version("thoughtful"),
        summary="Solved solitaire deals: verdicts, solutions, moves with verdicts, bounds",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        # Generated clients name their functions so.
        generate_unique_id_function=lambda route: route.name,
        dependencies=[Depends(_each_parameter_once)],
    )
    # Read once: to look at all variables takes a tenth of what an answer does.
    api.state.most = most()
    _add_searches(api)
    _add_tables(api)
    _add_files(api)

    @api.get("/", include_in_schema=False)
    async def listing() -> Response:
        return HTMLResponse(page_of(api.openapi(), PREFIX))

    api.add_exception_handler(BadInput, _wrong)
    api.add_exception_handler(RequestValidationError, _not_as_described)
    api.add_exception_handler(Problem, _refused)
    api.add_exception_handler(HTTPException, no_call)
    api.add_exception_handler(Exception, _failed)
    api.add_middleware(Guard, rate=settings.api_rate)
    origins = listed(settings.api_origins)
    if origins:
        api.add_middleware(
            CORSMiddleware,
            allow_origins=origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Content-Type", "If-None-Match"],
            expose_headers=["ETag", "Retry-After"],
            max_age=86_400,
        )
    _describe(api)
    return api


def _add_searches(api: FastAPI) -> None:
    more: dict[str, Any] = {"responses": _SEARCH_ERRORS, "tags": ["positions"]}

    @api.get("/verdict", response_model=shapes.VerdictAnswer, **more)
    async def verdict(
        request: Request, asked: Annotated[shapes.VerdictRequest, Query()]
    ) -> Response:
        """Whether a deal or position can be won: proved, or undecided within the budget."""
        return await answering.answered(request, "verdict", asked.deal, asked)

    @api.post("/verdict", response_model=shapes.VerdictAnswer, openapi_extra=_TEXT, **more)
    async def verdict_of_text(
        request: Request, asked: Annotated[shapes.VerdictParameters, Query()]
    ) -> Response:
        """Whether a deal or position in the body can be won."""
        return await answering.answered(request, "verdict", await _sent(request), asked)

    @api.get("/solution", response_model=shapes.SolutionAnswer, **more)
    async def solution(
        request: Request, asked: Annotated[shapes.SolutionRequest, Query()]
    ) -> Response:
        """The verdict, with the moves of a win, which the referee has replayed."""
        return await answering.answered(request, "solution", asked.deal, asked)

    @api.post("/solution", response_model=shapes.SolutionAnswer, openapi_extra=_TEXT, **more)
    async def solution_of_text(
        request: Request, asked: Annotated[shapes.SolutionParameters, Query()]
    ) -> Response:
        """The verdict on a deal or position in the body, with the moves of a win."""
        return await answering.answered(request, "solution", await _sent(request), asked)

    @api.get("/moves", response_model=shapes.MovesAnswer, **more)
    async def moves(request: Request, asked: Annotated[shapes.MovesRequest, Query()]) -> Response:
        """The legal moves, the best first, each with the verdict on the position after it."""
        return await answering.answered(request, "moves", asked.deal, asked)

    @api.post("/moves", response_model=shapes.MovesAnswer, openapi_extra=_TEXT, **more)
    async def moves_of_text(
        request: Request, asked: Annotated[shapes.MovesParameters, Query()]
    ) -> Response:
        """The legal moves of a position in the body, each with its verdict."""
        return await answering.answered(request, "moves", await _sent(request), asked)


def _add_tables(api: FastAPI) -> None:
    deals: dict[str, Any] = {"responses": _ERRORS, "tags": ["deals"]}
    lists: dict[str, Any] = {"responses": _ERRORS, "tags": ["catalogue"]}

    @api.get("/deal", response_model=shapes.DealAnswer, **deals)
    async def deal(asked: Annotated[shapes.DealRequest, Query()]) -> Response:
        """The cards of a deal or position, as JSON, as a board and in the forms of programs."""
        response = await answering.read(
            lambda: tables.shown(
                question(asked.deal, asked.rules, asked.line, asked.form, named=asked.names_rules)
            )
        )
        return answering.plain(response, answering.COUNTED_SECONDS)

    @api.post("/deal", response_model=shapes.DealAnswer, openapi_extra=_TEXT, **deals)
    async def deal_of_text(
        request: Request, asked: Annotated[shapes.PositionParameters, Query()]
    ) -> Response:
        """The cards of a deal or position in the body."""
        text = await _sent(request)
        response = await answering.read(
            lambda: tables.shown(
                question(text, asked.rules, asked.line, asked.form, named=asked.names_rules)
            )
        )
        return answering.plain(response, 0)

    @api.get(
        "/random",
        response_model=shapes.DealAnswer,
        tags=["deals"],
        responses={404: {"description": "no deal of the catalogue matches"}, **_ERRORS},
    )
    async def random_deal(asked: Annotated[shapes.RandomRequest, Query()]) -> Response:
        """A random deal; on request a winnable one, or one of a level of difficulty."""
        does = answering.search if asked.winnable and asked.level is None else answering.read
        response = await does(
            lambda: tables.drawn(
                asked.rules, asked.level, asked.dealer, asked.key, bool(asked.winnable)
            )
        )
        return answering.plain(response, 0)

    @api.get("/day", response_model=shapes.DayAnswer, tags=["deals"], responses=_ERRORS)
    async def deal_of_day(asked: Annotated[shapes.DayRequest, Query()]) -> Response:
        """The deal of the day: winnable, and the same on every server of a version."""
        response = await answering.search(lambda: tables.of_day(asked.rules, asked.date))
        return answering.plain(response, answering.COUNTED_SECONDS)

    @api.get("/puzzle", response_model=shapes.PuzzleAnswer, tags=["deals"], responses=_ERRORS)
    async def puzzle(asked: Annotated[shapes.PuzzleRequest, Query()]) -> Response:
        """A position in which one play alone keeps the win; needs no catalogue."""
        response = await answering.make_puzzle(
            lambda: tables.puzzle_of(asked.rules, asked.theme, asked.key)
        )
        return answering.plain(response, 0)

    @api.get("/bounds", response_model=list[shapes.BoundAnswer], **lists)
    async def bounds(asked: Annotated[shapes.BoundsRequest, Query()]) -> Response:
        """Lower and upper bounds on the share of winnable deals, with intervals."""
        response = await answering.read(lambda: tables.bounds(asked.rules))
        return answering.plain(response, answering.COUNTED_SECONDS)

    @api.get("/rulesets", response_model=list[shapes.RulesetAnswer], **lists)
    async def rulesets(asked: Annotated[shapes.Parameters, Query()]) -> Response:
        """The named rulesets."""
        return answering.plain(await answering.read(tables.rulesets), answering.FINAL_SECONDS)


def _add_files(api: FastAPI) -> None:
    @api.get(
        "/datasets", response_model=list[shapes.DatasetAnswer], responses=_ERRORS, tags=["datasets"]
    )
    async def datasets(asked: Annotated[shapes.Parameters, Query()]) -> Response:
        """The datasets of this server, with their files."""
        return answering.plain(await answering.read(files.datasets), answering.COUNTED_SECONDS)

    @api.get(
        "/datasets/{dataset}/{path:path}",
        response_class=files.DatasetFileResponse,
        tags=["datasets"],
        responses={
            200: {"description": "the file", "content": {"application/octet-stream": {}}},
            304: {"description": "the file with the tag of If-None-Match has not changed"},
            206: {"description": "the range of the file that was asked for"},
            404: {"description": "there is no such file"},
            416: {"description": "the file has no such range"},
            **_ERRORS,
        },
    )
    async def dataset_file(request: Request, dataset: str, path: str) -> Response:
        """A file of a dataset; a range of it, where the request has one."""
        found = await answering.read(lambda: files.path_of(dataset, path))
        response = files.DatasetFileResponse(found, filename=found.name, stat_result=found.stat())
        if response.headers["etag"] in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers={"ETag": response.headers["etag"]})
        return response


async def _each_parameter_once(request: Request) -> None:
    """Refuse a parameter that is given twice: which of its values is meant, nobody can know."""
    counts = Counter(name for name, _value in request.query_params.multi_items())
    for name, count in counts.items():
        if count > 1:
            raise Problem(400, f"the parameter {name[:60]!r} is given {count} times: expected once")


async def _sent(request: Request) -> str:
    return read_text(await request.body(), "the body of the request")


async def _wrong(_request: Request, error: Exception) -> Response:
    return response_of(Problem(400, str(error)))


async def _refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    return response_of(error)


async def _not_as_described(_request: Request, error: Exception) -> Response:
    """The first fault of the parameters, as one sentence."""
    assert isinstance(error, RequestValidationError)
    fault = error.errors()[0]
    name = str(fault["loc"][-1])
    reason = str(fault["msg"]).removeprefix("Value error, ")
    if fault["type"] == "missing":
        return response_of(Problem(400, f"the parameter {name!r} is missing"))
    if fault["type"] == "extra_forbidden":
        return response_of(Problem(400, f"there is no parameter {name[:60]!r} of this call"))
    value = repr(fault.get("input"))
    if len(value) > 60:
        value = f"{value[:60]} …"
    return response_of(Problem(400, f"{name}={value} is wrong: {reason[:1].lower()}{reason[1:]}"))


async def no_call(request: Request, error: Exception) -> Response:
    """The problem of an address that is none, or not for this method."""
    assert isinstance(error, HTTPException)
    details = {
        404: f"there is no call {request.url.path[:200]}: see {PREFIX}/",
        405: f"{request.method} is not a method of {request.url.path[:200]}: see {PREFIX}/",
    }
    problem = Problem(error.status_code, details.get(error.status_code, str(error.detail)))
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(_methods(request))
    return response_of(problem, headers)


def _methods(request: Request) -> list[str]:
    """The methods of an address: several calls may have it, each with a method of its own."""
    found = set[str]()
    for route in request.app.routes:
        if isinstance(route, Route) and route.matches(request.scope)[0] != Match.NONE:
            found |= route.methods or set()
    return sorted(found | ({"HEAD"} if "GET" in found else set()))


async def _failed(_request: Request, _error: Exception) -> Response:
    # The server logs the traceback.
    return response_of(Problem(500, "this failed by a fault of the server, which has logged it"))


def _describe(api: FastAPI) -> None:
    """Complete the document: every error is a problem, and none is what FastAPI has by default."""
    document = api.openapi()
    schemas = document["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas["ProblemAnswer"] = shapes.ProblemAnswer.model_json_schema()
    as_problem = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemAnswer"}}}
    for calls in document["paths"].values():
        for call in calls.values():
            call["responses"].pop("422", None)
            for status, response in call["responses"].items():
                if int(status) >= 400:
                    response["content"] = as_problem
    document["servers"] = [{"url": PREFIX}]
