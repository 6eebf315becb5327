"""Log lines on standard error, as text or as JSON, without any password.

Lines carry an event and named values: ``log.info("claimed", extra={"job": 3})``.
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
    ours = logging.getLogger("catalogue")
    ours.handlers[:] = [handler]
    ours.setLevel(level.upper())


def hide_secrets_in_tracebacks() -> None:
    """Print tracebacks of this process without secrets."""

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        _print_traceback(kind, error, trace)

    def thread_hook(given: threading.ExceptHookArgs) -> None:
        if given.exc_value is not None:
            _print_traceback(given.exc_type, given.exc_value, given.exc_traceback)

    sys.excepthook = hook
    threading.excepthook = thread_hook


def _print_traceback(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    text = "".join(traceback.format_exception(kind, error, trace))
    print(without_secrets(text), end="", file=sys.stderr)


def _given(record: logging.LogRecord) -> dict[str, Any]:
    return {name: value for name, value in vars(record).items() if name not in _USUAL}


class _StandardError(logging.Handler):
    """Writes to what is standard error at the moment."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            print(self.format(record), file=sys.stderr, flush=True)
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
