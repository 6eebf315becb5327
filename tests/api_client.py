"""Who asks the HTTP API in tests, without a server between them."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx
from starlette.types import ASGIApp


@dataclass
class ApiClient:
    """Asks an application.

    Attributes:
        app: the application.
        address: of the client, as the application sees it.
    """

    app: ASGIApp
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
            return thread.submit(asyncio.run, ask()).result()

    def get(self, call: str, **parameters: Any) -> httpx.Response:
        """The answer of a call of `/api/v1`."""
        return self.request("GET", f"/api/v1/{call}", params=parameters)

    def post(self, call: str, content: str | bytes, **parameters: Any) -> httpx.Response:
        """The answer of a call of `/api/v1` with a body."""
        return self.request("POST", f"/api/v1/{call}", params=parameters, content=content)

    def told(self, call: str, **parameters: Any) -> Any:
        """What a call tells, which must have succeeded."""
        answer = self.get(call, **parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()
