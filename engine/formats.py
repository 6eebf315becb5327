"""Starting deals as text: our JSON and the formats of other solitaire programs.

Each game supplies a reader and a writer for each of its formats (`engine.game.Codec`), which are
inverses of each other. A reader raises BadInput, and nothing else, for text that is not a starting
deal.
"""

from dataclasses import dataclass

from engine.errors import BadInput
from engine.game import Codec, Deal, Game
from engine.games import default_game, game_of, games


@dataclass(frozen=True, slots=True)
class Format:
    """A text format of deals.

    Attributes:
        slug: its name.
        summary: the programs that read and write it, for lists.
    """

    slug: str
    summary: str

    @property
    def games(self) -> tuple[Game, ...]:
        """The games whose deals can be written in this format."""
        return tuple(game for game in games() if self._codec(game) is not None)

    def read(self, text: str, game: Game | None = None) -> Deal:
        """Read the deal of a text, of the default game if none is given.

        Raises:
            BadInput: the text is not such a deal, or the format does not support the game.
        """
        deal: Deal = self._checked(game or default_game()).read(text)
        return deal

    def write(self, deal: Deal) -> str:
        """Write a deal as text; `read` is the inverse.

        Raises:
            BadInput: the format does not support the game of the deal.
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
            raise BadInput(
                f"the format {self.slug} does not support {game.name}: expected one of {able}"
            )
        return codec


def formats() -> dict[str, Format]:
    """The formats of all games by slug, each with the summary of the first game that has it."""
    found: dict[str, Format] = {}
    for game in games():
        for codec in game.codecs:
            found.setdefault(codec.slug, Format(codec.slug, codec.summary))
    return found


def get_format(slug: str) -> Format:
    """Look up a format by its slug.

    Raises:
        BadInput: unknown slug.
    """
    known = formats()
    for game in games():
        for codec in game.codecs:
            if slug in codec.aliases:
                slug = codec.slug
    if slug not in known:
        raise BadInput(f"unknown format {slug!r}: expected one of {', '.join(known)}")
    return known[slug]
