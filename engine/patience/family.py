"""Games of the family as `engine.game` requires them: one for each layout with its presets."""

import json
from collections.abc import Iterable

from engine.checkers import Checker
from engine.errors import BadInput
from engine.game import Actions, Game, Option, PuzzlePlays, Rulesets, RulesForm
from engine.patience.deal import PatienceDeal, deal_from_json, is_deal_json
from engine.patience.dealing import dealings
from engine.patience.formats import codecs
from engine.patience.implications import implies
from engine.patience.language import read_options, write_options
from engine.patience.layout import layout_of, same_layout
from engine.patience.moves import NOTATION, SIZE, PatienceMoves
from engine.patience.notations import notations_of
from engine.patience.positions import fill_in, is_position_json, position_from_json
from engine.patience.presets import Preset, own_rules, presets_of
from engine.patience.referee import PatiencePosition
from engine.patience.rules import Options, PatienceRules
from engine.patience.table_text import read_table, write_seen, write_table
from engine.patience.words import sentences
from engine.text.strict_json import parse_json


def make_game(slug: str) -> Game:
    """The game of a slug, see `engine.patience.presets`."""
    presets = presets_of(slug)
    usual = presets[0].rules
    options = usual.options
    for preset in presets:
        assert same_layout(options, preset.rules.options), f"{preset.rules} is another game"
    by_slug = {preset.rules.slug: preset.rules.options for preset in presets}
    layout = layout_of(options)
    moves = PatienceMoves(usual.title, (preset.rules.options for preset in presets))

    def deal(cards: Iterable[int]) -> PatienceDeal:
        return PatienceDeal(tuple(map(int, cards)), slug, layout)

    return Game(
        slug=slug,
        name=usual.title,
        decks=options.decks,
        rulesets=_rulesets(presets),
        zones=layout.zones,
        hidden=layout.hidden,
        deal=deal,
        deal_from_json=lambda data: deal_from_json(data, slug, layout),
        is_deal_json=lambda data: is_deal_json(data, layout),
        start=PatiencePosition.start,
        position_from_json=position_from_json,
        deal_of=PatiencePosition.as_deal,
        normal_json=lambda data: dict(data) if is_position_json(data) else None,
        parse_move=moves.parse,
        pack=moves.pack,
        unpack=moves.unpack,
        move_size=SIZE,
        notation=NOTATION,
        dealings=dealings(layout, presets[0].pysolfc or None),
        codecs=codecs(usual, layout),
        load_actions=_actions,
        load_puzzles=lambda: _puzzles(options),
        load_checker=_checker,
        read_table=lambda text: read_table(text, by_slug),
        write_table=write_table,
        write_seen=write_seen,
        fill_in=fill_in,
        notations=notations_of(by_slug.values()),
        rules_forms={"solvitaire": RulesForm(_read_rules, _write_rules)},
    )


def _actions() -> Actions:
    from engine.patience.actions import ACTIONS

    return ACTIONS


def _puzzles(options: Options) -> PuzzlePlays:
    from engine.patience.puzzles import puzzles_of

    return puzzles_of(options)


def _checker() -> Checker:
    from engine.patience.checker import check

    return check


def _read_rules(text: str) -> PatienceRules:
    return own_rules(read_options(parse_json(text)))


def _write_rules(rules: PatienceRules) -> str:
    """Rules for Solvitaire; raises BadInput if it has no such rules."""
    data = write_options(rules.options)
    alien = [
        key
        for part, keys in (
            ("tableau piles", ("move built group onto", "sizes", "face down cards")),
            ("stock", ("redeals", "deal onto empty")),
        )
        for key in keys
        if key in data.get(part, {})
    ]
    if rules.options.groups == "any-order":
        alien.append("any-order")
    if rules.options.founded == "others":
        alien.append("initial cards 'others'")
    if alien:
        raise BadInput(f"Solvitaire cannot play {rules.slug}: it has no {' and no '.join(alien)}")
    return json.dumps(data)


def _rulesets(presets: tuple[Preset, ...]) -> Rulesets:
    by_slug = {preset.rules.slug: preset for preset in presets}
    about = {slug: preset.about for slug, preset in by_slug.items()}
    return Rulesets(
        presets={slug: preset.rules for slug, preset in by_slug.items()},
        default=presets[0].rules.slug,
        parse=lambda slug: by_slug[slug].rules if slug in by_slug else None,
        pattern="",
        options=(
            Option("cells", lambda rules: str(rules.options.cells), is_number=True),
            Option("building", lambda rules: str(rules.options.building)),
            Option("empty columns", lambda rules: str(rules.options.spaces)),
            Option("groups", lambda rules: str(rules.options.groups)),
        ),
        describe=lambda rules: f"{rules.title}. {about[rules.slug]}".strip(),
        title=lambda rules: str(rules.title),
        basics=sentences(presets[0].rules.options),
        implies=implies,
    )
