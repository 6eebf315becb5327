"""Numbers for Prometheus, and whether a catalogue answers: `/metrics` and `/healthz`.

The numbers are read by the functions that pages use, at most every `FRESH_SECONDS`, however often
they are asked for.
"""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from typing import Any

from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from sqlalchemy import Engine, event, text
from sqlalchemy.exc import SQLAlchemyError

from catalogue.jobs.queue import list_jobs
from catalogue.reading.overview import overview
from catalogue.store import Catalogue
from engine.errors import BadInput

CONTENT_TYPE = CONTENT_TYPE_LATEST
FRESH_SECONDS = 10.0
STATES = ("queued", "running", "done", "failed", "cancelled")
STATUSES = ("winnable", "unwinnable", "unresolved")

_own = CollectorRegistry()
_queries = Histogram(
    "thoughtful_query_seconds",
    "Time that the database took for a statement of this process",
    ["kind"],
    buckets=(0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30),
    registry=_own,
)
_lock = threading.Lock()
_read: dict[str, tuple[float, list[Metric]]] = {}


@dataclass(frozen=True, slots=True)
class Health:
    """Whether the catalogue answers; `reason` is a sentence if it does not."""

    sound: bool
    reason: str | None = None

    def as_json(self) -> dict[str, object]:
        return asdict(self)


# Without the driver's reason: it names the database's host, which is nobody's business here.
NOT_ANSWERING = Health(False, "the catalogue does not answer")


def observe_queries(engine: Engine) -> None:
    """Measure every statement that an engine executes from now on."""

    def begin(connection: Any, *_: Any) -> None:
        connection.info["thoughtful_since"] = time.perf_counter()

    def end(connection: Any) -> None:
        since = connection.info.pop("thoughtful_since", None)
        if since is not None:
            writes = connection.get_execution_options().get("thoughtful_writes", False)
            kind = "write" if writes else "read"
            _queries.labels(kind).observe(time.perf_counter() - since)

    event.listen(engine, "before_cursor_execute", begin)
    event.listen(engine, "after_cursor_execute", lambda connection, *_: end(connection))
    event.listen(
        engine,
        "handle_error",
        lambda context: None if context.connection is None else end(context.connection),
    )


def health(cat: Catalogue) -> Health:
    """Ask the catalogue the cheapest question there is."""
    try:
        with cat.session() as session:
            session.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
    except (BadInput, SQLAlchemyError):
        return NOT_ANSWERING
    return Health(True)


def exposition(cat: Catalogue | None) -> bytes:
    """All numbers in the text format of Prometheus; None stands for one that cannot be opened."""
    registry = CollectorRegistry()
    registry.register(_Numbers(cat))
    return generate_latest(registry) + generate_latest(_own)


class _Numbers(Collector):
    """The numbers of a catalogue."""

    def __init__(self, cat: Catalogue | None) -> None:
        self.cat = cat

    def describe(self) -> list[Metric]:
        return []  # so that registering it reads nothing

    def collect(self) -> Iterator[Metric]:
        build = GaugeMetricFamily("thoughtful_build_info", "The program", labels=["version"])
        build.add_metric([version("thoughtful")], 1)
        yield build
        found = None if self.cat is None else _numbers(self.cat)
        yield GaugeMetricFamily(
            "thoughtful_catalogue_up", "1 if the catalogue answers", value=float(found is not None)
        )
        yield from found or []


def _numbers(cat: Catalogue) -> list[Metric] | None:
    """The numbers, read again if they are old; None if the catalogue does not answer."""
    with _lock:
        at, known = _read.get(cat.url, (0.0, None))
        if known is None or time.monotonic() - at > FRESH_SECONDS:
            try:
                known = list(_of(cat))
            except (BadInput, SQLAlchemyError):
                _read.pop(cat.url, None)
                return None
            _read[cat.url] = time.monotonic(), known
        return known


def _of(cat: Catalogue) -> Iterator[Metric]:
    known, jobs = overview(cat), list_jobs(cat)
    deals = GaugeMetricFamily(
        "thoughtful_deals",
        "Deals with any outcome; those that are not unresolved are decided",
        labels=["ruleset", "status"],
    )
    for entry in known.rulesets:
        for status in STATUSES:
            deals.add_metric([entry.ruleset, status], getattr(entry, status))
    yield deals
    yield GaugeMetricFamily(
        "thoughtful_alarms",
        "Deals both won and proved unwinnable under one ruleset",
        value=known.counts.alarms,
    )
    states = Counter(job.state for job in jobs)
    queue = GaugeMetricFamily("thoughtful_jobs", "Jobs", labels=["state"])
    for state in sorted({*STATES, *states}):
        queue.add_metric([state], states[state])
    yield queue
    running = [job for job in jobs if job.state == "running"]
    yield GaugeMetricFamily(
        "thoughtful_jobs_stalled",
        "Running jobs whose runner has stopped responding",
        value=sum(job.stalled for job in running),
    )
    yield GaugeMetricFamily(
        "thoughtful_outcomes_per_second",
        "Recent outcomes of all running jobs",
        value=sum(job.rate or 0.0 for job in running if not job.stalled),
    )
    beats = [job.heartbeat for job in running if job.heartbeat is not None]
    age = GaugeMetricFamily(
        "thoughtful_heartbeat_age_seconds",
        "Time since the oldest last heartbeat of the runners of running jobs",
    )
    if beats:
        age.add_metric([], max(0.0, (datetime.now(UTC) - min(beats)).total_seconds()))
    yield age


def serve_metrics(cat: Catalogue, port: int, address: str) -> ThreadingHTTPServer:
    """Serve `/healthz` and `/metrics` from a thread until the server is closed.

    Raises:
        BadInput: nothing can listen there.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/metrics":
                self._answer(200, CONTENT_TYPE, exposition(cat))
            elif self.path == "/healthz":
                found = health(cat)
                body = json.dumps(found.as_json()).encode()
                self._answer(200 if found.sound else 503, "application/json", body)
            else:
                self._answer(404, "text/plain", b"there are /metrics and /healthz\n")

        def _answer(self, code: int, kind: str, body: bytes) -> None:
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Requests are not logged."""

    try:
        server = ThreadingHTTPServer((address, port), Handler)
    except OSError as error:
        raise BadInput(
            f"cannot listen on port {port} of {address} for metrics: {error.strerror or error}"
        ) from None
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    return server
