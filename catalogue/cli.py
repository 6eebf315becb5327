"""The command line, `thoughtful`: its commands with their examples, and its error handling.

Data goes to standard output, progress and remarks to standard error. Exit codes: 0 success; 2 wrong
input, explained in one sentence; 1 any other failure; 130 interrupted.
"""

import inspect
import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Annotated, Any

import typer

from catalogue import logs
from catalogue.commands import (
    compare,
    console,
    dataset,
    difficulty,
    doctor,
    fairness,
    hint,
    imports,
    job,
    keeping,
    list_deals,
    lists,
    play,
    read,
    regret,
    reproduce,
    runner,
    serve,
    shortest,
    solve,
    sql,
    verify,
)
from catalogue.interrupts import ended_by_signals
from catalogue.streams import OutputError, drop_what_cannot_be_written, take_standard_streams
from engine import compiling
from engine.errors import BadInput, Renamed

_log = logging.getLogger(__name__)

app = typer.Typer(
    name="thoughtful",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
kept = typer.Typer(help="Change how the outcomes of the catalogue are kept.")
hard = typer.Typer(help="Fit, grade and show how hard winnable deals are.")
sets = typer.Typer(help="Build and check datasets to publish.")
jobs = typer.Typer(help="Submit, list, show and steer jobs: solvers to run on a sample of deals.")


def _add(
    group: typer.Typer, command: Callable[..., None], *examples: str, name: str | None = None
) -> None:
    """Add a command whose help ends with the given examples, which a test runs unchanged."""
    # Docstrings are wrapped for the source file; the terminal wraps to its own width.
    paragraphs = [" ".join(text.split()) for text in (inspect.getdoc(command) or "").split("\n\n")]
    listed = "\n".join(f" {example}" for example in examples)
    # Rich would read an open bracket as the start of markup.
    text = "\n\n".join([*paragraphs, "Examples:", listed]).replace("[", r"\[")
    group.command(name or typer.main.get_command_name(command.__name__), help=text)(command)


_add(app, serve.up, "thoughtful up", "thoughtful up --seeds 100000")
_add(app, serve.init, "thoughtful init")
_add(
    app,
    play.deal,
    "thoughtful deal thoughtful-1:42",
    "thoughtful deal thoughtful-1:0-9 --json",
    "thoughtful deal pysolfc:1 --format solvitaire",
    "thoughtful deal thoughtful-1:3 --rules spider-4",
)
_add(
    app,
    solve.solve,
    "thoughtful solve thoughtful-1:42",
    "thoughtful solve thoughtful-1:2-9 --rules klondike-draw1 --json",
    "thoughtful solve thoughtful-1:42 --store",
    "thoughtful solve thoughtful-1:3 -r spider-1 -s 'monkey(level=3, period=50)'",
    "thoughtful deal thoughtful-1:2-29 --json > deals.jsonl",
    "thoughtful solve --input deals.jsonl --output results.jsonl --workers 2",
    "thoughtful deal pysolfc:1-3 -f pysolfc | thoughtful solve - --to pysolfc",
)
_add(
    app,
    play.replay,
    "thoughtful replay thoughtful-1:42",
    'thoughtful replay thoughtful-1:42 --moves "T T T" --show',
    "thoughtful solve thoughtful-1:2 --json | thoughtful replay -",
    "thoughtful replay thoughtful-1:3 --moves 'LI IJ IB' --to klondike-solver",
)
_add(
    app,
    hint.hint,
    "thoughtful hint thoughtful-1:42",
    "thoughtful hint thoughtful-1:42 --moves '51 T T T T W1' --json",
    "thoughtful hint thoughtful-1:42 --hidden --samples 20 --seconds 5",
    "thoughtful replay thoughtful-1:42 --moves 51 --json | thoughtful hint -",
)
_add(
    app,
    shortest.shortest,
    "thoughtful shortest thoughtful-1:42",
    "thoughtful shortest thoughtful-1:2 --count minimal-klondike --json",
    "thoughtful solve thoughtful-1:2 --json > won.jsonl",
    "thoughtful shortest thoughtful-1:2 --shorten --file won.jsonl",
)
_add(
    app,
    imports.import_,
    "thoughtful deal pysolfc:1-20 --format pysolfc | thoughtful import -",
    "echo 11982 | thoughtful import - --from greenfelt",
    "thoughtful solve thoughtful-1:2 --json > won.jsonl",
    "thoughtful import won.jsonl --outcomes lonelybot",
    name="import",
)
_add(
    app,
    imports.convert,
    "thoughtful deal thoughtful-1:2-29 --json | thoughtful convert - --to pysolfc",
    "thoughtful solve thoughtful-1:2 --json > won.jsonl",
    "thoughtful convert won.jsonl --to json --notation minimal-klondike",
)
_add(
    jobs,
    job.submit,
    "thoughtful job submit thoughtful-1:0-999 --solver dead-end --solver exact",
    "thoughtful job submit pysolfc:1-50 -s 'exact(nodes=100000)' --priority 5",
    "thoughtful job submit thoughtful-1:0-999 -r klondike-yan -s yan-heuristic",
    "thoughtful job submit thoughtful-1:0-99 -r spider-4 -s 'monkey(level=3)'",
    "thoughtful job submit thoughtful-1:0-999999 --keep verdicts --until-width 5",
    "thoughtful job submit thoughtful-1:0-999999999 --keep verdicts --dry-run",
)
_add(jobs, job.list_all, "thoughtful job list", name="list")
_add(jobs, job.show, "thoughtful job show 1")
_add(jobs, job.pause, "thoughtful job pause 1")
_add(jobs, job.resume, "thoughtful job resume 1")
_add(jobs, job.priority, "thoughtful job priority 1 10")
_add(jobs, job.cancel, "thoughtful job cancel 1")
_add(jobs, job.retry, "thoughtful job retry 1")
app.add_typer(jobs, name="job")
_add(app, runner.runner, "thoughtful runner", "thoughtful runner --watch --workers 2")
_add(
    app,
    reproduce.reproduce,
    "thoughtful reproduce bjarnason-2007 --rows n=0,n=1 --games 200 --plot w.svg",
    "thoughtful reproduce bjarnason-2007 --rows 'n0=1;n1=1' --games 50 -w 2",
    "thoughtful reproduce yan-2004 --rows 0 --games 500 --first pysolfc:1 --json",
    "thoughtful reproduce blake-gent-2026 --rows draw8 -n 500",
)
_add(
    app,
    regret.regret,
    "thoughtful regret thoughtful-1:0-199 --player greedy",
    "thoughtful regret thoughtful-1:0-99 -r klondike-draw1 -p random -w 2 --json",
)
_add(
    hard,
    difficulty.fit,
    "thoughtful difficulty fit pysolfc:1-130 -r klondike-draw1 -p random -p greedy",
)
_add(
    hard,
    difficulty.grade,
    "thoughtful difficulty grade thoughtful-1:42-43",
)
_add(
    hard,
    difficulty.show,
    "thoughtful difficulty show",
    "thoughtful difficulty show thoughtful-1:42 --json",
)
app.add_typer(hard, name="difficulty")
_add(
    app,
    difficulty.find,
    "thoughtful find --level 6-8",
    "thoughtful find --winnable --count 1000 --level 3-5",
    "thoughtful find --needs worrying-back --critical-before 20 --length 0-130",
    "thoughtful find --day",
)
_add(
    app,
    list_deals.list_deals,
    "thoughtful list --dealer pysolfc --seeds 40000-40099 --format pysolfc",
    "thoughtful list --dealer thoughtful-1 --seeds 0-99 -f binary -o won.bin",
    "thoughtful list --read won.bin",
    "thoughtful list --read won.bin --seeds 40-45",
    "thoughtful list --dealer thoughtful-1 --seeds 0-99 --stored --format csv",
    name="list",
)
_add(
    app,
    fairness.fairness,
    "echo thoughtful-1:0-199 | thoughtful fairness -",
    "thoughtful fairness --hard 40/40 --reference 50/100",
)
_add(
    app,
    read.bounds,
    "thoughtful bounds",
    "thoughtful bounds --rules klondike-draw3 --sample thoughtful-1:0-999 --json",
)
_add(
    app,
    compare.compare,
    "thoughtful compare dead-end exact --rules klondike-draw3",
    "thoughtful compare dead-end exact --sample thoughtful-1:0-99 --json",
)
_add(
    app,
    read.export,
    "thoughtful export solved-deals",
    "thoughtful export winnable -f csv -r klondike-draw3 --status winnable",
)
_add(
    app,
    sql.sql,
    'thoughtful sql "SELECT status, count(*) FROM statuses GROUP BY status"',
    "thoughtful sql \"SELECT deal, length FROM outcomes WHERE result = 'won' AND length < 100\" "
    "--rules klondike-draw3 --csv",
)
_add(
    sets,
    dataset.build,
    "thoughtful dataset build deals-solved",
    "thoughtful dataset build small --sample thoughtful-1:0-999 --format csv",
)
_add(
    sets,
    dataset.check,
    "thoughtful dataset check deals-solved-1.0.0",
    "thoughtful dataset check deals-solved-1.0.0 --replay",
)
app.add_typer(sets, name="dataset")
_add(
    app,
    verify.verify,
    "thoughtful verify",
    "thoughtful verify --share 1 --json",
    "thoughtful verify --only solutions --only cards --share 0.5 --seed 7",
    "thoughtful verify --deal thoughtful-1:42",
    "thoughtful verify --last",
)
_add(
    kept,
    keeping.compact,
    "thoughtful catalogue compact --rules klondike-yan --dry-run",
    "thoughtful catalogue compact --rules klondike-yan",
    "thoughtful catalogue compact --rules klondike-yan --back",
)
app.add_typer(kept, name="catalogue")
_add(app, doctor.doctor, "thoughtful doctor", "thoughtful doctor --json")
_add(app, serve.dashboard, "thoughtful dashboard --port 8600")
_add(app, serve.serve, "thoughtful serve", "thoughtful serve --port 8700")
_add(
    app,
    lists.rulesets,
    "thoughtful rulesets",
    "thoughtful rulesets klondike-draw3-build-any-suit-spaces-any",
    "thoughtful rulesets klondike-draw3-spaces-none --to solvitaire",
)
_add(app, lists.dealers, "thoughtful dealers")
_add(app, lists.solvers, "thoughtful solvers")


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"thoughtful {version('thoughtful')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def thoughtful(
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
        compiling.tell_with(console.CompilingTold())
        sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; report wrong input in one sentence."""
    if sys.stdout is None:
        return _wrong("standard output is closed")
    command = _parser(sys.argv[1:] if arguments is None else arguments)
    try:
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


def _parser(arguments: Sequence[str]) -> Any:
    """The parser of all commands, or of the only one that the first argument names.

    Making all of them takes 0.04 s (`docs/results/pipe.md`).
    """
    first = arguments[0] if arguments else None
    named = copy(app)
    named.registered_commands = [each for each in app.registered_commands if each.name == first]
    named.registered_groups = [each for each in app.registered_groups if each.name == first]
    if not named.registered_commands and not named.registered_groups:
        named = app
    return typer.main.get_command(named)


_LONGEST_SHOWN = 80


def _of_the_machine(error: Exception) -> str | None:
    """The sentence for an error that is the machine's, not ours: a full disk, a lock, a name."""
    if isinstance(error, OSError):
        return _of_the_system(error)
    # Not imported here: most commands need no database.
    databases: Any = sys.modules.get("sqlalchemy.exc")
    if databases is not None and isinstance(error, databases.DBAPIError):
        from catalogue.store import is_damage, is_refusal, reason_of

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
        name = os.fsdecode(error.filename)
        name = name if len(name) <= _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN]}…"
        return f"{name} cannot be used: {reason}"
    return f"the system refuses: {reason[:1].lower()}{reason[1:]}"


# Bytes of a file of which a look at everything but solving takes a few seconds.
_LARGEST_LOOKED_AT = 100_000_000


def _of_damage(error: Exception) -> str | None:
    """The sentence for an error that comes from what a damaged catalogue has stored, if it is one.

    Nobody checks each value that is read. So when a command fails, the catalogue is looked at.
    """
    store: Any = sys.modules.get("catalogue.store")
    address = None if store is None else store.latest()
    if address is None:
        return None
    from catalogue.verify.running import verify

    file = address.database if address.get_backend_name() == "sqlite" else None
    small = file is not None and os.path.getsize(file) <= _LARGEST_LOOKED_AT
    only = ("values", "seals", "blocks", "batches") if small else ()
    try:
        url = address.render_as_string(hide_password=False)
        with store.open_catalogue(url) as catalogue:
            report = verify(catalogue, share=0.0, resolve_share=0.0, seed=0, only=("tables", *only))
    except Exception as other:
        return str(other) if isinstance(other, store.Damaged) else None
    if not report.found:
        return None
    return (
        f"{type(error).__name__} while the database at {store.shown(address)} was read, which is "
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
    logs.say(f"thoughtful: {logs.without_secrets(' '.join(sentence.split()))}", logging.ERROR)
    return 2


if __name__ == "__main__":
    main()
