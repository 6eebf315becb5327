"""Referee of patience games in plain Python: legal moves, why one is illegal, what is seen."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from engine.cards import HIDDEN, RANKS, card_name, columns_text, is_red, make_card, rank, suit
from engine.errors import BadInput, IllegalMove
from engine.patience.deal import PatienceDeal, place_name
from engine.patience.layout import (
    CELL,
    FOUNDATION,
    HOLE,
    RESERVE,
    STOCK,
    WASTE,
    layout_of,
    row_suit,
)
from engine.patience.moves import TURN, PatienceMove, pile_name
from engine.patience.rules import RANDOM, UNLIMITED, PatienceRules

Pile = tuple[int, ...]
Places = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class PatiencePosition:
    """A state during play; immutable and hashable; prints as the table.

    Cards are numbers as in `engine.cards`; piles are tuples, bottom first.

    Attributes:
        rules: the ruleset played.
        columns: the cards of each column.
        down: number of face-down cards of each column.
        cells: the card of each cell, or None.
        reserve: the piles of the reserve: one if it is stacked, else one for each card.
        stock: its cards, next dealt first.
        waste: its cards, playable card last.
        foundations: number of cards on each: clubs, diamonds, spades, hearts, and those of a second
            deck in the same order.
        base: rank of the first card of each foundation, from 0.
        hole: the cards in the hole.
        accordion: its piles, left to right.
        rows: the card of each place of each row, or None for a gap.
        redealt: how often the waste became the stock; where that is not limited, 1 for any number.
    """

    rules: PatienceRules
    columns: tuple[Pile, ...] = ()
    down: tuple[int, ...] = ()
    cells: Places = ()
    reserve: tuple[Pile, ...] = ()
    stock: Pile = ()
    waste: Pile = ()
    foundations: tuple[int, ...] = ()
    base: int = 0
    hole: Pile = ()
    accordion: tuple[Pile, ...] = ()
    rows: tuple[Places, ...] = ()
    redealt: int = 0

    @classmethod
    def start(cls, deal: PatienceDeal, rules: PatienceRules) -> "PatiencePosition":
        """The position before the first move."""
        o = rules.options
        columns = deal.piles("tableau") or ((),) * o.columns
        founded = deal.zone("foundations")
        base = rank(founded[0]) if founded else RANKS.index(o.base)
        heights = [0] * (o.suits if o.foundations else 0)
        for at, card in enumerate(founded):
            heights[at if o.founded == "all" else suit(card)] = 1
        reserve = deal.zone("reserve")
        return cls(
            rules,
            columns,
            layout_of(o).face_down,
            (*deal.zone("cells"), *(None,) * (o.cells - o.cells_filled)),
            (reserve,) if o.reserve_stacked else tuple((card,) for card in reserve),
            deal.zone("stock"),
            (),
            tuple(heights),
            base,
            deal.zone("hole"),
            tuple((card,) for card in deal.zone("accordion")),
            tuple(
                tuple(card if rank(card) else None for card in row) for row in deal.piles("rows")
            ),
        )

    # --- the state of the game ---------------------------------------------------------------

    @property
    def is_won(self) -> bool:
        o = self.rules.options
        if o.hole:
            return len(self.hole) == o.deck
        if o.accordion:
            return len(self.accordion) == 1
        if o.sequences:
            return all(self._in_place(row) == len(row) - 1 and row[-1] is None for row in self.rows)
        return all(height == o.max_rank for height in self.foundations)

    @property
    def progress(self) -> str:
        """The progress of the game, in words."""
        o = self.rules.options
        if o.hole:
            return f"{len(self.hole)} of {o.deck} cards in the hole"
        if o.accordion:
            return f"{len(self.accordion)} of {o.accordion} piles left"
        if o.sequences:
            cards = o.deck - o.suits
            return f"{sum(map(self._in_place, self.rows))} of {cards} cards in their places"
        return f"{sum(self.foundations)} of {o.deck} cards on the foundations"

    def _in_place(self, row: Places) -> int:
        """How many cards of a row are in order from its left end."""
        count = 0
        while count < len(row) - 1:
            card, before = row[count], row[count - 1] if count else None
            if card is None or rank(card) != count + 1:
                break
            if before is not None and not self._suits_fit(
                self.rules.options.sequence_building, before, card
            ):
                break
            count += 1
        return count

    @property
    def to_come(self) -> str:
        """The cards still to come, in words."""
        return f"to be dealt  {' '.join(map(card_name, self.stock))}" if self.stock else ""

    # --- moves -------------------------------------------------------------------------------

    def legal_moves(self) -> list[PatienceMove]:
        """The legal moves, in the order of their bytes."""
        forced = self._forced()
        if forced is not None:
            return [forced]
        return sorted(move for move in self._candidates() if self.why_illegal(move) is None)

    def _candidates(self) -> Iterator[PatienceMove]:
        """Moves with all legal ones among them; what no pile of its kind allows is left out."""
        o = self.rules.options
        yield TURN
        if o.accordion:
            jumps = [int(jump[1:]) * (1 if jump[0] == "R" else -1) for jump in o.accordion_moves]
            for source in range(len(self.accordion)):
                for target in (source + jump for jump in jumps):
                    if 0 <= target < len(self.accordion):
                        yield PatienceMove(source, target)
            return
        if o.sequences:
            places = [card for row in self.rows for card in row]
            gaps = [at for at, card in enumerate(places) if card is None]
            for source, card in enumerate(places):
                if card is not None:
                    for target in gaps:
                        yield PatienceMove(source, target)
            return
        targets = [
            *range(o.columns),
            *(CELL + cell for cell in range(o.cells)),
            *(FOUNDATION + pile for pile in range(len(self.foundations))),
            *([HOLE] if o.hole else []),
        ]
        for source in (
            *targets,
            *(RESERVE + pile for pile in range(len(self.reserve))),
            WASTE,
        ):
            held = len(self.open_cards(source))
            if not held or (source >= FOUNDATION and not o.removable):
                continue
            together = self._together(source, held)
            for target in targets:
                if target < CELL:
                    most = together
                else:
                    most = held if target >= FOUNDATION and o.complete_runs else 1
                for count in range(1, most + 1):
                    yield PatienceMove(source, target, count)

    def _together(self, source: int, held: int) -> int:
        """How many of the open cards of a pile go to a column at once, at most."""
        if source >= CELL or held == 1:
            return held
        match self.rules.options.groups:
            case "no":
                return 1
            case "yes" | "whole-pile" | "maximal-group":
                return self._group(source)
        return held

    def open_cards(self, code: int) -> Pile:
        """The cards of a pile that could be moved as far as its own state goes."""
        if code < CELL:
            return self.columns[code][self.down[code] :] if code < len(self.columns) else ()
        if code < RESERVE:
            cell = self.cells[code - CELL] if code - CELL < len(self.cells) else None
            return () if cell is None else (cell,)
        if code < STOCK:
            return self.reserve[code - RESERVE][-1:] if code - RESERVE < len(self.reserve) else ()
        if code == WASTE:
            return self.waste[-1:]
        if code >= FOUNDATION:
            at = code - FOUNDATION
            height = self.foundations[at] if at < len(self.foundations) else 0
            return (self._card_on(at, height),) if height else ()
        return ()

    def _card_on(self, foundation: int, height: int) -> int:
        """The card of a foundation at a height from 1."""
        of = (self.base + height - 1) % self.rules.options.max_rank
        return make_card(of, foundation % 4)

    def _forced(self) -> PatienceMove | None:
        """The move that an empty column forces; None if there is none."""
        spaces = self.rules.options.spaces
        if not spaces.startswith("auto") or () not in self.columns:
            return None
        empty = self.columns.index(())
        if spaces == "auto-waste-then-stock":
            if self.waste:
                return PatienceMove(WASTE, empty)
            return PatienceMove(STOCK, empty) if self.stock else None
        return PatienceMove(RESERVE, empty) if self.reserve[0] else None

    def why_illegal(self, move: PatienceMove) -> str | None:
        """The reason why the rules forbid a move here; None if it is legal."""
        forced = self._forced()
        if forced is not None:
            return None if move == forced else f"an empty column must be filled first, by {forced}"
        o = self.rules.options
        if move == TURN:
            return self._why_no_turn()
        if o.accordion:
            return self._why_not_onto_pile(move)
        if o.sequences:
            return self._why_not_into_gap(move)
        source, target, count = move
        cards = self.open_cards(source)
        if source == STOCK:
            return "the stock is turned as a whole"
        if not cards:
            return f"{_place(source)} has no card that can be moved"
        if count > len(cards):
            return f"{_place(source)} has only {len(cards)} face-up cards"
        if source >= FOUNDATION and not o.removable:
            return "cards may not leave the foundations under these rules"
        if source == target:
            return "the cards lie there"
        cards = cards[-count:]
        if target < len(self.columns):
            return self._why_not_onto_column(source, cards, target)
        if target - FOUNDATION in range(len(self.foundations)):
            return self._why_not_onto_foundation(source, cards, target - FOUNDATION)
        if count > 1:
            return f"{_place(target)} takes one card at a time"
        if target - CELL in range(len(self.cells)):
            if CELL <= source < RESERVE:
                return "a card does not move from cell to cell"
            return None if self.cells[target - CELL] is None else f"{_place(target)} is taken"
        if target == HOLE and o.hole:
            return self._why_not_into_hole(cards[0])
        return "there is no such pile"

    def _why_no_turn(self) -> str | None:
        o = self.rules.options
        if not o.stock:
            return "there is no stock"
        if o.stock_to != "waste":
            if not self.stock:
                return "the stock is empty"
            if not o.deal_onto_empty and () in self.columns:
                return "no row is dealt while a column is empty"
            return None
        if self.stock:
            return None
        if not self.waste:
            return "stock and waste are empty"
        if o.redeals != UNLIMITED and self.redealt >= o.redeals:
            return f"the waste becomes the stock {o.redeals} times at most"
        return None

    def _why_not_onto_foundation(self, source: int, cards: Pile, at: int) -> str | None:
        o = self.rules.options
        of_suit = range(suit(cards[0]), len(self.foundations), 4)
        if o.complete_runs:
            run = tuple(self._card_on(suit(cards[0]), h) for h in range(o.max_rank, 0, -1))
            if source >= CELL or cards != run:
                return "only a whole run of a suit leaves a column for a foundation"
            takers = [pile for pile in of_suit if not self.foundations[pile]]
        else:
            if len(cards) > 1:
                return "a foundation takes one card at a time"
            if source >= FOUNDATION:
                return "a card does not move from foundation to foundation"
            takers = [
                pile
                for pile in of_suit
                if self.foundations[pile] < o.max_rank
                and self._card_on(pile, self.foundations[pile] + 1) == cards[0]
            ]
        if not takers:
            return f"{card_name(cards[0])} does not follow on its foundation"
        if at != takers[0]:
            return f"{card_name(cards[0])} goes to {pile_name(FOUNDATION + takers[0])}"
        return None

    def _why_not_into_hole(self, card: int) -> str | None:
        o = self.rules.options
        apart = abs(rank(card) - rank(self.hole[-1]))
        if apart == 1 or (o.hole_loops and apart == o.max_rank - 1):
            return None
        return f"{card_name(card)} is no neighbour of {card_name(self.hole[-1])} in the hole"

    def _why_not_onto_column(self, source: int, cards: Pile, target: int) -> str | None:
        o = self.rules.options
        card = cards[0]
        if o.building == "no-build":
            return "nothing is moved onto the columns"
        if o.spaces == "auto-reserve-then-waste" and () in self.columns and source != WASTE:
            return "while a column is empty, only the card of the waste goes to the columns"
        if source < CELL:
            reason = self._why_no_group(source, len(cards))
            if reason is not None:
                return reason
        if not self.columns[target]:
            if o.spaces == "no-build":
                return f"{card_name(card)} may not go to the empty column {target + 1}: no card may"
            if o.spaces == "kings" and self._height(card) != o.max_rank:
                highest = RANKS[(self.base - 1) % o.max_rank]
                where = f"the empty column {target + 1}"
                return f"{card_name(card)} may not go to {where}: expected {highest}"
            return None
        top = self.columns[target][-1]
        by = o.group_building if len(cards) > 1 and o.groups_onto == "group" else o.building
        if self._follows(by, card, top):
            return None
        return f"{card_name(card)} does not fit on {card_name(top)} of column {target + 1}"

    def _why_no_group(self, column: int, count: int) -> str | None:
        """The reason why this number of cards of a column do not move together."""
        o = self.rules.options
        pile = self.columns[column]
        group = self._group(column)
        match o.groups:
            case "no" if count > 1:
                return "cards move one at a time"
            case "yes" if count > group:
                return f"only the last {group} cards of column {column + 1} are in order"
            case "whole-pile" if count < len(pile) or group < len(pile):
                return f"column {column + 1} moves as a whole, if it is in order"
            case "maximal-group" if count != group:
                return f"the last {group} cards of column {column + 1} move together"
        return None

    def _group(self, column: int) -> int:
        """How many face-up cards at the end of a column are in order."""
        return self._in_order(column, self.rules.options.group_building)

    def built(self, column: int) -> int:
        """How many face-up cards at the end of a column lie as they are built there."""
        return self._in_order(column, self.rules.options.building)

    def fits(self, card: int, onto: int) -> bool:
        """Whether a card is built on another one in a column."""
        return self._follows(self.rules.options.building, card, onto)

    def _in_order(self, column: int, building: str) -> int:
        cards = self.open_cards(column)
        count = 1
        while count < len(cards) and self._follows(building, cards[-count], cards[-count - 1]):
            count += 1
        return count

    def _height(self, card: int) -> int:
        """The rank of a card counted from the base of the foundations, from 1."""
        return (rank(card) - self.base) % self.rules.options.max_rank + 1

    def _follows(self, building: str, card: int, onto: int) -> bool:
        """Whether a card is built on another one."""
        return self._height(card) + 1 == self._height(onto) and self._suits_fit(
            building, card, onto
        )

    @staticmethod
    def _suits_fit(building: str, card: int, other: int) -> bool:
        match building:
            case "same-suit":
                return suit(card) == suit(other)
            case "red-black":
                return is_red(card) != is_red(other)
            case "any-suit":
                return True
        return False

    def _why_not_onto_pile(self, move: PatienceMove) -> str | None:
        o = self.rules.options
        source, target, count = move
        if max(source, target) >= len(self.accordion):
            return f"there are only {len(self.accordion)} piles"
        jump = f"{'L' if target < source else 'R'}{abs(source - target)}"
        if jump not in o.accordion_moves or count != 1:
            return f"a pile moves {' or '.join(o.accordion_moves)} only"
        card, onto = self.accordion[source][-1], self.accordion[target][-1]
        meets = {
            "any-suit": True,
            "same-suit": suit(card) == suit(onto),
            "same-rank": rank(card) == rank(onto),
            "red-black": is_red(card) != is_red(onto),
        }
        if any(meets[meeting] for meeting in o.accordion_building):
            return None
        return f"{card_name(card)} does not go onto {card_name(onto)}"

    def _why_not_into_gap(self, move: PatienceMove) -> str | None:
        o = self.rules.options
        source, target, count = move
        places = [card for row in self.rows for card in row]
        if max(source, target) >= len(places) or count != 1:
            return "there is no such place"
        card = places[source]
        if card is None:
            return f"place {source + 1} is a gap"
        if places[target] is not None:
            return f"place {target + 1} is no gap"
        row, column = divmod(target, o.max_rank)
        left = self.rows[row][column - 1] if column else None
        right = self.rows[row][column + 1] if column + 1 < o.max_rank else None
        by = o.sequence_building
        if "L" in o.sequence_direction:
            if column == 0:
                own = row_suit(row)
                if rank(card) == 1 and (not o.sequence_fixed_suit or suit(card) == own):
                    return None
            elif left is not None and self._follows(by, left, card):
                return None
        if "R" in o.sequence_direction:
            if column == o.max_rank - 1:
                if rank(card) == o.max_rank - 1:
                    return None
            elif right is not None and self._follows(by, card, right):
                return None
        return f"{card_name(card)} does not continue a row at place {target + 1}"

    def play(self, move: PatienceMove) -> "PatiencePosition":
        """The position after a move.

        Raises:
            IllegalMove: the rules forbid the move here; the message gives the reason.
        """
        reason = self.why_illegal(move)
        if reason is not None:
            raise IllegalMove(move, reason)
        o = self.rules.options
        source, target, count = move
        if move == TURN:
            return self._turned()
        if o.accordion:
            piles = list(self.accordion)
            piles[target] += piles[source]
            del piles[source]
            return replace(self, accordion=tuple(piles))
        if o.sequences:
            rows = [list(row) for row in self.rows]
            here, there = divmod(source, o.max_rank), divmod(target, o.max_rank)
            rows[there[0]][there[1]] = rows[here[0]][here[1]]
            rows[here[0]][here[1]] = None
            return replace(self, rows=tuple(map(tuple, rows)))
        cards = self.stock[:1] if source == STOCK else self.open_cards(source)[-count:]
        return self._without(source, count)._with(target, cards)

    def _without(self, source: int, count: int) -> "PatiencePosition":
        """The position after cards have been taken from a pile."""
        if source < CELL:
            left = self.columns[source][:-count]
            down = min(self.down[source], max(len(left) - 1, 0))
            return replace(
                self,
                columns=_changed(self.columns, source, left),
                down=_changed(self.down, source, down),
            )
        if source < RESERVE:
            return replace(self, cells=_changed(self.cells, source - CELL, None))
        if source < STOCK:
            at = source - RESERVE
            return replace(self, reserve=_changed(self.reserve, at, self.reserve[at][:-1]))
        if source == STOCK:
            return replace(self, stock=self.stock[1:])
        if source == WASTE:
            return replace(self, waste=self.waste[:-1])
        at = source - FOUNDATION
        return replace(self, foundations=_changed(self.foundations, at, self.foundations[at] - 1))

    def _with(self, target: int, cards: Pile) -> "PatiencePosition":
        """The position after cards have been put on a pile."""
        if target < CELL:
            return replace(
                self, columns=_changed(self.columns, target, self.columns[target] + cards)
            )
        if target < RESERVE:
            return replace(self, cells=_changed(self.cells, target - CELL, cards[0]))
        if target == HOLE:
            return replace(self, hole=self.hole + cards)
        at = target - FOUNDATION
        return replace(
            self,
            foundations=_changed(self.foundations, at, self.foundations[at] + len(cards)),
        )

    def _turned(self) -> "PatiencePosition":
        o = self.rules.options
        if o.stock_to == "hole":
            return replace(self, stock=self.stock[1:], hole=self.hole + self.stock[:1])
        if o.stock_to == "tableau piles":
            row = self.stock[: o.columns]
            dealt = tuple((*column, *row[at : at + 1]) for at, column in enumerate(self.columns))
            return replace(self, columns=dealt, stock=self.stock[o.columns :])
        if self.stock:
            turned = self.stock[: o.deal_count]
            return replace(self, stock=self.stock[o.deal_count :], waste=self.waste + turned)
        redealt = 1 if o.redeals == UNLIMITED else self.redealt + 1
        return replace(self, stock=self.waste, waste=(), redealt=redealt)

    # --- text and data -----------------------------------------------------------------------

    def as_deal(self) -> PatienceDeal | None:
        """The deal of which this is the start; None if it is the start of none."""
        o = self.rules.options
        if o.sequences:
            return None  # nobody sees which ace a gap was
        founded = [
            make_card(self.base, at % 4) for at, height in enumerate(self.foundations) if height
        ]
        cards = (
            *(card for column in self.columns for card in column),
            *(card for card in self.cells if card is not None),
            *(card for pile in self.reserve for card in pile),
            *self.stock,
            *founded,
            *self.hole,
            *(card for pile in self.accordion for card in pile),
        )
        try:
            deal = PatienceDeal(cards, self.rules.game, layout_of(o))
        except BadInput:
            return None
        return deal if self.start(deal, self.rules) == self else None

    def __str__(self) -> str:
        """The table as text, part by part; ``[ ]`` lies face down."""
        o = self.rules.options
        lines = []
        if o.foundations:
            lines.append(f"foundations  {' '.join(self._tops())}")
        if o.hole:
            lines.append(f"hole         {card_name(self.hole[-1])}, {len(self.hole)} cards")
        if o.cells:
            lines.append(f"cells        {' '.join(map(place_name, self.cells))}")
        if o.reserve:
            names = [" ".join(map(card_name, pile)) or "-" for pile in self.reserve]
            lines.append(f"reserve      {' '.join(names)}")
        if o.stock:
            lines.append(f"stock        {len(self.stock)} cards")
            if o.stock_to == "waste":
                lines.append(f"waste        {' '.join(map(card_name, self.waste)) or '-'}")
        if o.accordion:
            lines.append(" ".join(card_name(pile[-1]) for pile in self.accordion))
        lines += [" ".join(" -" if c is None else card_name(c) for c in row) for row in self.rows]
        if o.columns:
            numbers = "".join(f"{column + 1:^4} " for column in range(o.columns)).rstrip()
            down, up = self._split()
            lines += ["", numbers, *columns_text(down, up)]
        return "\n".join(lines)

    def _split(self) -> tuple[list[Pile], list[Pile]]:
        """The face-down and the face-up cards of the columns."""
        pairs = list(zip(self.columns, self.down, strict=True))
        return [pile[:count] for pile, count in pairs], [pile[count:] for pile, count in pairs]

    def _tops(self) -> list[str]:
        """The name of the last card of each foundation, or ``-``."""
        return [
            card_name(self._card_on(at, height)) if height else "-"
            for at, height in enumerate(self.foundations)
        ]

    def to_json(self) -> dict[str, Any]:
        """The position as plain data; only the parts that the ruleset has are there.

        ``rules``; ``down`` and ``up`` of each column; ``cells``, ``-`` for an empty one;
        ``reserve``, a list, ``-`` for a place that is empty; ``stock``, next dealt first;
        ``waste``, playable card last; ``foundations``, the last card of each, or ``-``; ``base``,
        their first rank, if it is random; ``hole``; ``accordion``, its piles; ``rows``, ``-`` for a
        gap; ``redealt``.
        """
        o = self.rules.options
        data: dict[str, Any] = {"rules": self.rules.slug}
        if o.columns:
            down, up = self._split()
            data["down"] = [list(map(card_name, pile)) for pile in down]
            data["up"] = [list(map(card_name, pile)) for pile in up]
        if o.cells:
            data["cells"] = list(map(place_name, self.cells))
        if o.reserve:
            data["reserve"] = (
                list(map(card_name, self.reserve[0]))
                if o.reserve_stacked
                else [place_name(pile[0] if pile else None) for pile in self.reserve]
            )
        if o.stock:
            data["stock"] = list(map(card_name, self.stock))
            if o.stock_to == "waste":
                data["waste"] = list(map(card_name, self.waste))
                if o.redeals:
                    data["redealt"] = self.redealt
        if o.foundations:
            data["foundations"] = self._tops()
            if o.base == RANDOM:
                data["base"] = RANKS[self.base]
        if o.hole:
            data["hole"] = list(map(card_name, self.hole))
        if o.accordion:
            data["accordion"] = [list(map(card_name, pile)) for pile in self.accordion]
        if o.sequences:
            data["rows"] = [list(map(place_name, row)) for row in self.rows]
        return data

    def observation(self) -> dict[str, Any]:
        """`to_json` as a person sees the table, ``??`` for each hidden card.

        Hidden are the face-down cards of the columns, those of a stacked reserve under its last
        one, and the stock, until a redeal has shown it.
        """
        data = self.to_json()
        if self.stock and not self.redealt:
            data["stock"] = [HIDDEN] * len(self.stock)
        if self.rules.options.reserve_stacked:
            data["reserve"] = [HIDDEN] * (len(data["reserve"]) - 1) + data["reserve"][-1:]
        if self.columns:
            data["down"] = [[HIDDEN] * len(pile) for pile in data["down"]]
        return data


def _changed(items: tuple[Any, ...], at: int, item: Any) -> tuple[Any, ...]:
    return (*items[:at], item, *items[at + 1 :])


def _place(code: int) -> str:
    """The words for a pile."""
    kind = (
        "column"
        if code < CELL
        else "cell"
        if code < RESERVE
        else "reserve"
        if code < STOCK
        else "foundation"
        if code >= FOUNDATION
        else "pile"
    )
    return f"{kind} {pile_name(code)}"
