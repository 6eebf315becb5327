"""How long people at the table wait: for the next legal moves, and for a hint.

    python benchmarks/playing.py
    python benchmarks/playing.py --visitors 20 --requests 100

Serves the dashboard with an empty catalogue. Visitors come within half a minute. Each plays deals
of its own along a win, with a pause of one second in the mean between two moves, as the scripts of
the table ask the server: the legal moves after every move, a hint before every fifth, and a new
deal at the end. The table itself shows a move at once and waits for nothing. Client and server
share the cores.
"""

import argparse
import json
import random
import sys
import tempfile
import threading
import time
import urllib.request
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from catalogue import store
from catalogue.difficulty.playable import PLAYED
from measuring.served import served

_BANDS = ("easy", "medium", "hard", "any")


def main() -> int:
    """Serve, play, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visitors", type=int, default=20)
    parser.add_argument("--requests", type=int, default=100, help="of each kind, at least")
    parser.add_argument("--rules", default="klondike-draw1,klondike-draw3", help=", ".join(PLAYED))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        url = f"sqlite:///{Path(directory) / 'thoughtful.db'}"
        store.init(url)
        with served("dashboard", THOUGHTFUL_DATABASE_URL=url) as address:
            for rules in asked.rules.split(","):
                _Visitor(address, rules, 0).begin()  # kernels are loaded
                print(f"\n{rules}, {asked.visitors} visitors")
                for kind, spent in sorted(_measure(address, rules, asked).items()):
                    middle, most = np.percentile(spent, [50, 95])
                    words = f"median {middle:6.1f} ms, 95th percentile {most:6.1f} ms"
                    print(f"{kind:6} {len(spent):5} requests: {words}")
    return 0


def _measure(address: str, rules: str, asked: argparse.Namespace) -> dict[str, list[float]]:
    visitors = [_Visitor(address, rules, number) for number in range(asked.visitors)]
    threads = [threading.Thread(target=each.play, daemon=True) for each in visitors]
    for thread in threads:
        thread.start()
    while True:
        time.sleep(1)
        spent: dict[str, list[float]] = defaultdict(list)
        for visitor in visitors:
            for kind, milliseconds in list(visitor.spent):
                spent[kind].append(milliseconds)
        if min(len(spent[kind]) for kind in ("moves", "hint")) >= asked.requests:
            break
    for visitor in visitors:
        visitor.over = True
    for thread in threads:
        thread.join()
    return spent


class _Visitor:
    def __init__(self, address: str, rules: str, number: int) -> None:
        self.address, self.rules = address, rules
        self.rng = random.Random(f"{rules} {number}")
        self.spent: list[tuple[str, float]] = []
        self.over = False

    def play(self) -> None:
        time.sleep(30 * self.rng.random())
        while not self.over:
            self.play_once()

    def begin(self) -> tuple[dict[str, Any], list[str]]:
        """A deal as the table asks about it, and the moves of a win."""
        body = {"rules": self.rules, "band": self.rng.choice(_BANDS), "key": str(self.rng.random())}
        question = {"rules": self.rules, "deal": self._ask("deal", "deal", body)["deal"]}
        self._ask("hint", "hint", {**question, "moves": []})
        win = self._ask("", "solution", {**question, "moves": []})["moves"]
        return question, [each["name"] for each in win]

    def play_once(self) -> None:
        """Play a deal along a win, to its end or until it is over."""
        question, win = self.begin()
        line: list[str] = []
        for number, name in enumerate(win):
            if self.over:
                return
            time.sleep(self.rng.expovariate(1.0))
            if number % 5 == 4:
                self._ask("hint", "hint", {**question, "moves": line})
            line.append(name)
            self._ask("moves", "table", {**question, "moves": line})

    def _ask(self, kind: str, what: str, body: dict[str, Any]) -> dict[str, Any]:
        request = urllib.request.Request(
            f"{self.address}/api/board/{what}", json.dumps(body).encode()
        )
        began = time.perf_counter()
        with urllib.request.urlopen(request) as answer:
            found: dict[str, Any] = json.load(answer)
        if kind:
            self.spent.append((kind, 1000 * (time.perf_counter() - began)))
        return found


if __name__ == "__main__":
    sys.exit(main())
