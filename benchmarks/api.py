"""How quickly the HTTP API answers, and what it does when more is asked than it can do.

    python benchmarks/api.py
    python benchmarks/api.py --rates 200 --seconds 60 --runs 5

Serves the API alone, without a catalogue, and asks it for the verdicts of random deals at draw 3,
each one once. Requests come at random moments at a rate, whether or not earlier ones are answered
(an open loop), from clients with addresses of their own, each over as many connections as it needs.
A latency is counted from the moment at which the request was due, so that it has in it whatever the
client itself was late; the client runs on the same cores. Then every deal is decided here by
`exact` without the server's limits, and every answer compared: a different one is wrong, a
request without an answer is lost. An undecided answer is followed to the call that it names.

The interval of a percentile is that of order statistics, 95 %, and takes requests for independent.
"""

import argparse
import asyncio
import http.client
import json
import os
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import psutil
from scipy.stats import binom

from catalogue.interrupts import ended_by_signals
from engine.dealing.dealers import get_dealer
from engine.games import game_of
from engine.rulesets import parse_ruleset
from measuring.served import served
from solvers.solver import parse_solver

RULES = parse_ruleset("klondike-draw3")
DEALER = "thoughtful-1"
SEEDS = 10**15
# A request that is not answered by then is lost.
LOST_SECONDS = 20.0
CATEGORIES = {"won": "winnable", "unwinnable": "unwinnable"}


@dataclass
class Asked:
    """A request and what came of it; times of `time.perf_counter`."""

    seed: int
    due: float
    sent: float = 0.0
    answered: float = 0.0
    status: int = 0
    retry_after: bool = False
    body: bytes = b""

    @property
    def latency(self) -> float:
        """Milliseconds from when it was due."""
        return 1000 * (self.answered - self.due)


class Connection(asyncio.Protocol):
    """A connection that is kept, with at most one request under way."""

    def __init__(self, client: "Client") -> None:
        self.client = client
        self.waiting: Asked | None = None
        self.buffer = b""
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def ask(self, request: Asked) -> None:
        self.waiting = request
        request.sent = time.perf_counter()
        self.transport.write(
            b"GET /api/v1/verdict?deal=%s:%d HTTP/1.1\r\nHost: api\r\n\r\n"
            % (DEALER.encode(), request.seed)
        )

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, gap, rest = self.buffer.partition(b"\r\n\r\n")
        if not gap:
            return
        fields = head.lower()
        at = fields.index(b"content-length:") + 15
        length = int(fields[at:].split(b"\r\n", 1)[0])
        if len(rest) < length or self.waiting is None:
            return
        request, self.waiting, self.buffer = self.waiting, None, b""
        request.answered = time.perf_counter()
        request.status = int(head[9:12])
        request.retry_after = b"retry-after:" in fields
        request.body = rest[:length]
        self.client.free.append(self)

    def connection_lost(self, error: Exception | None) -> None:
        self.waiting = None
        if self in self.client.free:
            self.client.free.remove(self)


@dataclass
class Client:
    """A client with an address of its own."""

    address: str
    port: int
    free: list[Connection] = field(default_factory=list)

    async def connect(self) -> Connection:
        loop = asyncio.get_running_loop()
        _, made = await loop.create_connection(
            lambda: Connection(self), "127.0.0.1", self.port, local_addr=(self.address, 0)
        )
        return made

    async def ask(self, request: Asked) -> None:
        try:
            connection = self.free.pop() if self.free else await self.connect()
            connection.ask(request)
        except OSError:
            pass  # it stays without an answer: lost


async def ask_all(port: int, rate: float, seconds: float, clients: int, seed: int) -> list[Asked]:
    """Ask at a rate; the requests with their answers."""
    rng = random.Random(seed)
    # The whole of 127.0.0.0/8 is this machine on Linux; elsewhere all have one address.
    several = sys.platform == "linux"
    askers = [
        Client(f"127.0.1.{at + 1}" if several else "127.0.0.1", port) for at in range(clients)
    ]
    for each in askers:
        each.free.append(await each.connect())
    begun = time.perf_counter() + 0.2
    requests = []
    due = begun
    while (due := due + rng.expovariate(rate)) < begun + seconds:
        requests.append(Asked(rng.randrange(SEEDS), due))
    tasks = set()
    for request in requests:
        wait = request.due - time.perf_counter()
        if wait > 0:
            await asyncio.sleep(wait)
        asker = askers[rng.randrange(clients)]
        if asker.free:
            asker.free.pop().ask(request)
        else:
            task = asyncio.ensure_future(asker.ask(request))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
    until = time.perf_counter() + LOST_SECONDS
    while any(each.status == 0 for each in requests) and time.perf_counter() < until:
        await asyncio.sleep(0.05)
    for each in askers:
        for connection in list(each.free):
            connection.transport.close()
    return requests


def percentile(values: np.ndarray, share: float) -> str:
    """A percentile with its interval of 95 %, of sorted values."""
    n = len(values)
    low, high = binom.ppf([0.025, 0.975], n, share).astype(int)
    at = min(n - 1, int(share * n))
    return f"{values[at]:.1f} ({values[max(0, low - 1)]:.1f} to {values[min(n - 1, high)]:.1f})"


def wrong_answers(requests: list[Asked]) -> int:
    """The number of answers whose verdict is not that of `exact`; undecided ones are left out."""
    solver = parse_solver("exact")
    game, dealer = game_of(RULES), get_dealer(DEALER)
    wrong = 0
    for each in requests:
        category = json.loads(each.body)["verdict"]
        if category != "undecided":
            (outcome,) = solver.solve(dealer.deal_block(each.seed, 1, game), RULES)
            wrong += CATEGORIES.get(outcome.result.value) != category
    return wrong


def followed(port: int, requests: list[Asked]) -> tuple[int, Counter[str]]:
    """Follow the undecided answers; the number of wrong ones, and how they ended."""
    solver = parse_solver("exact")
    game, dealer = game_of(RULES), get_dealer(DEALER)
    wrong, ends = 0, Counter[str]()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    for each in requests:
        reply = json.loads(each.body)
        while reply["verdict"] == "undecided" and reply["next_search"]["href"] is not None:
            connection.request("GET", reply["next_search"]["href"])
            answer = connection.getresponse()
            body = answer.read()
            if answer.status in (429, 503):
                time.sleep(float(answer.headers["Retry-After"]))
                continue
            assert answer.status == 200, body
            reply = json.loads(body)
        ends["the command line" if reply["verdict"] == "undecided" else "a verdict"] += 1
        (outcome,) = solver.solve(dealer.deal_block(each.seed, 1, game), RULES)
        right = CATEGORIES.get(outcome.result.value)
        wrong += reply["verdict"] not in ("undecided", right)
    return wrong, ends


def report(port: int, rate: float, arguments: argparse.Namespace, run: int) -> None:
    """Measure one rate and print what came of it."""
    server = [
        each
        for each in psutil.Process().children(recursive=True)
        if "--port" in each.cmdline() and str(port) in each.cmdline()
    ][-1]
    others = psutil.cpu_percent(interval=2.0)
    before, own = server.cpu_times(), psutil.Process().cpu_times()
    requests = asyncio.run(
        ask_all(port, rate, arguments.seconds, arguments.clients, 1000 * run + int(rate))
    )
    after, mine = server.cpu_times(), psutil.Process().cpu_times()
    seconds = arguments.seconds
    used = (after.user + after.system - before.user - before.system) / seconds
    spent = (mine.user + mine.system - own.user - own.system) / seconds
    answered = [each for each in requests if each.status == 200]
    refused = [each for each in requests if each.status in (429, 503)]
    counts = Counter(each.status for each in requests)
    undecided = [each for each in answered if json.loads(each.body)["verdict"] == "undecided"]
    latencies = np.sort([each.latency for each in answered])
    late = np.sort([1000 * (each.sent - each.due) for each in requests if each.sent])
    print(f"\n{rate:g} requests a second, run {run + 1}: {len(requests)} requests in {seconds:g} s")
    print(f"  answers      {dict(sorted(counts.items()))}, {len(answered) / seconds:.0f} a second")
    for share in (0.5, 0.95, 0.99):
        print(f"  p{100 * share:<4g} ms     {percentile(latencies, share)}")
    print(f"  largest ms   {latencies[-1]:.1f}")
    if refused:
        waits = np.sort([each.latency for each in refused])
        reply = all(each.retry_after for each in refused)
        print(
            f"  refused ms   p50 {waits[len(waits) // 2]:.1f}, p99 {percentile(waits, 0.99)}, "
            f"largest {waits[-1]:.1f}; all with Retry-After: {reply}"
        )
    middle, high = late[len(late) // 2], late[int(0.99 * len(late))]
    print(f"  client late  p50 {middle:.1f} ms, p99 {high:.1f} ms")
    print(
        f"  cores        server {used:.2f}, client {spent:.2f}; others before "
        f"{others * (os.cpu_count() or 1) / 100:.2f}"
    )
    wrong = wrong_answers(answered)
    following, ends = followed(port, undecided)
    lost = sum(each.status not in (200, 429, 503) for each in requests)
    print(f"  wrong {wrong + following}, lost {lost}, undecided {len(undecided)}: {dict(ends)}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rates", type=float, nargs="+", default=[200, 400, 800])
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--runs", type=int, default=1)
    arguments = parser.parse_args()
    parse_solver("exact").warm_up(RULES)
    nowhere = "sqlite:////nowhere/none.db"
    page = "/api/v1/rulesets"
    with served("dashboard", "--api", page=page, THOUGHTFUL_DATABASE_URL=nowhere) as link:
        port = int(link.rpartition(":")[2])
        for rate in arguments.rates:
            for run in range(arguments.runs):
                report(port, rate, arguments, run)


if __name__ == "__main__":
    with ended_by_signals():
        main()
