"""A program that says what the searches of games without foundations make of small deals while the
source of one has a slip.

Standard input is a JSON list of the path of a file, the text there, what stands instead of it, the
name of rules of `unfounded_deals`, and the seed of a deal that catches it; it prints the verdict
on this deal, and on those after it, as many as its argument says. It is run without the compiler.
"""

import json
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS.parent), str(TESTS)]


def main() -> None:
    """Put the slip in and solve."""
    from mutations.slipped import put_in

    path, old, new, name, first = json.load(sys.stdin)
    put_in(path, old, new)

    from solvers.patience import accordion, gaps, holes, unfounded
    from unfounded_deals import SMALL, deals_of

    # Broken off soon, so that slips of that are seen.
    for module in (accordion, gaps, holes):
        assert hasattr(module, "_PERIOD")
        vars(module)["_PERIOD"] = 20
    assert hasattr(gaps, "_WIDTHS")
    vars(gaps)["_WIDTHS"] = ()
    options = SMALL[name]
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    deals = deals_of(options, first, count)
    outcomes = unfounded.solve(deals, options, {"nodes": 20_000, "memory_mib": 16})
    print(json.dumps({"first": first, "verdicts": [outcome.result for outcome in outcomes]}))


if __name__ == "__main__":
    main()
