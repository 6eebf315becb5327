"""Whether a script may start processes: each of them imports the script again.

Python starts a process with a copy of the main module, but for what stands under
``if __name__ == "__main__":``. A script without that line would start processes in its processes;
what then reaches the user is an error of a library, long after the cause.
"""

import ast
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType, ModuleType

from engine.errors import BadInput


def check_may_start_processes() -> None:
    """Raise BadInput if the main module would do what it does now in each process again.

    What a console, a notebook or ``python -c`` runs is not imported again, nor is the
    ``__main__.py`` of a package or folder.
    """
    main = sys.modules.get("__main__")
    if main is None or getattr(main, "__file__", None) is None or _is_of_package(main):
        return
    frame = _of_main(sys._getframe(), main)
    if frame is None and threading.current_thread() is not threading.main_thread():
        # A thread that the main module has started, perhaps while it waits for it.
        ident = threading.main_thread().ident
        frame = _of_main(sys._current_frames().get(ident or 0), main)
    if frame is None:
        return
    file = frame.f_code.co_filename
    if file == "<stdin>":
        raise BadInput(
            "a script that Python reads from standard input cannot start processes: save it as a "
            "file and run that"
        )
    try:
        # As bytes: what they are encoded in, they say themselves.
        guarded = set(_guarded_lines(ast.parse(Path(file).read_bytes())))
    except (OSError, SyntaxError, ValueError):
        return  # no file of source code: nothing that a process could import
    if frame.f_lineno not in guarded:
        raise BadInput(
            f"{file}, line {frame.f_lineno} starts processes, and each of them would run this "
            'script again: put what the script does under `if __name__ == "__main__":`'
        )


def _is_of_package(main: ModuleType) -> bool:
    name = "" if main.__spec__ is None else main.__spec__.name
    return name == "__main__" or name.endswith(".__main__")


def _of_main(frame: FrameType | None, main: ModuleType) -> FrameType | None:
    """The frame that runs the top level of the main module's file; None if there is none."""
    while frame is not None:
        code = frame.f_code
        if (
            code.co_name == "<module>"
            and frame.f_globals is vars(main)
            # Not what it has given to `exec`, but where it does so.
            and code.co_filename in (main.__file__, "<stdin>")
        ):
            return frame
        frame = frame.f_back
    return None


def _guarded_lines(tree: ast.Module) -> Iterator[int]:
    """The lines of what only the main module runs."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
            yield from _lines(node.orelse if _is_of_others(node.test) else node.body)
        elif isinstance(node, ast.BoolOp | ast.IfExp) and "__name__" in ast.unparse(node):
            yield from _lines([node])


def _is_of_others(test: ast.expr) -> bool:
    """Whether it is a test of not being the main module."""
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.NotEq) for op in node.ops):
            condition = ast.unparse(node)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            condition = ast.unparse(node.operand)
        else:
            continue
        if "__name__" in condition:
            return True
    return False


def _lines(nodes: "Sequence[ast.stmt | ast.expr]") -> Iterator[int]:
    for node in nodes:
        yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)
