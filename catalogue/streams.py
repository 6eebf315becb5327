"""Files and standard streams as bytes: an error of one is a sentence that names it.

A command reads one file while it writes another. An error that says no more than that there is no
space left would be taken for one of whichever is caught first.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader, BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from catalogue.interrupts import removed_if_ended
from engine.errors import BadInput

_OUTPUT = "the output could not be written"


def take_standard_streams() -> None:
    """Have errors of standard output name it, and no other file take the place of a closed stream.

    The next file to be opened has the lowest number that is free. A reader of standard input
    would wait for that file, such as a connection, and remarks would be written into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # for as long as the process
    if isinstance(sys.stdout, TextIOWrapper):
        whole, raw = sys.stdout, _Output(1, _OUTPUT)
        sys.stdout = TextIOWrapper(
            # Where Python was told not to buffer, nothing is buffered here.
            cast("BinaryIO", raw) if whole.write_through else BufferedWriter(raw),
            whole.encoding,
            whole.errors,
            line_buffering=whole.line_buffering,
            write_through=whole.write_through,
        )


def drop_what_cannot_be_written() -> None:
    """Write what is buffered for standard output, or drop it: at exit it would be tried again."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


class OutputError(OSError):
    """Output that cannot be written; the text is a sentence that names it.

    Not `BadInput`, which many a reader catches to say in which line of its input something is
    wrong: it may be writing at that moment.
    """


class _Input(FileIO):
    """An open file whose errors of reading are sentences that name it."""

    def __init__(self, file: Path | int, name: str) -> None:
        """Open a file, or take a descriptor that stays open."""
        self._sentence = f"cannot read {name}"
        with self._named():
            super().__init__(file, "rb", closefd=not isinstance(file, int))

    def readinto(self, buffer: Any) -> Any:
        with self._named():
            return super().readinto(buffer)

    def readall(self) -> Any:
        with self._named():
            return super().readall()

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise BadInput(f"{self._sentence}: {error.strerror}") from None


class _Output(FileIO):
    """An open file whose errors of writing are sentences that name it."""

    def __init__(self, file: Path | int, sentence: str) -> None:
        """Open a file, or take a descriptor that stays open; errors begin with the sentence."""
        self._sentence = sentence
        with self._named():
            super().__init__(file, "wb", closefd=not isinstance(file, int))

    def write(self, data: Any) -> Any:
        with self._named():
            return super().write(data)

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise  # the reader of our output has seen enough
        except OSError as error:
            raise OutputError(f"{self._sentence}: {error.strerror}") from None


def open_input(file: str | Path) -> BufferedReader:
    """Open a file to be read; ``-`` is standard input, which closing this leaves open.

    Raises:
        BadInput: it cannot be opened; reading it raises the same if it cannot be read.
    """
    if file != "-":
        return BufferedReader(_Input(Path(file), str(file)))
    # Its number may be that of any file by now, such as a connection that never says anything.
    if sys.stdin is None:
        raise BadInput("cannot read standard input: it is closed")
    return BufferedReader(_Input(0, "standard input"))


def open_report(file: str) -> TextIO:
    """Open a text file that is written line by line, and holds what has been written so far."""
    return TextIOWrapper(BufferedWriter(_Output(Path(file), f"cannot write {file}")), "utf-8")


@contextmanager
def opened_output(target: str) -> Iterator[TextIO]:
    """Open the output; a regular file appears under its name only when it is complete."""
    with opened_bytes(target) as raw:
        stream = TextIOWrapper(raw, encoding="ascii", newline="\n", write_through=True)
        yield stream
        stream.flush()
        stream.detach()


@contextmanager
def opened_bytes(target: str) -> Iterator[BinaryIO]:
    """`opened_output` for bytes.

    Raises:
        BadInput: it cannot be written.
    """
    path = Path(target)
    sentence = f"cannot write {target}"
    try:
        if target == "-":
            with BufferedWriter(_Output(1, _OUTPUT)) as stream:
                yield stream
        elif path.exists() and not path.is_file():
            # A device or a named pipe is written in place.
            with BufferedWriter(_Output(path, sentence)) as stream:
                yield stream
        else:
            part = path.with_name(f".{path.name}.{os.getpid()}.part")
            with _complete(part, path, BufferedWriter(_Output(part, sentence))) as stream:
                yield stream
    except OutputError as error:
        raise BadInput(str(error)) from None


@contextmanager
def _complete(part: Path, path: Path, stream: BufferedWriter) -> Iterator[BufferedWriter]:
    """Give a file its name when all of it is written; else remove it."""
    try:
        with removed_if_ended(part), stream:
            yield stream
        try:
            part.replace(path)
        except OSError as error:
            raise OutputError(f"cannot write {path}: {error.strerror}") from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
