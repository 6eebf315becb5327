"""Log lines on standard error, as text or as JSON, without any password.

Lines carry an event and named values: ``log.info("claimed", extra={"job": 3})``. With
``THOUGHTFUL_LOG=json`` every line of standard error is JSON: sentences and remarks, tracebacks,
warnings of Python, and what other packages log, in this process and its workers.
"""

import json
import logging
import os
import sys
import threading
import traceback
from datetime import UTC, datetime
from types import TracebackType
from typing import Any
from urllib.parse import quote, quote_plus

HIDDEN = "***"
# A shorter one would be found in words that are none.
_SHORTEST = 4
_secrets: set[str] = set()
# The packages that log.
_LOGGERS = ("catalogue", "thoughtful")
# What every record has; whatever else it has was given with the event.
_USUAL = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def keep_secret(secret: str | None) -> None:
    """Have a secret never appear in a log line, a traceback or a sentence of the command line."""
    if secret is not None and len(secret) >= _SHORTEST:
        _secrets.update({secret, quote(secret, safe=""), quote_plus(secret)})


def without_secrets(text: str) -> str:
    """The text with every known secret replaced."""
    for secret in sorted(_secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text


def is_asked_for() -> bool:
    """Whether the environment says anything about logs."""
    return any(os.environ.get(name) for name in ("THOUGHTFUL_LOG", "THOUGHTFUL_LOG_LEVEL"))


def are_json() -> bool:
    """Whether all lines are JSON; known from the environment, even where a setting is wrong."""
    return os.environ.get("THOUGHTFUL_LOG") == "json"


def say(text: str, level: int = logging.INFO) -> None:
    """Print a line for people on standard error, as a log line where these are JSON."""
    if not are_json():
        print(text, file=sys.stderr, flush=True)
    elif logging.getLogger("catalogue").isEnabledFor(level):
        _print_json(level, text)


def configure() -> None:
    """Write log lines in the form and from the level of the settings; tracebacks keep secrets too.

    Raises:
        BadInput: a setting has an invalid value.
    """
    # Imported here, because most commands need no settings, and importing them takes a moment.
    from catalogue.settings import get_settings

    settings = get_settings()
    level = settings.log_level or ("info" if settings.log == "json" else "warning")
    handler = _StandardError()
    handler.setFormatter(_Json() if settings.log == "json" else _Text())
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.setLevel(level.upper())
        logger.propagate = settings.log != "json"
    if settings.log == "json":
        logging.getLogger().handlers[:] = [handler]
        logging.captureWarnings(True)
        # Dask then gives its loggers no handlers of their own, in worker processes neither.
        os.environ.update(DASK_LOGGING__VERSION="1", DASK_LOGGING__INCREMENTAL="True")


def dask_setup(_worker: object) -> None:
    """Configure the logs of a worker process; Dask calls it by this name as the worker starts."""
    if are_json():
        configure()
        hide_secrets_in_tracebacks()
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # as `silence_logs` as text


def hide_secrets_in_tracebacks() -> None:
    """Print tracebacks of this process without secrets."""

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        _print_traceback(kind, error, trace)

    def thread_hook(given: "threading.ExceptHookArgs | sys.UnraisableHookArgs") -> None:
        if given.exc_value is not None:
            _print_traceback(given.exc_type, given.exc_value, given.exc_traceback)

    sys.excepthook = hook
    threading.excepthook = thread_hook
    sys.unraisablehook = thread_hook


def _print_traceback(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    if are_json():
        _print_json(logging.CRITICAL, f"{kind.__name__}: {error}", (kind, error, trace))
        return
    text = "".join(traceback.format_exception(kind, error, trace))
    print(without_secrets(text), end="", file=sys.stderr)


def _print_json(level: int, event: str, error: Any = None) -> None:
    record = logging.LogRecord("catalogue", level, "", 0, "%s", (event,), error)
    _write(_Json().format(record))


def _write(line: str) -> None:
    # At once with its end, since worker processes write to the same place.
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def _given(record: logging.LogRecord) -> dict[str, Any]:
    return {name: value for name, value in vars(record).items() if name not in _USUAL}


class _StandardError(logging.Handler):
    """Writes to what is standard error at the moment."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            _write(self.format(record))
        except Exception:
            self.handleError(record)


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **_given(record),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return without_secrets(json.dumps(line, default=str))


class _Text(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%d %H:%M:%S")
        parts = [at, record.levelname.lower(), record.getMessage()]
        parts += [f"{name}={value}" for name, value in _given(record).items()]
        text = " ".join(parts)
        if record.exc_info:
            text = f"{text}\n{self.formatException(record.exc_info)}"
        return without_secrets(text)
