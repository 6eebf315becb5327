"""Black Hole: the game as `engine.game` requires it, in a package of its own."""

from black_hole import dealing, formats, moves
from black_hole.actions import ACTIONS
from black_hole.deal import BlackHoleDeal, is_deal_json
from black_hole.referee import BlackHolePosition
from black_hole.rules import RULESETS
from engine.game import Game

GAME = Game(
    slug="black-hole",
    name="Black Hole",
    decks=BlackHoleDeal.decks,
    rulesets=RULESETS,
    zones=BlackHoleDeal.zones,
    hidden=(),
    deal=BlackHoleDeal.of,
    deal_from_json=BlackHoleDeal.from_json,
    is_deal_json=is_deal_json,
    start=BlackHolePosition.start,
    position_from_json=BlackHolePosition.from_json,
    parse_move=moves.parse_move,
    pack=moves.pack,
    unpack=moves.unpack,
    move_size=1,
    notation=moves.NOTATION,
    dealings=dealing.DEALINGS,
    codecs=formats.CODECS,
    load_actions=lambda: ACTIONS,
)
