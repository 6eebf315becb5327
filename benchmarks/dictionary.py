r"""Make the dictionaries with which solutions are compressed, and print what they save.

Each level of the codec is tried on solutions that no dictionary was trained on.

python benchmarks/dictionary.py klondike-draw1 klondike-draw3 --solver exact --deals 20000 \
        --output klondike.zdict
"""

import argparse
import time
from pathlib import Path

import numpy as np
import zstandard

from engine.dealing.dealers import get_dealer
from engine.games import game_of
from engine.rulesets import parse_ruleset
from solvers.solver import parse_solver

# Far from the samples that benchmarks and jobs begin with.
FIRST = 900_000_000_000
BATCH = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rulesets", nargs="+")
    parser.add_argument("--solver", default="exact")
    parser.add_argument("--deals", type=int, default=20_000)
    parser.add_argument("--bytes", type=int, default=16_384)
    parser.add_argument("--levels", type=int, nargs="+", default=[1, 3, 6, 9])
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    solver = parse_solver(asked.solver)
    wins: list[bytes | bytearray | memoryview] = []
    for slug in asked.rulesets:
        rules = parse_ruleset(slug)
        for first in range(FIRST, FIRST + asked.deals, BATCH):
            cards = get_dealer("thoughtful-1").deal_block(first, BATCH, game_of(rules))
            wins += [o.moves for o in solver.solve(cards, rules) if o.moves is not None]
    trained, held_out = wins[::2], wins[1::2]
    dictionary = zstandard.train_dictionary(asked.bytes, list(trained))
    packed = np.mean([len(win) for win in held_out])
    print(f"{len(held_out):,} solutions that were not trained on: {packed:.1f} bytes packed")
    for level in asked.levels:
        compressor = zstandard.ZstdCompressor(
            level=level, dict_data=dictionary, write_content_size=False, write_dict_id=False
        )
        since = time.thread_time()
        sizes = np.array([len(compressor.compress(win)) for win in held_out])
        spent = (time.thread_time() - since) / len(held_out)
        error = 2.58 * sizes.std() / np.sqrt(len(sizes))
        print(
            f"level {level}: {sizes.mean():.1f} ± {error:.1f} (99 %) bytes compressed, "
            f"{1e6 * spent:.1f} µs each"
        )
    if asked.output is not None:
        asked.output.write_bytes(dictionary.as_bytes())


if __name__ == "__main__":
    main()
