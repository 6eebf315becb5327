"""The contract of a game: everything that the rest of the program knows about one.

A game is a package whose ``__init__`` defines ``GAME``: a folder of `engine`, or a package of its
own with an entry point (`engine.games`). Every layer asks the game and names none. The suite in
`tests/conformance` checks this contract for each registered game; a complete small game that is
not part of the program is in `tests/plugins`.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from random import Random
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.checkers import Checker
from engine.deal import Zone
from engine.replay import Playable
from engine.text.move_lists import parse_words


class Rules(Protocol):
    """The options of a game: a frozen dataclass of plain values; prints as its slug.

    Rules are equal exactly when their slugs are; the catalogue stores slug and fields.
    """

    @property
    def game(self) -> str: ...

    @property
    def slug(self) -> str: ...


class Deal(Protocol):
    """The full order of the cards at the start of one game; see `engine.deal.FlatDeal`.

    Not every order of the cards need be a deal: a game may give a card a place of its own.
    """

    @property
    def game(self) -> str: ...

    @property
    def cards(self) -> tuple[int, ...]: ...

    @property
    def digest(self) -> str: ...

    def as_array(self) -> NDArray[np.uint8]: ...

    def piles(self, zone: str) -> tuple[tuple[int, ...], ...]: ...

    def to_json(self) -> dict[str, Any]: ...


class Move(Protocol):
    """A step of the notation; hashable; its text and its bytes name it and no other move."""

    @property
    def kind(self) -> Enum: ...


class Position(Playable, Protocol):
    """A state during play, judged by the referee; immutable and hashable; prints as the table.

    Attributes:
        rules: the ruleset played.
        progress: how far the game has come, in words.
        to_come: the cards that are still to be drawn or dealt, in words; empty if there are none.
    """

    @property
    def rules(self) -> Rules: ...

    @property
    def progress(self) -> str: ...

    @property
    def to_come(self) -> str: ...

    def legal_moves(self) -> Sequence[Any]:
        """The moves that `why_illegal` has nothing against, each once, always in one order."""
        ...

    def why_illegal(self, move: Any) -> str | None:
        """Why the rules forbid a move here; None if it is legal. `play` refuses the same moves."""
        ...

    def to_json(self) -> dict[str, Any]:
        """The position as plain data; ``rules`` holds the slug of the ruleset."""
        ...

    def observation(self) -> dict[str, Any]:
        """`to_json` as a person sees the table: ``??`` in place of each hidden card.

        Hidden cards have no influence on `legal_moves` and `progress`.
        """
        ...


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a game's rules, for lists of rulesets.

    Attributes:
        title: the heading of its column.
        text: rules -> the option's value as text.
        is_number: whether the texts are numbers, to be aligned as such.
    """

    title: str
    text: Callable[[Any], str]
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class RulesForm:
    """A form in which another program has rules; `read` reads back what `write` writes.

    Attributes:
        read: text -> rules; raises BadInput.
        write: rules -> text; raises BadInput for rules that the program does not have.
    """

    read: Callable[[str], Any]
    write: Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Rulesets:
    """The rulesets of a game.

    Attributes:
        presets: rulesets with a name of their own, by slug.
        default: the slug of the preset that is used where none is named.
        parse: slug -> rules, presets included; None if it is not a slug of this game; raises
            BadInput if it is one with an option out of range.
        pattern: how further slugs are composed, for messages; empty if there are none.
        options: columns for lists.
        describe: rules -> one sentence.
        title: rules -> their name for players, such as ``Klondike, draw 3``; by default the slug.
        basics: what all rulesets have in common, in sentences for people who do not know the game.
        renamed: former slugs, each with the slug that replaces it.
        implies: two rulesets -> whether every deal that can be won under the first can be won under
            the second, move for move or by an argument written beside it; False is always safe.
            It is a partial order. `Game.translate` gives the win; the catalogue derives verdicts
            along it, and looks for deals won under the first and called unwinnable under the
            second.
        without: rules -> the stricter rules without one of their options, by a word for the option;
            a deal that is won under the rules and unwinnable under those needs the option.
        further: rules -> the rulesets with one option more, for completion of composed slugs.
    """

    presets: Mapping[str, Any]
    default: str
    parse: Callable[[str], Any | None]
    pattern: str
    options: tuple[Option, ...]
    describe: Callable[[Any], str]
    title: Callable[[Any], str] = str
    basics: str = ""
    renamed: Mapping[str, str] = field(default_factory=dict)
    implies: Callable[[Any, Any], bool] = lambda strict, lax: bool(strict == lax)
    without: Callable[[Any], Mapping[str, Any]] = lambda rules: {}
    further: Callable[[Any], Iterable[Any]] = lambda rules: ()


class NamedDealer(Protocol):
    """A dealer's name and the range of its seeds; see `engine.dealing.dealers`."""

    @property
    def slug(self) -> str: ...

    @property
    def min_seed(self) -> int: ...

    @property
    def max_seed(self) -> int: ...

    @property
    def summary(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Dealing:
    """How a dealer deals a game.

    Attributes:
        dealer: the dealer; games that share one refer to the same object.
        block: first seed, count -> flat orders uint8[count, cards] of consecutive seeds, a new
            array; the deal of a seed is the same in every block.
        title: the word that the dealer's own program writes before a number, as in ``Game: 5``;
            empty if none is known.
    """

    dealer: NamedDealer
    block: Callable[[int, int], NDArray[np.uint8]]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Codec:
    """A text format for starting deals of a game; `read` reads back what `write` writes.

    Attributes:
        slug: the name of the format, which games may share; every game has ``json``.
        summary: which program reads and writes it.
        read: text -> deal; raises BadInput and nothing else.
        write: deal -> text.
        looks: text -> whether it looks like this format, so that an error in it is told as one of
            the format; by default every text may be tried.
        aliases: other names of the format.
    """

    slug: str
    summary: str
    read: Callable[[str], Any]
    write: Callable[[Any], str]
    looks: Callable[[str], bool] = lambda _text: True
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Notation:
    """A notation of another program for the moves of a game; `read` reads back what `write` writes.

    What is read back leads to the same position in as many moves; moves that do not touch each
    other may stand in another order.

    Attributes:
        slug: the name of the notation, which games may share.
        summary: which program reads and writes it.
        read: position, text -> the moves from there, all of them legal; raises BadInput.
        write: position, moves -> text; raises BadInput for moves that are illegal, or that the
            notation has no sign for.
        looks: text -> whether it looks like this notation; no text of the game's own moves does.
        separator: between the signs that `write` writes.
    """

    slug: str
    summary: str
    read: Callable[[Any, str], tuple[Any, ...]]
    write: Callable[[Any, Iterable[Any]], str]
    looks: Callable[[str], bool]
    separator: str = " "


@dataclass(frozen=True, slots=True)
class DeadEnds:
    """The slow, obviously right checker of classifications of starting deals as dead ends.

    Attributes:
        kinds: name of each kind for people, by slug, in the order in which they are tried.
        proves: deal, rules, kind, witness -> whether the witness proves that it cannot be won.
        explain: the same -> why it cannot be won, in sentences; raises BadInput if the witness
            proves nothing.
        needed: the same -> the cards that those of the witness wait for.
    """

    kinds: Mapping[str, str]
    proves: Callable[[Any, Any, str, Sequence[int]], bool]
    explain: Callable[[Any, Any, str, Sequence[int]], str]
    needed: Callable[[Any, Any, str, Sequence[int]], Sequence[int]]


@dataclass(frozen=True, slots=True)
class Actions:
    """Moves sorted by their action, to find and count the moves that lost a game.

    Attributes:
        words: name of each action for people, by slug.
        action_of: position, legal move -> slug of its action.
        is_reversible: position, legal move -> whether play can lead back to the position after it;
            False is always safe.
        is_safe: position, legal move -> whether it is proved that the move loses no win, so that
            the board may make it unasked. It depends on no hidden card, and such moves made one
            after another come to an end. False is always right.
        group_moves: position -> the moves of several cards that players make as one where the rules
            have them move one at a time, each with the legal moves that it stands for.
        preference: position, legal move or group move -> a number, the smaller the more likely it
            is the move that a player means who says only which card.
        first_alike: position, legal move -> the first legal move that leads to the same position
            but for the order of places that no rule tells apart; most often the move itself.
        stage: the action with which the next stage of a game begins, such as dealing a row; None if
            games have no stages.
        ups: the actions that bring cards to foundations, by which alone games may be finished.
    """

    words: Mapping[str, str]
    action_of: Callable[[Any, Any], str]
    is_reversible: Callable[[Any, Any], bool]
    is_safe: Callable[[Any, Any], bool] = lambda before, move: False
    group_moves: Callable[[Any], Iterable[tuple[Any, Sequence[Any]]]] = lambda position: ()
    preference: Callable[[Any, Any], int] = lambda before, move: 0
    first_alike: Callable[[Any, Any], Any] = lambda before, move: move
    stage: str | None = None
    ups: Container[str] = frozenset()


class TooManyPlays(Exception):
    """A position has more plays than can be looked at."""


@dataclass(frozen=True, slots=True)
class PuzzlePlays:
    """Plays and themes for puzzles, in which one play alone keeps the win.

    A play is a move for good, of one card or of what lies on it, with the moves that prepare it.

    Attributes:
        doing: themes that say what a play does, their words for people by slug.
        leaving: themes that say what it leaves undone, likewise.
        is_for_good: position, legal move -> whether it makes a play: not where it only turns the
            stock or can be taken back.
        plays: position -> the card and the moves of each play, none twice that lead to the same
            position; the last move is the one for good. Raises TooManyPlays, once it has come to
            more than can be looked at.
        card_of: position, moves of a play -> the card that it moves for good.
        themes_of_doing: position, moves of a play -> those of the first themes that it has.
        themes_of_leaving: the same and the moves of plays of other cards -> those of the others.
        fits: rules -> whether puzzles can be made under them; by default they can.
        begins: position -> whether puzzles can be made of it, and of those after it; by default
            they can.
    """

    doing: Mapping[str, str]
    leaving: Mapping[str, str]
    is_for_good: Callable[[Any, Any], bool]
    plays: Callable[[Any], Iterator[tuple[str, tuple[Any, ...]]]]
    card_of: Callable[[Any, Sequence[Any]], str]
    themes_of_doing: Callable[[Any, Sequence[Any]], Iterable[str]]
    themes_of_leaving: Callable[[Any, Sequence[Any], Sequence[Sequence[Any]]], Iterable[str]]
    fits: Callable[[Any], bool] = lambda rules: True
    begins: Callable[[Any], bool] = lambda position: True


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a table on which the cards of a position are put down; see `engine.setting`.

    Attributes:
        name: as the game names it.
        label: for people.
        cards: those that lie there, as text.
        takes: the names of those that can be put there.
        unseen: what unknown cards are called there; empty if none can lie there.
        unknown: how many of the cards are not known.
        step: how many of these come and go at a time.
    """

    name: str
    label: str
    cards: tuple[str, ...]
    takes: tuple[str, ...]
    unseen: str
    unknown: int
    step: int


@dataclass(frozen=True, slots=True)
class Setting:
    """A table on which the cards of a position are put down.

    Attributes:
        places: all of them.
        left: how many of each card lie nowhere, by its name; unknown ones are among them.
        problem: what is wrong, or missing for a position; None if nothing is.
        data: the table as `Game.read_table` has it, complete or not.
        text: the complete position, as `Game.read_table` reads it; None as long as it is not.
    """

    places: tuple[Place, ...]
    left: Mapping[str, int]
    problem: str | None
    data: Mapping[str, Any]
    text: str | None


class EditKind(Enum):
    """A change of a place."""

    PUT = "put"
    TAKE = "take"
    MORE = "more"
    FEWER = "fewer"


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a table on which cards are put down.

    Attributes:
        kind: a card is put down or taken away; unknown cards become more or fewer.
        place: the name of the place.
        at: the number of the card there, from 0, that is replaced or taken; None for the end.
        card: the name of the card that is put down.
    """

    kind: EditKind
    place: str
    at: int | None = None
    card: str | None = None


@dataclass(frozen=True, slots=True)
class Game:
    """A game.

    Attributes:
        slug: as in `Rules.game`, in the registry and in the catalogue.
        name: for sentences.
        decks: how many decks it is played with.
        rulesets: its rulesets.
        zones: the parts of the table at the start; together, in their order, the flat order.
        hidden: places of the flat order whose cards a person does not see at the start.
        deal: cards in flat order -> deal; raises BadInput.
        deal_from_json: the data of `Deal.to_json` -> deal; other keys are ignored; raises BadInput.
        is_deal_json: whether a JSON object that names no game shows a deal of this one; where it
            does of several, `engine.games.game_of_deal` decides.
        start: deal, rules -> position before the first move.
        position_from_json: the data of `Position.to_json`, rules -> position; raises BadInput,
            also for a position that no play can lead to, as far as that can be seen.
        deal_of: position -> the deal of which it is the start; None if it is that of none, or does
            not say of which.
        normal_json: the JSON of a deal or position -> the data of `Position.to_json`, if it shows
            one in another form than the game's own two; None for all else; raises BadInput.
        parse_move: the text of one move -> move; raises BadMove.
        pack: moves -> bytes.
        unpack: bytes -> moves; raises BadMove.
        move_size: how many bytes a packed move has.
        notation: the text of moves explained, for the data dictionary of exports.
        dealings: the dealers that deal it, the usual one first.
        codecs: the text formats for its deals.
        load_actions: the actions of moves; loaded when first needed.
        load_puzzles: plays and themes for puzzles; None if the game has none.
        load_dead_ends: the slow checker of dead ends; None if the game has no such tests.
        load_checker: the compiled referee of packed solutions, see `engine.checkers`; it agrees
            with the referee move by move. None if the game has none: `engine.proof` then has the
            referee judge every solution.
        read_table: the text of a position, as a person types it -> the data of `Position.to_json`,
            with ``??`` for unknown cards; raises BadInput. None if the game has no such text.
        write_table: position -> that text.
        write_seen: the data that `read_table` returns, ``??`` in it for unknown cards -> that text.
        fill_in: such data, rules, a random generator -> a position in agreement with it, drawn
            from all of these with equal chances; raises BadInput. None if the game cannot.
        notations: those of other programs for its moves.
        rules_forms: forms in which other programs have its rules, by slug.
        translate: position, legal moves from there, and rules that those of the position imply
            (`Rulesets.implies`) -> the moves of the same game under these, which end in a win if it
            does; by default they are the same.
        setting: the cards of each place by its name, or None for a table with nothing but unknown
            cards as at the start; rules; and a change, or None -> the table after it; raises
            BadInput for what is no place or card. None if the game has no such table.
    """

    slug: str
    name: str
    decks: int
    rulesets: Rulesets
    zones: tuple[Zone, ...]
    hidden: tuple[int, ...]
    deal: Callable[[Iterable[int]], Deal]
    deal_from_json: Callable[[Any], Deal]
    is_deal_json: Callable[[Mapping[str, Any]], bool]
    start: Callable[[Any, Any], Position]
    position_from_json: Callable[[Any, Any], Position]
    parse_move: Callable[[str], Move]
    pack: Callable[[Iterable[Any]], bytes]
    unpack: Callable[[bytes], tuple[Move, ...]]
    move_size: int
    notation: str
    dealings: tuple[Dealing, ...]
    codecs: tuple[Codec, ...]
    load_actions: Callable[[], Actions]
    deal_of: Callable[[Any], Deal | None] = lambda _position: None
    normal_json: Callable[[Mapping[str, Any]], dict[str, Any] | None] = lambda _data: None
    load_puzzles: Callable[[], PuzzlePlays] | None = None
    load_dead_ends: Callable[[], DeadEnds] | None = None
    load_checker: Callable[[], Checker] | None = None
    read_table: Callable[[str], dict[str, Any]] | None = None
    write_table: Callable[[Any], str] | None = None
    write_seen: Callable[[Mapping[str, Any]], str] | None = None
    fill_in: Callable[[Mapping[str, Any], Any, Random], Position] | None = None
    notations: tuple[Notation, ...] = ()
    rules_forms: Mapping[str, RulesForm] = field(default_factory=dict)
    translate: Callable[[Any, Iterable[Any], Any], Iterable[Any]] = lambda _start, moves, _lax: (
        moves
    )
    setting: Callable[[Mapping[str, Sequence[str]] | None, Any, Edit | None], Setting] | None = None

    @property
    def cards(self) -> int:
        """How many cards a deal has."""
        return sum(len(pile) for zone in self.zones for pile in zone.piles)

    def length(self, packed: bytes) -> int:
        """The number of moves that are packed."""
        return len(packed) // self.move_size

    def parse_solution(self, text: str) -> tuple[Move, ...]:
        """Read moves separated by blanks, commas or line ends.

        Raises:
            BadMove: one of them is no move; the sentence says which.
        """
        return parse_words(text, self.parse_move)

    def translated(self, deal: Any, packed: bytes, strict: Any, lax: Any) -> bytes:
        """A packed solution of a deal under rules, as one under rules that they imply."""
        return self.pack(self.translate(self.start(deal, strict), self.unpack(packed), lax))

    def move_texts(self, packed: bytes) -> list[str]:
        """The text of each packed move.

        Raises:
            BadMove: the bytes are no moves.
        """
        size, texts = self.move_size, _texts_of(self.unpack)
        if size == 1:
            return list(map(texts.__getitem__, packed))
        return [texts[packed[at : at + size]] for at in range(0, len(packed), size)]

    def text(self, packed: bytes) -> str:
        """Packed moves as text, joined by blanks."""
        return " ".join(self.move_texts(packed))


class _MoveTexts(dict[bytes | int, str]):
    """The texts of packed moves, each made once: a game has few moves, and wins have many.

    A move of one byte is found by its number, too.
    """

    def __init__(self, unpack: Callable[[bytes], tuple[Move, ...]]) -> None:
        self._unpack = unpack

    def __missing__(self, code: bytes | int) -> str:
        (move,) = self._unpack(bytes([code]) if isinstance(code, int) else code)
        text = self[code] = str(move)
        return text


_texts_of = cache(_MoveTexts)
