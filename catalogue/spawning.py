"""Whether a script may start processes: each of them imports the script again.

Python starts a process with a copy of the main module, but for what stands under
``if __name__ == "__main__":``. A script without that line would start processes in its processes;
what then reaches the user is an error of a library, long after the cause.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from engine.errors import BadInput


def check_may_start_processes() -> None:
    """Raise BadInput if the main module would do what it does now in each process again.

    What a console, a notebook or ``python -c`` runs is not imported again. Only the thread that
    runs the main module is looked at; others have been started by it.
    """
    frame = _of_main(sys._getframe())
    if frame is None:
        return
    file = frame.f_code.co_filename
    if file == "<stdin>":
        raise BadInput(
            "a script that Python reads from standard input cannot start processes: save it as a "
            "file and run that"
        )
    try:
        source = Path(file).read_text(encoding="utf-8")
        lines = set(_guarded_lines(ast.parse(source)))
    except (OSError, SyntaxError, ValueError):
        return  # no file of source code: nothing that a process could import
    if frame.f_lineno not in lines:
        raise BadInput(
            f"{file}, line {frame.f_lineno} starts processes, and each of them would run this "
            'script again: put what the script does under `if __name__ == "__main__":`'
        )


def _of_main(frame: FrameType | None) -> FrameType | None:
    """The frame that runs the top level of the main module as a file; None if there is none."""
    main = sys.modules.get("__main__")
    if main is None or getattr(main, "__file__", None) is None:
        return None
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_globals is vars(main):
            return frame
        frame = frame.f_back
    return None


def _guarded_lines(tree: ast.Module) -> Iterator[int]:
    """The lines of the statements that only the main module runs."""
    for statement in tree.body:
        if isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test):
            first, last = statement.body[0].lineno, statement.body[-1].end_lineno
            yield from range(first, (last or first) + 1)
