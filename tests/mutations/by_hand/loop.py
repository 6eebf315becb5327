"""Slips in restarts and in the table."""

from mutations.mutation import Mutation

MUTATIONS = [
    # Restarts
    Mutation(
        "at large draws the path is not forgotten",
        "restarts",
        "entries.py",
        "    forget(\n        workspace.table,",
        "    if mode.by_remainder:\n        return\n    forget(\n        workspace.table,",
        families=("large draws",),
    ),
    Mutation(
        "the path is not forgotten",
        "restarts",
        "restarts.py",
        "for depth in range(progress.depth, 0, -1):",
        "for depth in range(0):",
        families=(
            "usual",
            "any suit",
            "same suit",
            "spaces any",
            "spaces none",
            "forward",
            "limited",
            "whole",
            "large draws",
        ),
    ),
    Mutation(
        "half the path is forgotten",
        "restarts",
        "restarts.py",
        "for depth in range(progress.depth, 0, -1):",
        "for depth in range(progress.depth, progress.depth // 2, -1):",
        families=("usual", "limited", "whole"),
    ),
    Mutation(
        "a widened entry stays wide",
        "restarts",
        "table.py",
        "        table[slot] = place << 32 | mask << 8 | entered\n        return\n",
        "        return\n",
        families=(
            "usual",
            "forward",
        ),
    ),
    Mutation(
        "rows are not found again",
        "restarts",
        "wide_table.py",
        "            table[at] = _GONE\n            return\n",
        "            return\n",
        families=("limited", "whole"),
    ),
    # Table
    Mutation(
        "locked cards are not in the table",
        "table",
        "nodes.py",
        "        place -= fall\n        if mode.whole",
        "        if mode.whole",
        families=("usual", "any suit", "spaces any", "same suit"),
    ),
]
