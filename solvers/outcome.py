"""What one solver achieved on one deal."""

from dataclasses import dataclass, replace
from enum import StrEnum


class Result(StrEnum):
    """How it ended; the values are the words stored in SQL."""

    WON = "won"
    LOST = "lost"  # it failed; proves nothing
    UNWINNABLE = "unwinnable"  # proved
    GAVE_UP = "gave_up"  # its budget is spent; proves nothing


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """A proof of hopelessness small enough to check by eye.

    Attributes:
        kind: which test fired, a slug such as ``relaxed`` or ``pair``.
        witness: the cards involved, in the order in which an explanation names them.
    """

    kind: str
    witness: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One solver on one deal under one ruleset.

    Attributes:
        result: how it ended.
        nodes: positions entered; the deterministic measure of effort.
        cpu_ms: milliseconds of CPU time of the thread that solved it.
        moves: standard moves, packed as `engine.game.Game.unpack` reads them, when won, else None.
        played: the same of a game that a player lost, else None.
        dead_end: the classification, when a dead-end test proved the result.
    """

    result: Result
    nodes: int
    cpu_ms: float
    moves: bytes | None = None
    dead_end: DeadEnd | None = None
    played: bytes | None = None

    def without_game(self) -> "Outcome":
        """The same without the game that a player lost, which only its worker looks at."""
        return self if self.played is None else replace(self, played=None)

    @classmethod
    def of_game(cls, won: bool, moves: bytes, nodes: int, seconds: float) -> "Outcome":
        """That of a game that a player played to its end, with its moves and CPU seconds."""
        return cls(
            Result.WON if won else Result.LOST,
            nodes=nodes,
            cpu_ms=1000 * seconds,
            moves=moves if won else None,
            played=None if won else moves,
        )
