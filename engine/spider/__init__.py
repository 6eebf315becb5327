"""Spider: its definition as a game of `engine.game`, and its kernels."""

from engine.checkers import Checker
from engine.game import Actions, Game, PuzzlePlays
from engine.spider import dealing, formats, moves, notations, seen, setting, table_text
from engine.spider.deal import CARDS, DECKS, FACE_UP, SpiderDeal, is_deal_json
from engine.spider.referee import SpiderPosition
from engine.spider.rules import RULESETS


def _actions() -> Actions:
    from engine.spider.actions import ACTIONS

    return ACTIONS


def _puzzles() -> PuzzlePlays:
    from engine.spider.puzzles import PUZZLES

    return PUZZLES


def _checker() -> Checker:
    from engine.spider.checker import check

    return check


GAME = Game(
    slug="spider",
    name="Spider",
    decks=DECKS,
    rulesets=RULESETS,
    zones=SpiderDeal.zones,
    hidden=tuple(place for place in range(CARDS) if place not in FACE_UP),
    deal=SpiderDeal.of,
    deal_from_json=SpiderDeal.from_json,
    is_deal_json=is_deal_json,
    start=SpiderPosition.start,
    position_from_json=SpiderPosition.from_json,
    deal_of=SpiderPosition.as_deal,
    normal_json=formats.normal_json,
    parse_move=moves.parse_move,
    pack=moves.pack_solution,
    unpack=moves.unpack_solution,
    move_size=2,
    notation=moves.NOTATION,
    dealings=dealing.DEALINGS,
    codecs=formats.CODECS,
    load_actions=_actions,
    load_puzzles=_puzzles,
    load_checker=_checker,
    read_table=table_text.read_table,
    write_table=table_text.write_table,
    write_seen=table_text.write_seen,
    fill_in=seen.fill_in,
    notations=notations.NOTATIONS,
    setting=setting.setting,
)
