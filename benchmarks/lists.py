"""Whether lists of winnable deals are right, whether their readers agree, and how large they are.

    python benchmarks/lists.py verdicts --deals 1000 --workers 2
    python benchmarks/lists.py readers --seeds 1000000
    python benchmarks/lists.py memory --deals 1000000

`verdicts` draws a range of seeds of PySolFC at random, so that nobody has been told the answer, and
has `thoughtful list` write PySolFC's list of it in a process of its own, without a catalogue. The
file is then run as Python, as PySolFC would, and held against what is found here: for each listed
seed a win that the plain referee replays, for each other seed a proof of `exact`, a second one of
`exact` with other limits of memory, and one of `exact-plain`, which shares no code with it, within
`--nodes`.

`readers` writes binary lists of a range through the real writer, from grades drawn at random (to
solve so many deals takes hours), and has the readers in `docs/readers/` go through all seeds one by
one. It prints whether they agree, and the bytes a deal of each format, as they are and packed by
gzip.

`memory` fills a catalogue with synthetic outcomes (`measuring.large`), and prints the peak of
resident memory of `thoughtful list --stored` for a tenth of the deals and for all, in each format.
"""

import argparse
import gzip
import json
import os
import secrets
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from zlib import crc32

import numpy as np

from catalogue import store
from catalogue.blocks import VERDICTS
from catalogue.lists.forms import FORMS
from catalogue.lists.grades import UNGRADED, UNRESOLVED, Grades, listed, undecided
from catalogue.lists.header import ListHeader, header_of
from catalogue.lists.spool import Spool
from engine.dealing.dealers import Sample, get_dealer
from engine.game import Rules
from engine.games import game_of
from engine.proof import check_wins
from engine.replay import replay
from engine.rulesets import parse_ruleset
from measuring.large import DEALER, fill
from measuring.process import ROOT
from solvers.outcome import Outcome, Result
from solvers.solver import parse_solver

# PySolFC's own generator deals from this seed on; a range is drawn among so many seeds.
_FIRST, _AMONG = 32_001, 10**9
_READERS = ROOT / "docs" / "readers"


def listing(*arguments: str, url: str) -> tuple[float, float]:
    """Run `thoughtful list` in a process of its own: peak of resident memory in MiB, seconds."""
    command = [sys.executable, "-m", "thoughtful", "list", *arguments]
    began = time.perf_counter()
    process = subprocess.Popen(
        command, env={**os.environ, "THOUGHTFUL_DATABASE_URL": url}, cwd=ROOT
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"the list ended with status {status}")
    return usage.ru_maxrss / 1024, time.perf_counter() - began


def verdicts(rules: Rules, deals: int, nodes: int, workers: int, first: int | None) -> bool:
    """Check PySolFC's list of a range both ways; whether it is right."""
    start = _FIRST + secrets.randbelow(_AMONG) if first is None else first
    sample = Sample("pysolfc", start, deals)
    with TemporaryDirectory() as folder:
        path = Path(folder, "seeds.py")
        arguments = ["--rules", rules.slug, "--dealer", sample.dealer, "--format", "pysolfc"]
        arguments += ["--seeds", f"{sample.first}-{sample.last}", "--output", str(path)]
        _, seconds = listing(
            *arguments, "--workers", str(workers), url=f"sqlite:///{folder}/none.db"
        )
        space: dict[str, tuple[int, ...]] = {}
        exec(path.read_text(), {}, space)
        covering = path.read_text().partition("covering ")[2].partition(".")[0]
    seeds = space["SOLVABLE_SEEDS"]
    print(f"{sample} under {rules.slug}: {len(seeds):,} seeds listed, covering {covering}")
    print(f"made in {seconds:.0f} s with {workers} processes")
    known = set(seeds)
    others = [seed for seed in sample.seeds if seed not in known]
    right = covering == f"{sample.first}-{sample.last}" and len(known) == len(seeds)
    right &= known <= set(sample.seeds)
    wins = solved(rules, seeds, "exact")
    proved = _replayed(rules, seeds, wins)
    print(f"listed seeds with a win that the plain referee replays: {proved:,} of {len(seeds):,}")
    right &= proved == len(seeds)
    for name in ("exact", "exact(memory_mib=64)", f"exact-plain(nodes={nodes})"):
        results = Counter(outcome.result for outcome in solved(rules, others, name))
        answer = ", ".join(f"{number:,} {result.value}" for result, number in results.items())
        print(f"{len(others):,} other seeds by {parse_solver(name)}: {answer}")
        right &= Result.WON not in results
        if name == "exact":
            right &= results[Result.UNWINNABLE] == len(others)
    print(f"right both ways: {right}")
    return right


def solved(rules: Rules, seeds: "tuple[int, ...] | list[int]", name: str) -> list[Outcome]:
    """Solve seeds of PySolFC, some at a time."""
    solver, dealer, game = parse_solver(name), get_dealer("pysolfc"), game_of(rules)
    cards = [dealer.deal_block(seed, 1, game)[0] for seed in seeds]
    found: list[Outcome] = []
    for at in range(0, len(cards), 100):
        found += solver.solve(np.stack(cards[at : at + 100]), rules)
    return found


def _replayed(rules: Rules, seeds: tuple[int, ...], outcomes: list[Outcome]) -> int:
    """The number of seeds with a win that the plain referee replays move by move."""
    game, count = game_of(rules), 0
    for seed, outcome in zip(seeds, outcomes, strict=True):
        if outcome.moves is None:
            continue
        deal = get_dealer("pysolfc").deal(seed, game)
        end = replay(game.start(deal, rules), game.unpack(outcome.moves))
        (reason,) = check_wins(game, np.array([deal.as_array()]), rules, [outcome.moves])
        count += end.is_won and reason is None
    return count


def drawn_grades(count: int) -> Grades:
    """Grades drawn at random: 18 % unwinnable, 0.1 % unresolved, 1 % winnable without a level."""
    rng = np.random.default_rng(19)
    grades = rng.integers(1, 11, count).astype(np.uint8)
    chance = rng.random(count)
    grades[chance < 0.18] = 0
    grades[chance > 0.989] = UNGRADED
    grades[chance > 0.999] = UNRESOLVED
    return grades


def _lines(header: ListHeader, grades: Grades) -> str:
    """What each reader sums up, found here from the grades."""
    words = np.where(listed(grades, header.levels), "yes", "no")
    words = np.where(undecided(grades), "unknown", words)
    return "".join(
        f"{seed} {word} {grade}\n"
        for seed, word, grade in zip(
            range(header.first_seed, header.last_seed + 1),
            words.tolist(),
            grades.tolist(),
            strict=True,
        )
    )


def readers(rules: Rules, seeds: int) -> bool:
    """Have all readers read all seeds; print bytes a deal; whether the readers agree."""
    grades, agree = drawn_grades(seeds), True
    sample = Sample("pysolfc", 1_000_000, seeds)
    with TemporaryDirectory() as folder:
        compiled = str(Path(folder, "winnable_list"))
        source = str(_READERS / "winnable_list.c")
        subprocess.run(["cc", "-std=c99", "-O2", "-o", compiled, source], check=True)
        commands = {
            "Python": [sys.executable, str(_READERS / "winnable_list.py")],
            "JavaScript": ["node", str(_READERS / "winnable_list.mjs")],
            "C": [compiled],
        }
        for levels in (None, (3, 5)):
            header = header_of(rules, sample, levels, ("exact v6",))
            with Spool(sample.first, sample.count) as spool:
                spool.put(sample.first, grades)
                sizes = {name: _written(name, header, spool, folder) for name in FORMS}
            wanted = f"{seeds} seeds, crc32 {crc32(_lines(header, grades).encode()):08x}"
            print(f"\n{sample}, levels {levels or 'all'}; written: {wanted}")
            for name, command in commands.items():
                began = time.perf_counter()
                path = str(Path(folder, "list.binary"))
                answer = subprocess.run(
                    [*command, "--digest", path], capture_output=True, text=True, check=True
                ).stdout.strip()
                agree &= answer == wanted
                print(f"  {name:<12} {answer}  {time.perf_counter() - began:.1f} s")
            print("  | format | bytes | bytes a deal | by gzip | bytes a deal by gzip |")
            print("  |---|--:|--:|--:|--:|")
            for name, (plain, small) in sizes.items():
                print(
                    f"  | {name} | {plain:,} | {plain / seeds:.3f} | {small:,} | "
                    f"{small / seeds:.3f} |"
                )
    print(f"all readers agree: {agree}")
    return agree


def _written(name: str, header: ListHeader, spool: Spool, folder: str) -> tuple[int, int]:
    """Write a list; bytes of the file, and packed by gzip."""
    path = Path(folder, f"list.{name}")
    with path.open("wb") as out:
        FORMS[name].write(header, spool, out)
    raw = path.read_bytes()
    return len(raw), len(gzip.compress(raw, 9, mtime=0))


def memory(rules: Rules, deals: int) -> bool:
    """Print the peak of resident memory for a tenth of the deals and for all."""
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/large.db"
        store.init(url)
        with store.open_catalogue(url) as cat:
            fill(cat, rules.slug, deals, VERDICTS, 2_000)
        print("| format | deals | peak MiB | seconds | listed |")
        print("|---|--:|--:|--:|--:|")
        for name in FORMS:
            if name == "pysolfc":
                continue  # the catalogue has deals of our own dealer
            for count in (deals // 10, deals):
                path = Path(folder, "list")
                arguments = ["--rules", rules.slug, "--dealer", DEALER, "--format", name]
                arguments += ["--seeds", f"0-{count - 1}", "--stored", "--output", str(path)]
                peak, seconds = listing(*arguments, url=url)
                command = [sys.executable, "-m", "thoughtful", "list", "--read", str(path)]
                answer = subprocess.run(
                    [*command, "--json"], capture_output=True, check=True, cwd=ROOT
                )
                found = json.loads(answer.stdout)["listed"]
                print(
                    f"| {name} | {count:,} | {peak:.0f} | {seconds:.1f} | {found:,} |", flush=True
                )
    return True


def main() -> int:
    """Measure one thing; the exit code is 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("verdicts", "readers", "memory"))
    parser.add_argument("--rules", default="klondike-draw3")
    parser.add_argument("--deals", type=int, default=1_000)
    parser.add_argument("--first", type=int, help="first seed of `verdicts`; drawn if not given")
    parser.add_argument("--seeds", type=int, default=1_000_000)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    rules = parse_ruleset(given.rules)
    if given.what == "verdicts":
        right = verdicts(rules, given.deals, given.nodes, given.workers, given.first)
    elif given.what == "readers":
        right = readers(rules, given.seeds)
    else:
        right = memory(rules, given.deals)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
