"""Rulesets of patience games that imply others: a win under the first is one under the second."""

from dataclasses import fields

from engine.patience.rules import UNLIMITED, Options, PatienceRules

# Values of which each allows all that those before it do.
_SPACES = ("no-build", "kings", "any")
# What a way to move groups allows besides itself.
_LESS = {
    "yes": ("no", "whole-pile", "maximal-group"),
    "any-order": ("no", "yes", "whole-pile", "maximal-group"),
}


def implies(strict: PatienceRules, lax: PatienceRules) -> bool:
    """Whether every deal that can be won under the first ruleset can be won under the second.

    In each position every move of the first is one of the second and does the same, so a win is
    played as it is: a cell more may stay empty, a card that may come back or go to an empty column
    need not, a redeal within a limit is within a higher one, what builds by another policy or not
    at all builds where any suit does, and one card, or a group in order, whole or maximal, is a
    group where parts or any cards move. Where the rules fill empty columns by force, both must do
    so alike. All other options must be the same, those of the deal among them.
    """
    one, other = strict.options, lax.options
    return all(
        getattr(one, field.name) == getattr(other, field.name) or _allows(field.name, one, other)
        for field in fields(Options)
    )


def _allows(option: str, one: Options, other: Options) -> bool:
    """Whether the second value of an option, which differs, allows all that the first does."""
    if option == "cells":
        return one.cells < other.cells
    if option == "redeals":
        return other.redeals == UNLIMITED or 0 <= one.redeals < other.redeals
    if option in ("removable", "deal_onto_empty"):
        return bool(getattr(other, option))
    if option == "spaces":
        known = one.spaces in _SPACES and other.spaces in _SPACES
        return known and _SPACES.index(one.spaces) < _SPACES.index(other.spaces)
    if option == "building":
        return other.building == "any-suit"
    if option == "groups":
        return one.groups in _LESS.get(other.groups, ())
    if option == "group_building":
        return one.groups == "no" or other.groups == "any-order"
    return option == "groups_onto" and one.groups == "no"
