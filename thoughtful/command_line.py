"""The command line, `thoughtful`: its commands with their examples, and its error handling.

Data goes to standard output, progress and remarks to standard error. Exit codes: 0 success; 2 wrong
input, explained in one sentence; 1 any other failure; 130 interrupted.
"""

import inspect
import logging
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer

from catalogue import logs
from catalogue.interrupts import ended_by_signals
from catalogue.streams import OutputError, drop_what_cannot_be_written, take_standard_streams
from engine.errors import BadInput, Renamed, without_long_words
from engine.kernels import compiling
from thoughtful.terminal import console
from thoughtful.terminal.examples import examples_of

_log = logging.getLogger(__name__)

# The commands of each group of the help, with the file and the function of each in
# `thoughtful.commands`; a dictionary holds those of a group of commands.
GROUPS: dict[str, dict[str, str | dict[str, str]]] = {
    "Ask": {
        "deal": "deal.deal",
        "solve": "solve.solve",
        "hint": "hint.hint",
        "replay": "replay.replay",
        "shortest": "shortest.shortest",
        "convert": "convert.convert",
        "find": "find.find",
        "puzzle": "puzzle.puzzle",
    },
    "Catalogue": {
        "init": "init.init",
        "import": "import_.import_",
        "bounds": "bounds.bounds",
        "sql": "sql.sql",
        "verify": "verify.verify",
        "catalogue": {"compact": "catalogue.compact"},
    },
    "Jobs": {
        "job": {
            "submit": "job.submit",
            "list": "job.list_all",
            "show": "job.show",
            "pause": "job.pause",
            "resume": "job.resume",
            "cancel": "job.cancel",
            "retry": "job.retry",
            "priority": "job.priority",
        },
        "runner": "runner.runner",
    },
    "Data": {
        "export": "export.export",
        "list": "list.list_deals",
        "dataset": {"build": "dataset.build", "check": "dataset.check"},
    },
    "Laboratory": {
        "compare": "compare.compare",
        "regret": "regret.regret",
        "difficulty": {
            "fit": "difficulty.fit",
            "grade": "difficulty.grade",
            "show": "difficulty.show",
        },
        "fairness": "fairness.fairness",
        "reproduce": "reproduce.reproduce",
        "rulesets": "rulesets.rulesets",
        "dealers": "dealers.dealers",
        "solvers": "solvers.solvers",
    },
    "Service": {
        "up": "up.up",
        "dashboard": "dashboard.dashboard",
        "serve": "serve.serve",
        "doctor": "doctor.doctor",
    },
}
# What the help says of a group of commands.
_SUMMARIES = {
    "catalogue": "Change how the outcomes of the catalogue are kept.",
    "job": "Submit, list, show and steer jobs: solvers to run on a sample of deals.",
    "dataset": "Build and check datasets to publish.",
    "difficulty": "Fit, grade and show how hard winnable deals are.",
}


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"thoughtful {version('thoughtful')}")
        raise typer.Exit


def _thoughtful(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and exit"
        ),
    ] = False,
) -> None:
    """A catalogue of solved solitaire deals, and a laboratory to fill it.

    `thoughtful up` fills a catalogue in the background and shows it in the browser.

    `thoughtful COMMAND --help` explains a command and gives examples.
    """
    if context.invoked_subcommand is None:
        print(context.get_help())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with its code, within two seconds of Ctrl-C or SIGTERM."""
    take_standard_streams()
    with ended_by_signals():
        console.write_any_text()
        logs.hide_secrets_in_tracebacks()
        compiling.side_by_side()
        compiling.tell_with(console.CompilingNotice())
        sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; report wrong input in one sentence."""
    if sys.stdout is None:
        return _wrong("standard output is closed")
    try:
        named = application(sys.argv[1:] if arguments is None else arguments)
        command: Any = typer.main.get_command(named)
        if logs.is_asked_for():
            logs.configure()
        with _renamed_as_remarks():
            code = command.main(args=arguments, prog_name="thoughtful", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except BadInput as error:
        return _wrong(str(error))
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        path = "thoughtful" if context is None else context.command_path
        message = error.format_message().strip().rstrip(".")
        return _wrong(f"{message[:1].lower()}{message[1:]} (see {path} --help)")
    except BrokenPipeError:
        return 1  # the reader of our output has closed it
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except Exception as error:
        sentence = _of_the_machine(error) or _of_damage(error)
        if sentence is None:
            raise
        return _wrong(sentence)
    finally:
        drop_what_cannot_be_written()


def application(arguments: Sequence[str] = ()) -> typer.Typer:
    """All commands, or the only one that the first argument names.

    Importing and making all of them takes 0.1 s (`docs/results/scale.md`).
    """
    made = typer.Typer(
        name="thoughtful",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback(invoke_without_command=True)(_thoughtful)
    first = arguments[0] if arguments else None
    everything = first != "--version" and not any(first in group for group in GROUPS.values())
    for panel, commands in GROUPS.items():
        for name, command in commands.items():
            if everything or name == first:
                _add(made, name, command, panel)
    return made


def _add(group: typer.Typer, name: str, command: str | dict[str, str], panel: str | None) -> None:
    if isinstance(command, dict):
        inner = typer.Typer(help=_SUMMARIES[name])
        for part, place in command.items():
            _add(inner, part, place, None)
        group.add_typer(inner, name=name, rich_help_panel=panel)
        return
    file, _, function = command.partition(".")
    called = getattr(import_module(f"thoughtful.commands.{file}"), function)
    # Docstrings are wrapped for the source file; the terminal wraps to its own width.
    paragraphs = [" ".join(text.split()) for text in (inspect.getdoc(called) or "").split("\n\n")]
    listed = "\n".join(f" {example}" for example in examples_of(called))
    # Rich would read an open bracket as the start of markup.
    text = "\n\n".join([*paragraphs, "Examples:", listed]).replace("[", r"\[")
    group.command(name, help=text, rich_help_panel=panel)(called)


# By the libraries of each, the extras of `pyproject.toml`.
EXTRAS = {
    "data": ("duckdb", "pandas", "pyarrow", "statsmodels"),
    "dashboard": ("altair", "fastapi", "streamlit", "uvicorn", "vl_convert"),
    "cluster": ("dask", "distributed", "prometheus_client", "psycopg"),
}


def _of_the_machine(error: Exception) -> str | None:
    """The sentence for an error that is the machine's, not ours: a full disk, a lock, a name."""
    if isinstance(error, ModuleNotFoundError):
        library = (error.name or "").partition(".")[0]
        extra = next((name for name, libraries in EXTRAS.items() if library in libraries), None)
        return extra and f"{library} is not installed: install thoughtful with its extra [{extra}]"
    if isinstance(error, OSError):
        return _of_the_system(error)
    # Not imported here: most commands need no database.
    databases: Any = sys.modules.get("sqlalchemy.exc")
    if databases is not None and isinstance(error, databases.DBAPIError):
        from catalogue.database import is_damage, is_refusal, reason_of

        # Other errors of a database are ours, and keep their traceback.
        known = isinstance(error, databases.OperationalError)
        if known or is_refusal(error) or is_damage(error):
            return f"the database cannot be used: {reason_of(error)}"
    return None


def _of_the_system(error: OSError) -> str:
    """The sentence for an error of a file or a stream."""
    if isinstance(error, OutputError):
        return str(error)
    _log.debug("the system has refused something", exc_info=error)
    reason = error.strerror or " ".join(str(error).split()) or type(error).__name__
    if error.filename is not None:
        return f"{os.fsdecode(error.filename)} cannot be used: {reason}"
    return f"the system refuses: {reason[:1].lower()}{reason[1:]}"


# Bytes of a file of which a look at everything but solving takes a few seconds.
_LARGEST_CHECKED = 100_000_000


def _of_damage(error: Exception) -> str | None:
    """The sentence for an error that comes from what a damaged catalogue has stored, if it is one.

    Nobody checks each value that is read. So when a command fails, the catalogue is looked at.
    """
    store: Any = sys.modules.get("catalogue.store")
    address = None if store is None else store.latest()
    if address is None:
        return None
    from catalogue.database import Damaged, shown
    from catalogue.verify.running import verify

    file = address.database if address.get_backend_name() == "sqlite" else None
    small = file is not None and os.path.getsize(file) <= _LARGEST_CHECKED
    only = ("values", "seals", "blocks", "batches") if small else ()
    try:
        url = address.render_as_string(hide_password=False)
        with store.open_catalogue(url) as catalogue:
            report = verify(catalogue, share=0.0, resolve_share=0.0, seed=0, only=("tables", *only))
    except Exception as other:
        return str(other) if isinstance(other, Damaged) else None
    if not report.found:
        return None
    return (
        f"{type(error).__name__} while the database at {shown(address)} was read, which is "
        f"damaged ({report.faults[0]}): `thoughtful verify` says where, a backup has what it was"
    )


@contextmanager
def _renamed_as_remarks() -> Iterator[None]:
    """Report each old name in use once, with its new name, on standard error."""
    with warnings.catch_warnings():
        warnings.simplefilter("once", Renamed)
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any) -> None:
            if category is Renamed:
                logs.say(f"thoughtful: note: {message}", logging.WARNING)
            else:
                others(message, category, *rest)

        warnings.showwarning = show  # type: ignore[assignment]  # it hands all on as it comes
        yield


def _wrong(sentence: str) -> int:
    # Of a secret that is cut no part would be known any more.
    said = without_long_words(logs.without_secrets(" ".join(sentence.split())))
    logs.say(f"thoughtful: {said}", logging.ERROR)
    return 2


if __name__ == "__main__":
    main()
