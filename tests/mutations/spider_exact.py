"""A program that says what the complete search of `spider-exact` makes of positions with one slip.

It is run by Python itself, ``NUMBA_DISABLE_JIT=1``. For each line of standard input, a JSON list of
the path of a file of the source, the text there, what stands instead of it, and lists of a ruleset
and a position, it prints a JSON list of verdicts; or ``unlisted`` where the search does not try a
move of the position that it must.
"""

from typing import Any

from mutations.mutation import Slip

NODES = 1_000


SLIPS = (
    Slip(
        "a card goes onto one two ranks higher only",
        "dead_ends.py",
        "if ranks >> ((int(cards[level]) >> 2) + 1) & 1:",
        "if ranks >> ((int(cards[level]) >> 2) + 2) & 1:",
    ),
    Slip(
        "rows bring no card",
        "dead_ends.py",
        "for row in range(dealt, ROWS):",
        "for row in range(ROWS, ROWS):",
    ),
    Slip(
        "a run leaves card by card only",
        "dead_ends.py",
        "if level <= down or cards[level - 1]",
        "if level <= top or cards[level - 1]",
    ),
    Slip(
        "a whole column does not move while rows are to come",
        "depth.py",
        "elif not rows_left and most == tables.size[at, source]:",
        "elif most == tables.size[at, source]:",
    ),
    Slip(
        "one empty column is enough while rows are to come",
        "depth.py",
        "met_empty |= tables.size[at, target] == 0 and not rows_left",
        "met_empty |= tables.size[at, target] == 0",
    ),
    Slip(
        "only whole runs go to empty columns",
        "depth.py",
        "    least, most = 1, run\n",
        "    least, most = run, run\n",
    ),
    Slip(
        "only whole runs go onto cards",
        "depth.py",
        "        if least < 1 or most > run:\n",
        "        if least < run or most > run:\n",
    ),
    Slip(
        "columns change places while rows are to come",
        "table.py",
        "    if down > 0 or fixed:",
        "    if down > 0:",
    ),
    Slip(
        "face-down cards are alike",
        "table.py",
        "    if down > 0 or fixed:",
        "    if fixed:",
    ),
    Slip(
        "no empty column but the first takes a card",
        "depth.py",
        "if target == source or (tables.size[at, target] == 0 and met_empty):",
        "if target == source or (tables.size[at, target] == 0 and target > 0):",
    ),
    Slip(
        "no row goes onto empty columns",
        "depth.py",
        "    if rows_left and (onto_empty or tables.counts[at, EMPTY] == 0):",
        "    if rows_left and tables.counts[at, EMPTY] == 0:",
    ),
)


def verdict(slug: str, data: Any) -> str:
    """The verdict on one position."""
    import spider_listing
    from engine.rulesets import parse_ruleset
    from engine.spider.referee import SpiderPosition
    from engine.spider.rules import SpiderRules
    from solvers.spider.exact import depth
    from solvers.spider.exact.method import complete_search

    rules = parse_ruleset(slug)
    assert isinstance(rules, SpiderRules)
    position = SpiderPosition.from_json(data, rules)
    if spider_listing.unlisted(position):
        return "unlisted"
    names = {depth.WON: "won", depth.UNWINNABLE: "unwinnable", depth.SPENT: "gave_up"}
    return names[complete_search(position, NODES)]


def main() -> None:
    """Answer every line."""
    from mutations.slipped import answer_each, verdicts_by

    answer_each(verdicts_by(verdict), "engine.rulesets", "engine.spider.referee")


if __name__ == "__main__":
    main()
