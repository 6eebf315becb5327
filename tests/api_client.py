"""Who asks the HTTP API in tests, without a server between them."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.applications import Starlette
from starlette.routing import Mount

from catalogue import asking, settings
from dashboard.http_api import answering, stored
from dashboard.http_api.app import PREFIX
from dashboard.http_api.problems import MEDIA_TYPE
from dashboard.serve import make_api_app


def client_of(monkeypatch: pytest.MonkeyPatch, **variables: str) -> "ApiClient":
    """A client of an API with these settings, by default without a limit of its rate."""
    for name, value in {"API_RATE": "0", "API_SECONDS": "60", **variables}.items():
        monkeypatch.setenv(settings.PREFIX + name, value)
    monkeypatch.setattr(stored, "_pause", None)
    monkeypatch.setattr(stored, "_opened", None)
    answering.forget()
    asking.forget()
    return ApiClient(make_api_app())


@dataclass
class ApiClient:
    """Asks an application, and holds the status and the kind of each answer against its document.

    Attributes:
        app: the application.
        address: of the client, as the application sees it.
    """

    app: Starlette
    address: str = "127.0.0.1"

    def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        """What the application answers; an exception in it becomes its answer."""

        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(
                self.app, raise_app_exceptions=False, client=(self.address, 1)
            )
            async with httpx.AsyncClient(transport=transport, base_url="http://api") as client:
                return await client.request(method, path, **more)

        # In a thread of its own: where a browser is open, this one has an event loop already.
        with ThreadPoolExecutor(1) as thread:
            answer = thread.submit(asyncio.run, ask()).result()
        self._check(method, answer)
        return answer

    def _check(self, method: str, answer: httpx.Response) -> None:
        """Check that the document has the status of an answer, and problems are of their kind."""
        path = answer.request.url.path
        mounted = next(
            (each for each in self.app.routes if isinstance(each, Mount) and each.path == PREFIX),
            None,
        )
        if mounted is None or not path.startswith(PREFIX):
            return
        if answer.is_error:
            assert answer.headers["content-type"] == MEDIA_TYPE, answer.text
        api = mounted.app
        assert isinstance(api, FastAPI)
        called = "GET" if method == "HEAD" else method
        for route in api.routes:
            if (
                isinstance(route, APIRoute)
                and route.include_in_schema
                and called in route.methods
                and route.path_regex.match(path.removeprefix(PREFIX))
            ):
                documented = api.openapi()["paths"][route.path_format][called.lower()]["responses"]
                assert str(answer.status_code) in documented, answer.text
                return

    def get(self, call: str, **parameters: Any) -> httpx.Response:
        """The answer of a call of `/api/v1`."""
        return self.request("GET", f"{PREFIX}/{call}", params=parameters)

    def post(self, call: str, content: str | bytes, **parameters: Any) -> httpx.Response:
        """The answer of a call of `/api/v1` with a body."""
        return self.request("POST", f"{PREFIX}/{call}", params=parameters, content=content)

    def reply(self, call: str, **parameters: Any) -> Any:
        """What a call tells, which must have succeeded."""
        answer = self.get(call, **parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()
