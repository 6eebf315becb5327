"""Entries written in other forms than they were read in: deals, positions and solutions."""

import csv
import io
import json
from typing import Any

from engine.errors import BadInput
from engine.formats import Format, get_format
from engine.game import Game
from engine.intake import CSV, NAME, TEXT, ReadEntry
from engine.notations import OWN, check_notation, list_moves
from engine.text.deal_lines import InputDeal, write_deal_line

JSON = "json"
# What a result says besides its deal and its moves.
_KEPT = ("outcome", "nodes", "cpu_ms")


class EntryWriter:
    """Writes entries in one form.

    Args:
        form: a text format of deals; ``json``, one line for an entry, which alone holds solutions;
            ``text`` for positions as a person types them; ``csv``; or ``name``.
        game: the game of all entries.
        notation: that in which moves are written, and None for our own.
        read_in: that in which they are read, see `ReadEntry.moves`.

    Raises:
        BadInput: there is no such form or notation for the game.
    """

    def __init__(
        self, form: str, game: Game, notation: str | None = None, read_in: str | None = None
    ) -> None:
        self.game = game
        self.notation = notation
        self.read_in = read_in
        self._format: Format | None = None
        if form == TEXT:
            if game.write_table is None:
                raise BadInput(f"the format {form} does not support {game.name}")
        elif form not in (JSON, CSV, NAME):
            self._format = get_format(form)
            self._format.check_game(game)
            form = self._format.slug
        if notation is not None:
            check_notation(notation, game)
            if form != JSON:
                raise BadInput(f"the format {form} holds no moves: only {JSON} does")
        self.form = form

    @property
    def heading(self) -> str:
        """The text before the first entry."""
        return "id,deal\n" if self.form == CSV else ""

    def write(self, entry: ReadEntry) -> str:
        """An entry with its line end; one of several lines ends with a blank one.

        Raises:
            BadInput: the form cannot hold it.
        """
        if self.form == JSON:
            return self._json(entry) + "\n"
        if self.form == TEXT:
            assert self.game.write_table is not None
            return self.game.write_table(entry.position) + "\n"
        if entry.deal is None:
            able = f"{JSON} or {TEXT}" if self.game.write_table is not None else JSON
            raise BadInput(
                f"the format {self.form} holds starting deals, and this is a position in mid-game: "
                f"expected {able}"
            )
        name = None if entry.dealer is None else f"{entry.dealer}:{entry.seed}"
        if self.form == CSV:
            written = io.StringIO()
            deal = name or json.dumps(entry.deal.to_json(), separators=(",", ":"))
            csv.writer(written, lineterminator="\n").writerow([entry.id, deal])
            return written.getvalue()
        if self.form == NAME:
            if name is None:
                raise BadInput("this deal has no name: its entry gives its cards and no dealer")
            return name + "\n"
        assert self._format is not None
        text = self._format.write(entry.deal).rstrip("\n")
        return text + ("\n\n" if "\n" in text else "\n")

    def _json(self, entry: ReadEntry) -> str:
        data: dict[str, Any]
        if entry.deal is not None:
            given = InputDeal(entry.id, entry.deal, entry.dealer, entry.seed)
            data = json.loads(write_deal_line(given))
            if entry.stated:
                data["rules"] = entry.rules.slug
        else:
            data = {"id": entry.id, **entry.position.to_json()}
        data |= {key: entry.data[key] for key in _KEPT if entry.data and key in entry.data}
        moves = entry.moves(self.read_in)
        if moves is not None:
            if self.notation in (None, OWN):
                data["moves"] = [str(move) for move in moves]
            else:
                data["moves"] = list_moves(moves, entry.position, self.notation or OWN)
                data["notation"] = self.notation
        return json.dumps(data, separators=(",", ":"))
