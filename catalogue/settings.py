"""Settings, read from the environment: variables that begin with `THOUGHTFUL_`."""

import os
import re
import sys
from functools import lru_cache
from pathlib import Path
from typing import Literal

import platformdirs
from pydantic import AliasChoices, Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, SettingsConfigDict

from engine.errors import BadInput

PREFIX = "THOUGHTFUL_"
_SHARD_TIMEOUT, _FORMER_TIMEOUT = f"{PREFIX}SHARD_TIMEOUT", f"{PREFIX}PIECE_TIMEOUT"
_SCHEDULER = re.compile(r"([a-z]+://)?[^\s/]+:[0-9]+", re.ASCII)
# As browsers send it: without a path, not even a slash.
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/,?#@]+", re.ASCII)
_E_MAIL = re.compile(r"[^\s@,]+@[^\s@,]+")


def default_database_url() -> str:
    """URL of a SQLite file in the user's data directory, which is not created by this."""
    directory = Path(platformdirs.user_data_dir("thoughtful", appauthor=False))
    return f"sqlite:///{(directory / 'thoughtful.db').as_posix()}"


def all_cores() -> int:
    """The number of CPU cores available to this process, within the limits of its container."""
    try:
        from dask.system import cpu_count
    except ModuleNotFoundError:  # it is of the extra `cluster`
        return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return int(cpu_count())


class Settings(BaseSettings):
    """Settings of the program; each field is set by the environment variable of its name.

    Attributes:
        database_url: URL of the catalogue, ``sqlite:///PATH`` or
            ``postgresql://USER:PASSWORD@HOST/DATABASE``.
        workers: number of processes that solve.
        scheduler: address of a running Dask scheduler, such as ``tcp://10.0.0.5:8786``, whose
            workers solve instead of this machine.
        shard_timeout: seconds after which a shard of a job is given up, unless ten times what it is
            expected to take is longer.
        read_only: whether nothing can be changed or started.
        editors: e-mail addresses, separated by commas, of those who may change something on a
            dashboard that people sign in to; all who sign in, if it is empty.
        query_seconds: most seconds of a query that a visitor of the dashboard causes.
        query_rows: most rows that such a query reads.
        download_rows: most rows of a download from the dashboard, all tables together.
        warm_up: whether the dashboard's server loads the solvers in the background when it starts.
        api_nodes: most nodes of one search for a request to the HTTP API.
        api_seconds: most seconds of one request to it.
        api_rate: requests a second that it answers to one client; 0 sets no limit.
        api_origins: web origins, separated by commas, whose pages may ask it; ``*`` for all.
        api_datasets: folder of the datasets whose files it hands out; None for none.
        log: the form of log lines on standard error.
        log_level: the least severe lines that are logged; by default ``info`` as JSON, and
            ``warning`` as text.
    """

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, frozen=True)

    database_url: str = Field(default_factory=default_database_url)
    workers: int = Field(default_factory=all_cores, ge=1, le=4096)
    scheduler: str | None = None
    shard_timeout: float = Field(
        default=600.0,
        gt=0,
        le=1e9,
        validation_alias=AliasChoices(_SHARD_TIMEOUT, _FORMER_TIMEOUT),
    )
    read_only: bool = False
    editors: str = ""
    query_seconds: float = Field(default=10.0, gt=0, le=3600)
    query_rows: int = Field(default=100_000, ge=1000)
    download_rows: int = Field(default=1_000_000, ge=1)
    warm_up: bool = True
    api_nodes: int = Field(default=20_000_000, ge=10_000, le=10**12)
    api_seconds: float = Field(default=5.0, gt=0, le=600)
    api_rate: float = Field(default=50.0, ge=0, le=1e6)
    api_origins: str = ""
    api_datasets: Path | None = None
    log: Literal["text", "json"] = "text"
    log_level: Literal["debug", "info", "warning", "error"] | None = None

    @field_validator("scheduler")
    @classmethod
    def _check_scheduler(cls, given: str | None) -> str | None:
        if given is not None and not _SCHEDULER.fullmatch(given):
            raise _expected("the address of a Dask scheduler, such as tcp://10.0.0.5:8786")
        return given

    @field_validator("editors")
    @classmethod
    def _check_editors(cls, given: str) -> str:
        for each in listed(given):
            if not _E_MAIL.fullmatch(each):
                raise _expected(f"e-mail addresses with commas between them, not {each!r}")
        return given

    @field_validator("api_origins")
    @classmethod
    def _check_origins(cls, given: str) -> str:
        for each in listed(given):
            if each != "*" and not _ORIGIN.fullmatch(each):
                raise _expected(
                    "origins such as https://games.example, without a path and with commas "
                    f"between them, or *, not {each!r}"
                )
        return given

    @field_validator("api_datasets")
    @classmethod
    def _check_datasets(cls, given: Path | None) -> Path | None:
        if given is not None and not given.is_dir():
            raise _expected("a folder that is there")
        return given


def listed(text: str) -> list[str]:
    """The values of a setting that has several, separated by commas."""
    return [each.strip() for each in text.split(",") if each.strip()]


def _expected(form: str) -> PydanticCustomError:
    return PydanticCustomError("wrong", "{sentence}", {"sentence": f"expected {form}"})


def get_settings() -> Settings:
    """The settings of the current environment.

    Raises:
        BadInput: a variable has an invalid value; the sentence names it.
    """
    try:
        return _settings(tuple(os.environ.items()))
    except ValidationError as error:
        fault = error.errors()[0]
        variable = PREFIX + str(fault["loc"][0]).upper().removeprefix(PREFIX)
        if variable == _SHARD_TIMEOUT and variable not in os.environ:
            variable = _FORMER_TIMEOUT
        raise BadInput(
            f"{variable}={fault['input']!r} in the environment is wrong: {fault['msg'][:1].lower()}"
            f"{fault['msg'][1:]}"
        ) from None


@lru_cache(maxsize=8)
def _settings(_environment: tuple[tuple[str, str], ...]) -> Settings:
    """The settings of an environment, which is read again once it differs; pages ask often."""
    return Settings()


def check_writable() -> None:
    """Refuse what would change or start anything where the settings say that nothing may be.

    Raises:
        BadInput: they do.
    """
    # It is asked before every transaction, and reading all settings takes a millisecond.
    asked = any(name.upper() == f"{PREFIX}READ_ONLY" for name in os.environ)
    if asked and get_settings().read_only:
        raise BadInput(
            f"{PREFIX}READ_ONLY is set: this installation only reads, and nothing can be changed "
            "or started"
        )
