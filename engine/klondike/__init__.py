"""Klondike: its definition as a game of `engine.game`, and its kernels."""

from engine.checkers import Checker
from engine.game import Actions, DeadEnds, Game, PuzzlePlays
from engine.klondike import (
    dealing,
    formats,
    moves,
    notations,
    seen,
    setting,
    solvitaire_rules,
    table_text,
    translation,
)
from engine.klondike.deal import FACE_DOWN, KlondikeDeal, is_deal_json
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import RULESETS


def _dead_ends() -> DeadEnds:
    from engine.klondike.dead_ends import CHECKER

    return CHECKER


def _actions() -> Actions:
    from engine.klondike.actions import ACTIONS

    return ACTIONS


def _puzzles() -> PuzzlePlays:
    from engine.klondike.puzzles import PUZZLES

    return PUZZLES


def _checker() -> Checker:
    from engine.klondike.checker import check

    return check


GAME = Game(
    slug="klondike",
    name="Klondike",
    decks=1,
    rulesets=RULESETS,
    zones=KlondikeDeal.zones,
    hidden=FACE_DOWN,
    deal=KlondikeDeal.of,
    deal_from_json=KlondikeDeal.from_json,
    is_deal_json=is_deal_json,
    start=KlondikePosition.start,
    position_from_json=KlondikePosition.from_json,
    deal_of=KlondikePosition.as_deal,
    normal_json=formats.normal_json,
    parse_move=moves.parse_move,
    pack=moves.pack_solution,
    unpack=moves.unpack_solution,
    move_size=1,
    notation=moves.NOTATION,
    dealings=dealing.DEALINGS,
    codecs=formats.CODECS,
    load_actions=_actions,
    load_puzzles=_puzzles,
    load_dead_ends=_dead_ends,
    load_checker=_checker,
    read_table=table_text.read_table,
    write_table=table_text.write_table,
    write_seen=table_text.write_seen,
    fill_in=seen.fill_in,
    notations=notations.NOTATIONS,
    rules_forms=solvitaire_rules.FORMS,
    translate=translation.translate,
    setting=setting.setting,
)
