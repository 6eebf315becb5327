"""Options and reports of commands that read files of many entries."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, TYPE_CHECKING, Annotated

import typer

from thoughtful.terminal import console
from thoughtful.terminal.files import shown

if TYPE_CHECKING:
    from engine.intake import WrongEntry

Source = Annotated[str, typer.Argument(metavar="FILE", help="A file; - is standard input")]

SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Succeed although some entries cannot be read")
]


@contextmanager
def reporting(file: str, report: str | None = None) -> "Iterator[Callable[[WrongEntry], None]]":
    """A function that reports wrong entries on standard error, and in a file if one is named.

    Raises:
        BadInput: the file cannot be written.
    """
    import json

    from catalogue.streams import open_report

    name = shown(file)
    with ExitStack() as stack:
        target: IO[str] | None = None
        if report is not None:
            target = stack.enter_context(open_report(report))

        def tell(wrong: "WrongEntry") -> None:
            console.remark(f"{name}, line {wrong.line}: {' '.join(wrong.reason.split())}")
            if target is not None:
                fault = {"line": wrong.line, "reason": wrong.reason, "text": wrong.text}
                print(json.dumps(fault), file=target)

        yield tell
