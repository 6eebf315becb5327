"""A program that says what the complete search of `spider-exact` makes of positions with one slip.

It is run by Python itself, ``NUMBA_DISABLE_JIT=1``. Its arguments are the path of a file of the
source, the text there, and what stands instead of it. For each line of standard input, a JSON list
of a ruleset and a position, it prints the verdict.
"""

import json
import sys
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS.parent), str(TESTS)]

NODES = 3_000


class Slip(NamedTuple):
    """A slip in the source: its name, the file in `solvers/spider/exact`, and the two texts."""

    name: str
    file: str
    old: str
    new: str


SLIPS = (
    Slip(
        "a card goes onto one two ranks higher only",
        "dead_ends.py",
        "if ranks >> (rank + 1) & 1:",
        "if ranks >> (rank + 2) & 1:",
    ),
    Slip(
        "no run is ever completed",
        "dead_ends.py",
        "if stuck.met[suit] == _ALL_RANKS:",
        "if stuck.met[suit] < 0:",
    ),
    Slip(
        "rows bring no card",
        "dead_ends.py",
        "for row in range(dealt, ROWS):",
        "for row in range(ROWS, ROWS):",
    ),
    Slip(
        "empty columns take nothing",
        "dead_ends.py",
        "    if tables.counts[at, EMPTY] > 0:\n",
        "    if tables.counts[at, EMPTY] > 9:\n",
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
)


def main() -> None:
    """Answer every line."""
    from mutations.slipped import put_in

    path, old, new = sys.argv[1:]
    if path:
        put_in(path, old, new)
    from engine.rulesets import parse_ruleset
    from engine.spider.referee import SpiderPosition
    from engine.spider.rules import SpiderRules
    from solvers.spider.exact import depth
    from solvers.spider.exact.method import complete_search

    names = {depth.WON: "won", depth.UNWINNABLE: "unwinnable", depth.SPENT: "gave_up"}
    for line in sys.stdin:
        slug, data = json.loads(line)
        rules = parse_ruleset(slug)
        assert isinstance(rules, SpiderRules)
        position = SpiderPosition.from_json(data, rules)
        print(names[complete_search(position, NODES)], flush=True)


if __name__ == "__main__":
    main()
