"""Settings, read from the environment: variables that begin with `THOUGHTFUL_`."""

from pathlib import Path

import platformdirs
from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from engine.errors import BadInput

PREFIX = "THOUGHTFUL_"


def default_database_url() -> str:
    """URL of a SQLite file in the user's data directory, which is not created by this."""
    directory = Path(platformdirs.user_data_dir("thoughtful", appauthor=False))
    return f"sqlite:///{(directory / 'thoughtful.db').as_posix()}"


def all_cores() -> int:
    """The number of CPU cores available to this process, within the limits of its container."""
    from dask.system import cpu_count

    return int(cpu_count())


class Settings(BaseSettings):
    """Settings of the program; each field is set by the environment variable of its name.

    Attributes:
        database_url: URL of the catalogue, ``sqlite:///PATH`` or
            ``postgresql://USER:PASSWORD@HOST/DATABASE``.
        workers: number of processes that solve.
        scheduler: address of a running Dask scheduler, such as ``tcp://10.0.0.5:8786``, whose
            workers solve instead of this machine.
    """

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True)

    database_url: str = Field(default_factory=default_database_url)
    workers: int = Field(default_factory=all_cores, ge=1, le=4096)
    scheduler: str | None = None


def get_settings() -> Settings:
    """The settings of the current environment.

    Raises:
        BadInput: a variable has an invalid value; the sentence names it.
    """
    try:
        return Settings()
    except ValidationError as error:
        fault = error.errors()[0]
        variable = PREFIX + str(fault["loc"][0]).upper()
        raise BadInput(
            f"{variable}={fault['input']!r} in the environment is wrong: {fault['msg'].lower()}"
        ) from None
