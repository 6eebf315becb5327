"""Starting deals as text: our JSON and the formats of other solitaire programs.

Each game has a reader and a writer for each of its formats (`engine.game.Codec`), and the one reads
back what the other writes. Readers meet any text that is not a starting deal with BadInput and
nothing else.
"""

from dataclasses import dataclass

from engine.errors import BadInput
from engine.game import Codec, Deal, Game
from engine.games import default_game, game_of, games


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write a deal down.

    Attributes:
        slug: its name.
        summary: which program reads and writes it, for lists.
    """

    slug: str
    summary: str

    @property
    def games(self) -> tuple[Game, ...]:
        """The games whose deals can be written in it."""
        return tuple(game for game in games() if self._codec(game) is not None)

    def read(self, text: str, game: Game | None = None) -> Deal:
        """The deal that a text holds, of the default game if none is given.

        Raises:
            BadInput: the text is no such deal, or the format does not have the game.
        """
        deal: Deal = self._checked(game or default_game()).read(text)
        return deal

    def write(self, deal: Deal) -> str:
        """The text of a deal, which `read` reads back.

        Raises:
            BadInput: the format does not have its game.
        """
        return self._checked(game_of(deal)).write(deal)

    def check_game(self, game: Game) -> None:
        """Raise BadInput unless deals of the game can be written in it."""
        self._checked(game)

    def _codec(self, game: Game) -> Codec | None:
        return next((codec for codec in game.codecs if codec.slug == self.slug), None)

    def _checked(self, game: Game) -> Codec:
        codec = self._codec(game)
        if codec is None:
            able = ", ".join(codec.slug for codec in game.codecs)
            raise BadInput(f"the format {self.slug} has no {game.name}: expected one of {able}")
        return codec


def formats() -> dict[str, Format]:
    """Every format of every game by slug, as the first game that has it describes it."""
    found: dict[str, Format] = {}
    for game in games():
        for codec in game.codecs:
            found.setdefault(codec.slug, Format(codec.slug, codec.summary))
    return found


def get_format(slug: str) -> Format:
    """The format with this slug.

    Raises:
        BadInput: there is none.
    """
    known = formats()
    if slug not in known:
        raise BadInput(f"unknown format {slug!r}: expected one of {', '.join(known)}")
    return known[slug]
