"""Random options of patience games, for Hypothesis."""

from typing import Any

from hypothesis import strategies as st

from engine.cards import RANKS, card_name
from engine.errors import BadInput
from engine.patience.rules import Options, PatienceRules

_BUILDINGS = ("any-suit", "red-black", "same-suit")


@st.composite
def random_options(
    draw: st.DrawFn, kinds: tuple[str, ...] = ("columns", "accordion", "rows")
) -> Options:
    """Options of a game that can be dealt.

    Args:
        draw: by Hypothesis.
        kinds: ``columns``, for games with foundations or a hole, ``accordion``, ``rows``.
    """
    kind = draw(st.sampled_from(kinds))
    ranks = draw(st.sampled_from((13, 13, 8, 5, 3)))
    two = draw(st.sampled_from((False, False, False, True)))
    deck: dict[str, Any] = {"max_rank": ranks, "two_decks": two}
    if kind == "accordion":
        jumps: Any = st.builds(
            lambda way, far: f"{way}{far}", st.sampled_from("LR"), st.integers(1, 4)
        )
        meetings: Any = st.sampled_from(("same-rank", "same-suit", "red-black", "any-suit"))
        return Options(
            columns=0,
            foundations=False,
            accordion=draw(st.integers(1, min(4 * ranks * (1 + two), 104))),
            accordion_moves=tuple(draw(st.lists(jumps, min_size=1, max_size=3, unique=True))),
            accordion_building=tuple(draw(st.lists(meetings, min_size=1, max_size=2, unique=True))),
            **deck,
        )
    if kind == "rows":
        return Options(
            columns=0,
            foundations=False,
            sequences=8 if two else 4,
            sequence_direction=draw(st.sampled_from(("L", "R", "LR"))),
            sequence_building=draw(st.sampled_from(_BUILDINGS)),
            sequence_fixed_suit=draw(st.booleans()),
            **deck,
        )
    while True:
        try:
            return _columns(draw, deck)
        except BadInput:
            continue  # options that do not go together: others are drawn


def _columns(draw: st.DrawFn, deck: dict[str, Any]) -> Options:
    ranks, cards = deck["max_rank"], deck["max_rank"] * (8 if deck["two_decks"] else 4)
    has_hole = draw(st.sampled_from((False, False, True)))
    building: Any = draw(st.sampled_from((*_BUILDINGS, "no-build")))
    groups: Any = draw(st.sampled_from(("no", "yes", "whole-pile", "maximal-group", "any-order")))
    cells = draw(st.integers(0, 5))
    stock = draw(st.sampled_from((0, 0, cards // 4, cards // 2)))
    reserve = draw(st.sampled_from((0, 0, 2, cards // 6)))
    runs = draw(st.sampled_from((False, False, True)))
    founded: Any = "none" if runs else draw(st.sampled_from(("none", "one", "others", "all")))
    bases = [
        RANKS[draw(st.integers(0, ranks - 1))],
        "A",
        *(["random"] if founded != "none" else []),
    ]
    if founded == "others":
        # All other cards are dealt to columns then.
        has_hole, stock, reserve, bases = False, 0, 0, ["random"]
        deck = {**deck, "two_decks": False}
    hole_base = draw(st.sampled_from(("random", card_name(draw(st.integers(0, 4 * ranks - 1))))))
    return Options(
        columns=draw(st.integers(1, 11)),
        building=building,
        spaces=draw(
            st.sampled_from(
                (
                    *("any", "any", "kings", "no-build", "auto-reserve-then-any"),
                    *("auto-reserve-then-waste", "auto-waste-then-stock"),
                )
            )
        ),
        groups="no" if building == "no-build" else groups,
        group_building=draw(st.sampled_from(("same-as-build", *_BUILDINGS))),
        groups_onto=draw(st.sampled_from(("building", "group"))),
        diagonal=draw(st.booleans()) and founded != "others",
        face_up=draw(st.sampled_from(("all", "top"))),
        foundations=not has_hole,
        founded=founded,
        base=draw(st.sampled_from(bases)),
        removable=not runs and draw(st.booleans()),
        complete_runs=runs,
        hole=has_hole,
        hole_base=hole_base,
        hole_loops=draw(st.booleans()),
        cells=cells,
        cells_filled=0 if founded == "others" else draw(st.integers(0, cells)),
        stock=stock,
        stock_to=draw(st.sampled_from(("waste", "tableau piles", "hole" if has_hole else "waste"))),
        deal_count=draw(st.integers(1, 4)),
        redeals=draw(st.sampled_from((0, 1, 2, -1))),
        deal_onto_empty=draw(st.booleans()),
        reserve=reserve,
        reserve_stacked=draw(st.booleans()),
        **deck,
    )


def ruleset(options: Options) -> PatienceRules:
    """A ruleset of options, which no registry knows."""
    return PatienceRules(options, "random", "Random", "random")
