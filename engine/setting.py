"""Tables on which the cards of a position are put down one by one.

A draft has for each place of the table its cards as text, bottom first, in the stock the next one
first: ``QH`` lies face up, ``<QH>`` face down, ``<??>`` and ``??`` are not known. An edit changes
one place. Nothing is refused but what is no card or no place: what keeps a draft from being a
position is said in a sentence, by the rules of its game.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.cards import HIDDEN, card_name, parse_card
from engine.errors import BadInput
from engine.game import Edit, EditKind, Place
from engine.text.numbers import counted

FACE_DOWN = f"<{HIDDEN}>"
# Cards of a place, which no column comes near.
_MOST = 104

Draft = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class PlaceForm:
    """A place, whatever lies there.

    Attributes:
        name: as the game names it.
        label: for people.
        most: how many cards can lie there.
        unseen: what its unknown cards are called; empty if none can lie there.
        most_unseen: how many unknown cards can lie there.
        step: how many of them come and go at a time.
        hides: whether cards can lie face down there, under those that lie face up.
        is_single: whether a card put there takes the place of the one there.
    """

    name: str
    label: str
    most: int = _MOST
    unseen: str = ""
    most_unseen: int = 0
    step: int = 1
    hides: bool = False
    is_single: bool = False

    @property
    def unknown(self) -> str:
        """The text of an unknown card there."""
        return FACE_DOWN if self.hides else HIDDEN


Forms = Sequence[PlaceForm]


def read_draft(given: Mapping[str, Sequence[str]], forms: Forms) -> Draft:
    """The cards of each place, checked and with their usual names.

    Raises:
        BadInput: a place or a card is none, or cannot lie there face down or unknown.
    """
    by_name = {form.name: form for form in forms}
    for name in given:
        if name not in by_name:
            raise BadInput(f"{name!r} is no place: expected {', '.join(by_name)}")
    return {form.name: _read_place(given.get(form.name, ()), form) for form in forms}


def _read_place(cards: Sequence[str], form: PlaceForm) -> list[str]:
    _check_size(cards, form)
    found = [_read_card(card, form) for card in cards]
    hidden = [card.startswith("<") for card in found]
    if sorted(hidden, reverse=True) != hidden:
        raise BadInput(f"{form.label}: a card lies face down on one that is face up")
    return found


def _check_size(cards: Sequence[str], form: PlaceForm) -> None:
    if len(cards) > form.most:
        raise BadInput(f"{form.label}: {counted(form.most, 'card')} at most can lie there")
    if sum(HIDDEN in card for card in cards) > form.most_unseen:
        most = f"at most {form.most_unseen}" if form.most_unseen else "no"
        raise BadInput(f"{form.label}: {most} {form.unseen or 'unknown cards'} can lie there")


def _read_card(card: str, form: PlaceForm) -> str:
    inner = card.removeprefix("<").removesuffix(">")
    is_hidden = card == f"<{inner}>"
    if inner == HIDDEN and form.unseen and is_hidden == form.hides:
        return card
    if is_hidden and not form.hides:
        raise BadInput(f"{form.label}: {card} cannot lie there face down")
    name = card_name(parse_card(inner if is_hidden else card))
    return f"<{name}>" if is_hidden else name


def edit_draft(draft: Draft, edit: Edit, forms: Forms) -> None:
    """Change a draft.

    Raises:
        BadInput: there is no such place or card, or nothing there to take away.
    """
    form = next((form for form in forms if form.name == edit.place), None)
    if form is None:
        raise BadInput(f"{edit.place!r} is no place of this table")
    pile = draft[form.name]
    if edit.at is not None and not 0 <= edit.at < len(pile):
        raise BadInput(f"{form.label}: there is no card number {edit.at + 1}")
    match edit.kind:
        case EditKind.PUT:
            _put(pile, edit, form)
        case EditKind.TAKE:
            _take(pile, edit, form)
        case EditKind.MORE if form.unseen:
            at = 0 if form.hides else len(pile)
            pile[at:at] = [form.unknown] * form.step
        case EditKind.FEWER if pile.count(form.unknown) >= form.step:
            remove_unknown(pile, form.unknown, form.step)
        case _:
            raise BadInput(f"{form.label}: there is no unknown card more or fewer")
    _check_size(pile, form)


def _put(pile: list[str], edit: Edit, form: PlaceForm) -> None:
    if edit.card is None:
        raise BadInput(f"{form.label}: which card is put there?")
    card = card_name(parse_card(edit.card))
    if edit.at is not None:
        pile[edit.at] = f"<{card}>" if pile[edit.at].startswith("<") else card
    elif form.is_single:
        pile[:] = [card]
    elif form.unseen and not form.hides:
        if HIDDEN not in pile:
            pile += [HIDDEN] * form.step
        pile[pile.index(HIDDEN)] = card
    else:
        pile.append(card)


def _take(pile: list[str], edit: Edit, form: PlaceForm) -> None:
    if not pile:
        raise BadInput(f"{form.label}: no card lies there")
    at = len(pile) - 1 if edit.at is None else edit.at
    if not form.unseen or form.hides:
        pile.pop(at)
        return
    # The inverse of `_put`: a card that is known there is one that was not seen.
    if edit.at is None:
        at = next((at for at in range(at, -1, -1) if pile[at] != HIDDEN), at)
    if pile[at] != HIDDEN:
        pile[at] = HIDDEN
    elif pile.count(HIDDEN) >= form.step:
        remove_unknown(pile, HIDDEN, form.step)
    else:
        raise BadInput(f"{form.label}: {form.unseen} are taken away {form.step} at a time")


def remove_unknown(pile: list[str], unknown: str, count: int) -> None:
    """Remove the last unknown cards of a place: in a stock those that come next may be known."""
    pile.reverse()
    for _ in range(count):
        pile.remove(unknown)
    pile.reverse()


def known(cards: Iterable[str]) -> list[int]:
    """The cards that are known, however they lie."""
    return [parse_card(card.strip("<>")) for card in cards if HIDDEN not in card]


def unknown_cards(draft: Draft) -> int:
    """The number of cards that are not known."""
    return sum(HIDDEN in card for pile in draft.values() for card in pile)


def places(
    draft: Draft, forms: Forms, takes: Callable[[PlaceForm], Iterable[int]]
) -> tuple[Place, ...]:
    """The places of a draft, with the cards that can be put there."""
    return tuple(
        Place(
            form.name,
            form.label,
            tuple(draft[form.name]),
            tuple(map(card_name, takes(form))),
            form.unseen,
            sum(HIDDEN in card for card in draft[form.name]),
            form.step,
        )
        for form in forms
    )


def problem_of(draft: Draft, forms: Forms, left: "Counter[int]") -> str | None:
    """The reason why a draft is no position whatever the game; None if there is none.

    Args:
        draft: the cards.
        forms: the places.
        left: the cards that lie nowhere; the unknown ones are among them.
    """
    for form in forms:
        pile = draft[form.name]
        if form.hides and pile and pile[-1].startswith("<"):
            return f"{form.label.lower()} has face-down cards and no open one"
    lacking = left.total() - unknown_cards(draft)
    if lacking > 0:
        have = "has" if lacking == 1 else "have"
        return f"{counted(lacking, 'card')} {have} no place yet"
    if lacking < 0:
        return (
            f"{counted(-lacking, 'unknown card')} too many: only {left.total()} are not seen "
            "anywhere"
        )
    return None
