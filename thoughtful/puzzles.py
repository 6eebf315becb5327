"""Puzzles: positions in which one play alone keeps the win."""

from dataclasses import dataclass
from html import escape

from thoughtful.positions import Position
from thoughtful.solutions import Solution


@dataclass(frozen=True, slots=True, repr=False)
class Puzzle:
    """A position in which one play alone keeps the win; all others are proved to lose.

    Attributes:
        position: where the play is to be chosen; all cards are known.
        answer: the play: turns of the stock and moves that can be taken back, then a card moved for
            good.
        win: the answer and the rest of a win.
        plays: the number of plays to choose from.
        themes: what the answer does and leaves undone, such as ``king`` or ``hold-back``.
        level: 1 (easiest) to 10; None where the ruleset has no model of puzzles.
        deal: name of the deal of whose game it is.
    """

    position: Position
    answer: Solution
    win: Solution
    plays: int
    themes: tuple[str, ...]
    level: int | None
    deal: str

    def __repr__(self) -> str:
        level = "" if self.level is None else f", level {self.level}"
        return f"<Puzzle under {self.position.rules}: one of {self.plays} plays{level}>"

    def _repr_html_(self) -> str:
        drawn = getattr(self.position, "_repr_html_", None)
        return drawn() if drawn else f"<pre>{escape(str(self.position))}</pre>"


def puzzle(rules: str | None = None, theme: str | None = None, key: str | None = None) -> Puzzle:
    """The puzzle of a key; see `thoughtful puzzle`.

    Args:
        rules: the ruleset.
        theme: only a puzzle whose answer does this.
        key: any text, whose puzzle is always the same; by default a random one.

    Raises:
        BadInput: unknown ruleset or theme, or there are no puzzles under the ruleset.
    """
    import secrets

    from catalogue.difficulty.puzzles import puzzle as puzzle_of
    from engine.games import DEFAULT_RULESET, game_of

    found = puzzle_of(rules or DEFAULT_RULESET, theme, secrets.token_hex(8) if key is None else key)
    start, parse = Position(found.position), game_of(found.position.rules).parse_move
    answer = tuple(map(parse, found.solution))
    win = (*answer, *map(parse, found.rest))
    return Puzzle(
        start,
        Solution(start, answer),
        Solution(start, win),
        found.plays,
        found.themes,
        found.level,
        found.deal,
    )
