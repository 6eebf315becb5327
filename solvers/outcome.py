"""Outcomes of solvers on deals."""

from dataclasses import dataclass, replace
from enum import StrEnum


class Result(StrEnum):
    """Result of an outcome; the values are the words stored in SQL."""

    WON = "won"
    LOST = "lost"  # it failed; proves nothing
    UNWINNABLE = "unwinnable"  # proved
    GAVE_UP = "gave_up"  # its budget is spent; proves nothing


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """A proof that a deal cannot be won, small enough to check by eye.

    Attributes:
        kind: slug of the test, such as ``relaxed`` or ``pair``.
        witness: the cards involved, in the order in which an explanation names them.
    """

    kind: str
    witness: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of one solver on one deal under one ruleset.

    Attributes:
        result: the result.
        nodes: positions entered; the deterministic measure of effort.
        cpu_ms: milliseconds of CPU time of the thread that solved it, without compiling and loading
            kernels (`solving_time_ns` in `engine/kernels/compiling.py`); None if it was not timed.
        moves: standard moves, packed as `engine.game.Game.unpack` reads them, when won, else None.
        played: packed moves of a game that a player lost, else None.
        dead_end: the classification, when a dead-end test proved the result.
    """

    result: Result
    nodes: int
    cpu_ms: float | None
    moves: bytes | None = None
    dead_end: DeadEnd | None = None
    played: bytes | None = None

    def without_game(self) -> "Outcome":
        """The outcome without the moves of a lost game, which only its worker uses."""
        return self if self.played is None else replace(self, played=None)

    @classmethod
    def of_game(cls, won: bool, moves: bytes, nodes: int, seconds: float) -> "Outcome":
        """Outcome of a game that a player finished, with its moves and CPU seconds."""
        return cls(
            Result.WON if won else Result.LOST,
            nodes=nodes,
            cpu_ms=1000 * seconds,
            moves=moves if won else None,
            played=None if won else moves,
        )
