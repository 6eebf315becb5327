"""A program that says what the searches of games without foundations make of small deals while the
source of one has a slip.

For each line of standard input, a JSON list of the path of a file, the text there, what stands
instead of it, the name of rules of `unfounded_deals`, and the seed of a deal that catches it, it
prints the verdict on this deal. It is run without the compiler.
"""

from typing import Any


def _answer(line: list[Any]) -> str:
    """Put the slip in and solve."""
    from mutations.slipped import put_in

    path, old, new, name, seed = line
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
    [outcome] = unfounded.solve(
        deals_of(options, seed, 1), options, {"nodes": 20_000, "memory_mib": 16}
    )
    return outcome.result.value


def main() -> None:
    """Answer every line."""
    from mutations.slipped import answer_each

    answer_each(_answer, "engine.patience.referee")


if __name__ == "__main__":
    main()
