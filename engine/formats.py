"""Starting deals as text: our JSON and the formats of other solitaire programs.

Each format has a reader and a writer, and what one writes the other reads back:

| slug                | what it is                                                              |
|---------------------|-------------------------------------------------------------------------|
| ``json``            | ours: columns bottom to top, the stock in the order of drawing          |
| ``klondike-solver`` | three digits a card, the tableau row by row as dealt, then the stock    |
| ``pysolfc``         | the board text of PySolFC, pysol-cards and fc-solve's tools             |
| ``solvitaire``      | Solvitaire's JSON: piles bottom to top, the next card of the stock last |

``json`` and ``pysolfc`` have Spider too, the others Klondike alone.

Readers meet anything that is no starting deal with BadInput and nothing else.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Never, TypeGuard

from engine.cards import RANKS, SUITS, card_name, make_card, parse_card, rank, suit
from engine.dealers import get_dealer
from engine.deals import COLUMNS, KlondikeDeal
from engine.errors import BadInput
from engine.games import GAMES, KLONDIKE, SPIDER, Deal, Game, game_of, get_game
from engine.spider import COLUMNS as SPIDER_COLUMNS
from engine.spider import SpiderDeal


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write a deal down.

    Attributes:
        slug: its name.
        summary: which program reads and writes it, for lists.
    """

    slug: str
    summary: str
    # By the slugs of the games that it has.
    _readers: Mapping[str, Callable[[str], Deal]] = field(repr=False, compare=False)
    _writers: Mapping[str, Callable[[Any], str]] = field(repr=False, compare=False)

    @property
    def games(self) -> tuple[str, ...]:
        """Slugs of the games whose deals can be written in it."""
        return tuple(self._readers)

    def read(self, text: str, game: Game = KLONDIKE) -> Deal:
        """The deal of a game that a text holds.

        Raises:
            BadInput: the text is no such deal, or the format does not have the game.
        """
        self.check_game(game)
        return self._readers[game.slug](text)

    def write(self, deal: Deal) -> str:
        """The text of a deal, which `read` reads back.

        Raises:
            BadInput: the format does not have its game.
        """
        self.check_game(game_of(deal))
        return self._writers[deal.game](deal)

    def check_game(self, game: Game) -> None:
        """Raise BadInput unless deals of the game can be written in it."""
        if game.slug not in self._readers:
            able = [form.slug for form in FORMATS.values() if game.slug in form.games]
            raise BadInput(
                f"the format {self.slug} has no {game.name}: expected one of {', '.join(able)}"
            )


@dataclass(frozen=True, slots=True)
class InputDeal:
    """One line of a file of deals.

    Attributes:
        id: the line's own name for the deal; where it has none, ``dealer:seed`` or, for a deal
            given by its cards alone, the number of the line.
        deal: the deal.
        dealer: the dealer's slug where the line names one, else None.
        seed: the seed beside the dealer, else None.
    """

    id: str | int
    deal: Deal
    dealer: str | None = None
    seed: int | None = None


def read_deal_lines(
    stream: Iterable[str] | Iterable[bytes], game: Game | None = None
) -> Iterator[InputDeal]:
    """The deals of a stream of JSON lines, one at a time.

    A line is ``{"id": …, "tableau": [[bottom … top] × 7], "stock": [first drawn … last drawn]}`` or
    ``{"id": …, "dealer": …, "seed": …}``; one with both must agree with itself. A deal of Spider is
    ``{"id": …, "tableau": [[bottom … top] × 10], "stock": [[column 1 … column 10] × 5]}``. A line
    may name its game by the key ``"game"``. Other keys are ignored, and so are blank lines.

    Args:
        stream: text, or bytes of UTF-8.
        game: what every line must be a deal of; if None, each is of the game that it names, else of
            Spider if it has ten columns, else of Klondike.

    Raises:
        BadInput: a line is malformed or of another game; the sentence begins with its number.
    """
    for number, text in _numbered_lines(stream):
        try:
            if text.strip():
                yield _input_deal(_json(text), number, game)
        except BadInput as error:
            raise BadInput(f"line {number}: {error}") from None


def _numbered_lines(stream: Iterable[str] | Iterable[bytes]) -> Iterator[tuple[int, str]]:
    number = 0
    try:
        for line in stream:
            text = line.decode() if isinstance(line, bytes) else line
            number += 1
            yield number, text.removeprefix("\ufeff")
    except UnicodeDecodeError:
        # A text stream decodes ahead, so the bad byte may lie a little further on.
        raise BadInput(f"line {number + 1} or one soon after it is not UTF-8 text") from None


def _input_deal(data: Any, number: int, wanted: Game | None) -> InputDeal:
    if not isinstance(data, dict):
        raise BadInput("not a JSON object")
    game = _game_of_line(data) or wanted or KLONDIKE
    if wanted is not None and game != wanted:
        raise BadInput(f"this is a deal of {game.name}: expected one of {wanted.name}")
    dealer, seed = data.get("dealer"), data.get("seed")
    has_cards = "tableau" in data or "stock" in data
    deal = game.deal_from_json(data) if has_cards else None
    if dealer is not None or seed is not None:
        if not isinstance(dealer, str) or not _is_whole(seed):
            raise BadInput(
                f'"dealer" must be a name and "seed" a whole number, not {dealer!r} and {seed!r}'
            )
        dealt = get_dealer(dealer).deal_of(game, seed)
        if deal is not None and deal != dealt:
            raise BadInput(f"these are not the cards of {dealer}:{seed}")
        deal = dealt
    if deal is None:
        raise BadInput('a deal needs "tableau" and "stock", or "dealer" and "seed"')
    own_id = data.get("id")
    if own_id is None:
        own_id = number if dealer is None else f"{dealer}:{seed}"
    elif not isinstance(own_id, str) and not _is_whole(own_id):
        raise BadInput(f'"id" must be text or a whole number, not {own_id!r}')
    return InputDeal(own_id, deal, dealer, seed)


def _game_of_line(data: dict[str, Any]) -> Game | None:
    """The game that a line names or shows; None where it does neither."""
    name, tableau = data.get("game"), data.get("tableau")
    if name is not None:
        if not isinstance(name, str):
            raise BadInput(f'"game" must be one of {", ".join(GAMES)}, not {name!r}')
        return get_game(name)
    if isinstance(tableau, list) and len(tableau) == SPIDER_COLUMNS:
        return SPIDER
    # Seven columns or any other number: what is wrong with them is Klondike's to say.
    return KLONDIKE if isinstance(tableau, list) and len(tableau) == COLUMNS else None


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def write_deal_line(item: InputDeal) -> str:
    """One line, without its line end, that `read_deal_lines` reads back."""
    line: dict[str, Any] = {"id": item.id}
    if item.deal.game != KLONDIKE.slug:
        line["game"] = item.deal.game
    if item.dealer is not None:
        line |= {"dealer": item.dealer, "seed": item.seed}
    return json.dumps(line | item.deal.to_json(), separators=(",", ":"))


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise BadInput(f"not JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise BadInput("not JSON we can read: nested too deeply") from None
    except ValueError as error:
        # A whole number of more digits than Python converts.
        raise BadInput(f"not JSON we can read: {error}") from None


def _no_constant(name: str) -> Never:
    raise BadInput(f"{name} is not JSON")


def read_json(text: str) -> KlondikeDeal:
    """Read our JSON: what `write_json` writes; other keys are ignored.

    Raises:
        BadInput: not such a deal.
    """
    return KlondikeDeal.from_json(_json(text))


def read_spider_json(text: str) -> SpiderDeal:
    """Read our JSON of Spider: what `write_json` writes; other keys are ignored.

    Raises:
        BadInput: not such a deal.
    """
    return SpiderDeal.from_json(_json(text))


def write_json(deal: Deal) -> str:
    """``{"tableau": [[bottom … top] × 7], "stock": [first drawn … last drawn]}``.

    For Spider ``{"tableau": [[bottom … top] × 10], "stock": [[column 1 … column 10] × 5]}``.
    """
    return json.dumps(deal.to_json())


# Klondike-Solver numbers the suits 1 clubs, 2 diamonds, 3 hearts, 4 spades.
_DIGIT_SUITS = "CDHS"
_DIGIT_CARD = re.compile(r"(?P<rank>0[1-9]|1[0-3])(?P<suit>[1-4])", re.ASCII)


def read_digits(text: str) -> KlondikeDeal:
    """Read 156 digits of Klondike-Solver; blanks and line ends between cards do not matter.

    A card is its rank in two digits (01 ace to 13 king) and its suit in one (1 clubs, 2 diamonds,
    3 hearts, 4 spades). The tableau comes row by row, as it is dealt: the bottom cards of columns 1
    to 7, then the second cards of columns 2 to 7, and so on; then the stock in drawing order.

    Raises:
        BadInput: not such a deal.
    """
    digits = "".join(text.split())
    cards = []
    for at in range(0, len(digits), 3):
        match = _DIGIT_CARD.fullmatch(digits, at, min(at + 3, len(digits)))
        if match is None:
            raise BadInput(
                f"card {at // 3 + 1} of the digits is {digits[at : at + 3]!r}: expected a rank of "
                "01 to 13 and a suit of 1 to 4, such as '132' for KD"
            )
        cards.append(
            make_card(int(match["rank"]) - 1, SUITS.index(_DIGIT_SUITS[int(match["suit"]) - 1]))
        )
        if len(cards) > 52:
            raise BadInput(f"{len(digits)} digits are more than the 156 of one deck")
    tableau: list[list[int]] = [[] for _ in range(COLUMNS)]
    dealt = iter(cards)
    for row in range(COLUMNS):
        for column, card in zip(range(row, COLUMNS), dealt, strict=False):
            tableau[column].append(card)
    return KlondikeDeal.from_piles(tableau, list(dealt))


def write_digits(deal: KlondikeDeal) -> str:
    """The 156 digits that `read_digits` reads."""
    rows = [deal.tableau[column][row] for row in range(COLUMNS) for column in range(row, COLUMNS)]
    return "".join(
        f"{rank(card) + 1:02}{_DIGIT_SUITS.index(SUITS[suit(card)]) + 1}"
        for card in (*rows, *deal.stock)
    )


def read_board(text: str) -> KlondikeDeal:
    """Read the board text of PySolFC, pysol-cards and fc-solve's tools.

    A line ``Talon:`` with the stock in drawing order, then seven lines with the columns, bottom to
    top, face-down cards in ``< >``. A ten may be ``10`` or ``T``, a column may begin with ``:``,
    and the ``< >`` may be missing, since the deal itself decides which cards lie face down.

    Raises:
        BadInput: not such a deal, or a position in mid-game.
    """
    columns, stock = _board(text, KLONDIKE)
    return KlondikeDeal.from_piles(columns, stock)


def read_spider_board(text: str) -> SpiderDeal:
    """Read the board text of PySolFC and pysol-cards for Spider.

    A line ``Talon:`` with the stock in the order in which it is dealt, row by row from column 1 to
    column 10, then ten lines with the columns as in `read_board`. The four columns of six cards may
    stand anywhere, see `SpiderDeal.from_piles`.

    Raises:
        BadInput: not such a deal, or a position in mid-game.
    """
    columns, stock = _board(text, SPIDER)
    rows = [stock[at : at + SPIDER_COLUMNS] for at in range(0, len(stock), SPIDER_COLUMNS)]
    return SpiderDeal.from_piles(columns, rows)


def _board(text: str, game: Game) -> tuple[list[list[int]], list[int]]:
    """The columns of a board and its stock."""
    stock: list[int] | None = None
    columns: list[list[int]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            head, colon, rest = line.partition(":")
            name = head.strip().lower()
            if colon and name == "talon":
                if stock is not None:
                    raise BadInput("a second Talon")
                stock = [_board_card(word) for word in rest.split()]
            elif colon and name == "foundations":
                if any(not word.endswith("-0") and word != "-" for word in rest.split()):
                    raise BadInput("the foundations of a starting deal are empty")
            elif colon and name:
                raise BadInput(f"{head.strip()!r} is not a part of a {game.name} board")
            elif line.strip():
                columns.append([_board_card(word) for word in (rest if colon else line).split()])
        except BadInput as error:
            raise BadInput(f"line {number} of the board: {error}") from None
    if stock is None:
        raise BadInput("the board has no line that begins with 'Talon:'")
    return columns, stock


def _board_card(word: str) -> int:
    if word.startswith("<") and word.endswith(">"):
        word = word[1:-1]
    return _card_with_number(word)


def _card_with_number(text: object) -> int:
    """A card whose ten may be written as 10."""
    if isinstance(text, str) and text.startswith("10"):
        return parse_card("T" + text[2:])
    return parse_card(text)  # type: ignore[arg-type]  # parse_card refuses what is no text


def write_board(deal: KlondikeDeal) -> str:
    """The board text that `read_board` and those programs read, with ``T`` for a ten."""
    return _board_text(deal.tableau, deal.stock)


def write_spider_board(deal: SpiderDeal) -> str:
    """The board text that `read_spider_board` reads, with ``T`` for a ten."""
    return _board_text(deal.tableau, [card for row in deal.stock for card in row])


def _board_text(tableau: Iterable[Sequence[int]], stock: Iterable[int]) -> str:
    lines = ["Talon: " + " ".join(card_name(card) for card in stock)]
    for column in tableau:
        hidden = [f"<{card_name(card)}>" for card in column[:-1]]
        lines.append(" ".join([*hidden, card_name(column[-1])]))
    return "\n".join(lines) + "\n"


def read_solvitaire(text: str) -> KlondikeDeal:
    """Read the JSON of Solvitaire.

    ``"tableau piles"`` are seven lists from bottom to top; ``"stock"`` ends with the card that is
    drawn first; ``"waste"`` and ``"foundations"`` may be there if empty. Ranks are numbers or A, J,
    Q, K. A small suit letter marks a face-down card; it is not asked for, since the deal itself
    decides which cards lie face down.

    Raises:
        BadInput: not such a deal, or a position in mid-game.
    """
    data = _json(text)
    if not isinstance(data, dict):
        raise BadInput("not a JSON object")
    piles, stock = data.get("tableau piles"), data.get("stock")
    if not isinstance(piles, list) or not all(isinstance(pile, list) for pile in piles):
        raise BadInput('"tableau piles" must be a list of seven lists of cards, bottom to top')
    if not isinstance(stock, list):
        raise BadInput('"stock" must be a list of cards, first drawn last')
    for name in ("waste", "foundations", "foundation"):
        if data.get(name) not in (None, [], [[], [], [], []]):
            raise BadInput(f'"{name}" must be empty in a starting deal')
    return KlondikeDeal.from_piles(
        [[_solvitaire_card(card) for card in pile] for pile in piles],
        [_solvitaire_card(card) for card in reversed(stock)],
    )


def _solvitaire_card(text: object) -> int:
    if isinstance(text, str):
        number = {"1": "A", "11": "J", "12": "Q", "13": "K"}.get(text[:-1])
        if number is not None:
            text = number + text[-1]
    return _card_with_number(text)


def _solvitaire_name(card: int, *, face_down: bool) -> str:
    letter = SUITS[suit(card)]
    return RANKS[rank(card)].replace("T", "10") + (letter.lower() if face_down else letter)


def write_solvitaire(deal: KlondikeDeal) -> str:
    """The JSON that `read_solvitaire` and Solvitaire read."""
    piles = [
        [
            *(_solvitaire_name(card, face_down=True) for card in column[:-1]),
            _solvitaire_name(column[-1], face_down=False),
        ]
        for column in deal.tableau
    ]
    stock = [_solvitaire_name(card, face_down=False) for card in reversed(deal.stock)]
    return json.dumps({"tableau piles": piles, "stock": stock})


FORMATS: dict[str, Format] = {
    entry.slug: entry
    for entry in (
        Format(
            "json",
            "Thoughtful's JSON: tableau bottom to top, stock as drawn",
            {"klondike": read_json, "spider": read_spider_json},
            {"klondike": write_json, "spider": write_json},
        ),
        Format(
            "klondike-solver",
            "Klondike-Solver's 156 digits",
            {"klondike": read_digits},
            {"klondike": write_digits},
        ),
        Format(
            "pysolfc",
            "board text of PySolFC and fc-solve",
            {"klondike": read_board, "spider": read_spider_board},
            {"klondike": write_board, "spider": write_spider_board},
        ),
        Format(
            "solvitaire",
            "Solvitaire's JSON",
            {"klondike": read_solvitaire},
            {"klondike": write_solvitaire},
        ),
    )
}


def get_format(slug: str) -> Format:
    """The format with this slug.

    Raises:
        BadInput: there is none.
    """
    found = FORMATS.get(slug)
    if found is None:
        raise BadInput(f"unknown format {slug!r}: expected one of {', '.join(FORMATS)}")
    return found
