"""Limits of every request: length of its address, size of its body, requests of one client.

What is refused is refused here, before anything else is done with it: a server that has more to do
than it can must spend as little as possible on what it does not do.
"""

import asyncio
import ipaddress
import math
import time
from typing import TYPE_CHECKING

from cachetools import LRUCache

from dashboard.http_api.problems import Problem, busy, response_of
from engine.text.numbers import significant

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Bytes of an address with its query, and of a body.
ADDRESS_MOST = 16_384
BODY_MOST = 65_536
# Seconds that a body may take to arrive.
BODY_SECONDS = 10.0
# Clients that are remembered; the one that was last heard of longest ago is forgotten first.
_CLIENTS = 10_000
# Requests under way at once; lanes have limits of their own.
UNDER_WAY_MOST = 64
# Seconds of its rate that a client may use at once after it was silent.
_BURST_SECONDS = 2.0


class Buckets:
    """How much each client may still ask: a bucket for each, filled at a rate.

    Args:
        rate: requests a second; 0 sets no limit.
    """

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.size = max(1.0, _BURST_SECONDS * rate)
        self._clients: LRUCache[str, tuple[float, float]] = LRUCache(_CLIENTS)

    def wait(self, client: str, now: float) -> float:
        """Take a request out of a client's bucket; if it is empty, the seconds until it has one."""
        if self.rate == 0:
            return 0.0
        left, since = self._clients.pop(client, (self.size, now))
        left = min(self.size, left + (now - since) * self.rate)
        taken = left >= 1 - 1e-9
        self._clients[client] = (max(0.0, left - taken), now)
        return 0.0 if taken else (1 - left) / self.rate


class Guard:
    """ASGI middleware that refuses what is too long, too large or too often.

    It reads the body, so that no handler waits for one that never ends, and answers HEAD like GET.

    Args:
        app: what answers.
        rate: requests a second of one client; 0 sets no limit.
    """

    def __init__(self, app: "ASGIApp", rate: float) -> None:
        self.app = app
        self.buckets = Buckets(rate)
        self.under_way = 0

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            self._check(scope)
        except Problem as problem:
            await response_of(problem)(scope, receive, send)
            return
        self.under_way += 1
        try:
            await self._pass_on(scope, receive, send)
        finally:
            self.under_way -= 1

    async def _pass_on(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        try:
            body = await body_of(scope, receive)
        except Problem as problem:
            await response_of(problem)(scope, receive, send)
            return
        if scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}  # the server leaves the body out
        handed = False

        async def once() -> "Message":
            nonlocal handed
            if handed:
                return await receive()
            handed = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self.app(scope, once, send)

    def _check(self, scope: "Scope") -> None:
        length = len(scope.get("raw_path") or scope["path"]) + len(scope["query_string"])
        if length > ADDRESS_MOST:
            raise Problem(
                414,
                f"the address has {length:,} bytes: {ADDRESS_MOST:,} at most; a long deal or "
                "position can be sent as the body of a POST request",
            )
        if self.under_way >= UNDER_WAY_MOST:
            raise busy()
        wait = self.buckets.wait(client_of(scope), time.monotonic())
        if wait > 0:
            seconds = math.ceil(wait)
            raise Problem(
                429,
                f"more than {significant(self.buckets.rate)} requests a second came from this "
                f"client: ask again in {seconds} s",
                seconds,
            )


async def body_of(scope: "Scope", receive: "Receive") -> bytes:
    """The body of a request.

    Raises:
        Problem: it is too large, does not arrive in time, or not at all.
    """
    too_large = Problem(413, f"a request may have {BODY_MOST:,} bytes at most")
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit() and int(value) > BODY_MOST:
            raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Problem(400, "the request ended before its body did")
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > BODY_MOST:
                    raise too_large
    except TimeoutError:
        raise Problem(
            408, f"the body of the request did not arrive within {significant(BODY_SECONDS)} s"
        ) from None
    return bytes(body)


def client_of(scope: "Scope") -> str:
    """Who asks: an address, or of IPv6 the network of one customer."""
    host = (scope.get("client") or ("",))[0]
    if ":" not in host:
        return str(host)
    try:
        return str(ipaddress.ip_network(f"{host.partition('%')[0]}/64", strict=False))
    except ValueError:
        return str(host)
