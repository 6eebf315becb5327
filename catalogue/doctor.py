"""Whether this installation is sound: a few findings, each from what is really there."""

import os
import platform
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from sqlalchemy import text

from catalogue.database import parse_url, shown
from catalogue.jobs.queue import list_jobs
from catalogue.outcomes.provenance import this_provenance
from catalogue.reading.overview import overview
from catalogue.schema import REVISION
from catalogue.settings import get_settings
from catalogue.store import Catalogue, open_catalogue
from catalogue.verify.record import last_report
from engine.errors import BadInput
from engine.games import DEFAULT_RULESET, game_of
from engine.kernels.cache import kernel_folder
from engine.replay import wins
from engine.rulesets import parse_ruleset
from engine.text.numbers import counted
from solvers.choice import default_solver
from solvers.outcome import Result

Verdict = Literal["sound", "note", "unsound"]
# Bytes that should be free where the catalogue and the kernels are.
LEAST_FREE = 10**9
# Deals that the self-test tries until one is won; most are.
_DEALS_TRIED = 20
_DEALER = "thoughtful-1"


@dataclass(frozen=True, slots=True)
class Finding:
    """The subject of a finding, in a word; whether it is as it should be; and what was found.

    A ``note`` is worth reading, but does not make the installation unsound.
    """

    subject: str
    verdict: Verdict
    found: str


def examine(url: str | None = None) -> list[Finding]:
    """Examine the installation and its catalogue; nothing in either is changed.

    Raises:
        BadInput: the URL or a setting is malformed.
    """
    address = parse_url(url)
    found = [_program(), _python()]
    places: list[Path] = []
    if address.get_backend_name() == "sqlite":
        places.append(Path(str(address.database)).parent)
    try:
        kernels = kernel_folder()
        with tempfile.NamedTemporaryFile(dir=kernels):
            pass
    except OSError as error:
        words = f"{error.filename} cannot be written to ({error.strerror}): nothing can be compiled"
        found.append(Finding("kernels", "unsound", words))
    else:
        found += [Finding("kernels", "sound", f"kept in {kernels}"), _self_test()]
        places.append(kernels)
    if places:
        found.append(_disk(places))
    try:
        with open_catalogue(url) as cat:
            asked: list[Callable[[Catalogue], Finding]] = [
                _catalogue,
                _contents,
                _jobs,
                _last_verification,
            ]
            found += [ask(cat) for ask in asked]
            found.append(_access(cat))
    except BadInput as error:
        found.append(Finding("catalogue", "unsound", str(error)))
        found.append(Finding("access", "unsound", f"none; {shown(address)}"))
    return found


def _program() -> Finding:
    revision = this_provenance().revision
    return Finding(
        "program",
        "sound",
        f"thoughtful {version('thoughtful')}" + (f", source {revision}" if revision else ""),
    )


def _python() -> Finding:
    compiled = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
    versions = f"Python {platform.python_version()}, Numba {version('numba')}"
    if compiled:
        return Finding("python", "sound", versions)
    return Finding(
        "python", "note", f"{versions}, switched off: solvers take a hundred times longer"
    )


def _self_test() -> Finding:
    """Deal, solve and have the referee replay; no catalogue is needed."""
    from engine.dealing.dealers import get_dealer

    rules = parse_ruleset(DEFAULT_RULESET)
    game, solver = game_of(rules), default_solver(rules)
    for seed in range(_DEALS_TRIED):
        (outcome,) = solver.solve(get_dealer(_DEALER).deal_block(seed, 1, game), rules)
        if outcome.result != Result.WON or outcome.moves is None:
            continue
        deal = get_dealer(_DEALER).deal(seed, game)
        moves = game.unpack(outcome.moves)
        name = f"{_DEALER}:{seed}"
        if wins(game.start(deal, rules), moves):
            words = f"{name} won in {len(moves)} moves by {solver.method.slug}, and replayed"
            return Finding("referee", "sound", words)
        return Finding("referee", "unsound", f"{name}: the referee refuses the solver's win")
    return Finding("referee", "unsound", f"none of {_DEALS_TRIED} deals was won: most should be")


def _disk(places: list[Path]) -> Finding:
    free = {}
    for place in places:
        existing = next(path for path in (place, *place.parents) if path.exists())
        free[existing] = shutil.disk_usage(existing).free
    words = ", ".join(f"{_size(size)} free at {path}" for path, size in free.items())
    return Finding("disk", "sound" if min(free.values()) >= LEAST_FREE else "unsound", words)


def _access(cat: Catalogue) -> Finding:
    if get_settings().read_only:
        return Finding("access", "sound", f"nothing can be changed or started; {cat.url}")
    try:
        cat.check_may_write()
    except BadInput as error:
        return Finding("access", "note", str(error))
    return Finding("access", "sound", f"read and write; {cat.url}")


def _catalogue(cat: Catalogue) -> Finding:
    with cat.session() as session:
        if cat.engine.dialect.name == "postgresql":
            size = session.scalar(text("SELECT pg_database_size(current_database())"))
        else:
            path = Path(str(cat.engine.url.database))
            files = [path, path.with_name(f"{path.name}-wal")]
            size = sum(file.stat().st_size for file in files if file.exists())
    return Finding("catalogue", "sound", f"answers, schema {REVISION}, {_size(int(size or 0))}")


def _contents(cat: Catalogue) -> Finding:
    held = overview(cat).counts
    words = f"{held.deals:,} deals, {held.outcomes:,} outcomes"
    if held.alarms:
        return Finding("contents", "unsound", f"{words}, {held.alarms:,} contradictions")
    return Finding("contents", "sound", f"{words}, no contradiction")


def _jobs(cat: Catalogue) -> Finding:
    jobs = list_jobs(cat)
    stalled = [str(job.id) for job in jobs if job.stalled]
    failed = [str(job.id) for job in jobs if job.state == "failed"]
    states = {state: sum(job.state == state for job in jobs) for state in ("queued", "running")}
    words = ", ".join(f"{number} {state}" for state, number in states.items())
    if stalled:
        words += f", stalled: {', '.join(stalled)} (start `thoughtful runner`)"
    if failed:
        words += f", failed: {', '.join(failed)} (see `thoughtful job show`)"
    return Finding("jobs", "unsound" if stalled else "note" if failed else "sound", words)


def _last_verification(cat: Catalogue) -> Finding:
    report = last_report(cat)
    if report is None or report.started_at is None:
        return Finding("verified", "note", "never: run `thoughtful verify`")
    ended = report.finished_at or report.started_at
    faults = counted(report.found, "fault")
    words = f"{ended:%Y-%m-%d %H:%M} UTC, {report.state}, {faults}"
    if report.found:
        return Finding("verified", "unsound", f"{words} (see `thoughtful verify --last`)")
    return Finding("verified", "sound" if report.holds else "note", words)


def _size(size: int) -> str:
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if size < 1000 or unit == "TB":
            break
        size //= 1000
    return f"{size} {unit}"
