"""A program that plays small Spiders: fewer columns, ranks and runs than Spider has.

It is run by Python itself, ``NUMBA_DISABLE_JIT=1``, with other numbers in its modules.
Arguments: columns, ranks, runs, deals, a seed, and ``no-dead-ends`` if the search is not to
look for dead ends. For each deal it prints a JSON object: the ruleset, the positions that can be
reached from it, how many of them are dead ends, whether rows are to come, and the verdicts of
exhaustive search over them, of `spider-plain`, of the complete search of `spider-exact`, and of
`spider-exact` as a whole.
"""

import importlib
import json
import pkgutil
import sys
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.spider.referee import SpiderPosition
    from engine.spider.rules import SpiderRules

# Positions of a deal that exhaustive search visits before the deal is left out.
MOST = 1_000
_SUITS = {1: (2,), 2: (2, 3), 4: (0, 1, 2, 3)}


def put_in_numbers(columns: int, ranks: int, runs: int) -> None:
    """Have all modules use other numbers; those of the solvers are imported after it."""
    import engine.spider

    for found in pkgutil.iter_modules(engine.spider.__path__):
        importlib.import_module(f"{engine.spider.__name__}.{found.name}")
    numbers = {"COLUMNS": columns, "RUNS": runs, "WHOLE_RUN": ranks, "_WHOLE_RUN": ranks}
    assert not any(name.startswith("solvers") for name in sys.modules)
    for module in list(sys.modules.values()):
        if module.__name__.startswith(engine.spider.__name__):
            for name in numbers.keys() & vars(module).keys():
                setattr(module, name, numbers[name])
    import solvers.spider.exact.value as values

    values._KING = ranks - 1


def small_deal(
    rules: "SpiderRules", columns: int, ranks: int, runs: int, chooser: Random
) -> "SpiderPosition":
    """The start of a small Spider, or a position with more cards face up."""
    from engine.cards import make_card
    from engine.spider.referee import SpiderPosition, completed_run

    suits = _SUITS[rules.suits]
    cards = [make_card(r, suits[at % len(suits)]) for at in range(runs) for r in range(ranks)]
    chooser.shuffle(cards)
    most = (len(cards) - 1) // columns
    rows = chooser.randint(0, min(most, 2))
    stock = tuple(tuple(cards[at * columns : (at + 1) * columns]) for at in range(rows))
    laid: list[list[int]] = [[] for _ in range(columns)]
    used = columns if chooser.random() < 0.7 else max(1, columns - 1)
    for at, card in enumerate(cards[rows * columns :]):
        laid[at % used].append(card)
    is_start = chooser.random() < 0.5
    ups = [max(len(c) - 1, 0) if is_start else chooser.randint(0, max(len(c) - 1, 0)) for c in laid]
    position = SpiderPosition(
        rules,
        tuple(tuple(column[:at]) for column, at in zip(laid, ups, strict=True)),
        tuple(tuple(column[at:]) for column, at in zip(laid, ups, strict=True)),
        (0, 0, 0, 0),
        stock,
    )
    # A whole run would have left the table.
    if any(completed_run(up) is not None for up in position.up):
        return small_deal(rules, columns, ranks, runs, chooser)
    return position


def main() -> None:
    """Deal, decide and print."""
    columns, ranks, runs, count = map(int, sys.argv[1:5])
    seed, *options = sys.argv[5:]
    put_in_numbers(columns, ranks, runs)
    import numpy as np

    from engine.replay import replay
    from engine.spider.moves import unpack_solution
    from engine.spider.referee import SpiderPosition
    from engine.spider.rules import PRESETS
    from solvers.spider import plain
    from solvers.spider.exact import dead_ends, depth
    from solvers.spider.exact.method import METHOD, complete_search
    from solvers.spider.exact.table import lay_position, new_tables
    from spider_positions import reached

    names = {depth.WON: "won", depth.UNWINNABLE: "unwinnable", depth.SPENT: "gave_up"}
    assert METHOD.solve_position is not None
    if options == ["no-dead-ends"]:
        depth.is_dead = lambda *_: False

    def is_dead(position: SpiderPosition) -> bool:
        tables, rows = new_tables(1), np.zeros((5, columns), dtype=np.int8)
        lay_position(position, tables, rows)
        return bool(dead_ends.is_dead(tables, 0, rows, dead_ends.Stuck.new()))

    chooser = Random(seed)
    done = 0
    while done < count:
        rules = list(PRESETS.values())[done % len(PRESETS)]
        position = small_deal(rules, columns, ranks, runs, chooser)
        visited = reached(position, MOST)
        if len(visited) > MOST:
            continue
        verdict = "won" if any(each.is_won for each in visited) else "unwinnable"
        done += 1
        whole = METHOD.solve_position(position, {"nodes": 2_000, "memory_mib": 8})
        if whole.moves is not None:
            assert replay(position, unpack_solution(whole.moves)).is_won
        found = {
            "rules": rules.slug,
            "positions": len(visited),
            "dead": sum(is_dead(each) for each in visited if not each.is_won),
            "rows": bool(position.stock),
            "exhausted": verdict,
            "plain": plain.solve_position(position, {"nodes": 10 * MOST}).result.value,
            "complete": names[complete_search(position, 10 * MOST)],
            "exact": whole.result.value,
            "position": position.to_json(),
        }
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
