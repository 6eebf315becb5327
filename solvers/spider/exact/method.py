"""`spider-exact`: decide a hand or a mid-game position of Spider with all cards known.

Beams of growing width look for a win (`solvers.spider.exact.beam`), and between them a complete
search (`solvers.spider.exact.depth`) goes on, which alone proves that there is none. Beams win
nearly every hand; what is late enough the complete search decides.
"""

# mypy: allow-untyped-calls

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiling import Part, solving_time_ns
from engine.spider.deal import CARDS, COLUMNS, DECKS, ROWS, SpiderDeal
from engine.spider.referee import SpiderPosition
from engine.spider.rules import SpiderRules
from solvers.method import Method, Parameter, Values
from solvers.outcome import Outcome, Result
from solvers.spider.exact import beam as beams
from solvers.spider.exact import depth as depths
from solvers.spider.exact.shorter import new_work, shorten
from solvers.spider.exact.table import lay_position
from solvers.spider.games import packed

# Positions that the first complete search may enter and that the narrowest beam holds, and how many
# times more each further one has.
_IN_DEPTH, _WIDTH, _MORE = 200, 16, 4
_MIB = 1 << 20
# Most moves of a line that is shortened; a beam's are fewer.
_LONGEST = 4096


class _HandSearch:
    """The search of one position."""

    def __init__(self, position: SpiderPosition, values: Values) -> None:
        self.position = position
        self.onto_empty = position.rules.deal_onto_empty
        self.nodes: int = values["nodes"]
        self.memory = values["memory_mib"] * _MIB
        self.rows = np.zeros((ROWS, COLUMNS), dtype=np.int8)
        self.depth = depths.new_depth(_IN_DEPTH)
        lay_position(position, self.depth.tables, self.rows)
        depths.begin(self.depth, self.rows, self.onto_empty)
        self.in_depth, self.in_beams = 1, 0
        self.line = np.zeros(0, dtype=np.int64)

    @property
    def spent(self) -> int:
        """Positions so far."""
        return self.in_depth + self.in_beams

    def run(self) -> Result:
        """Search until the position is decided or the budget is spent."""
        most, width, salt = _IN_DEPTH, _WIDTH, 0
        while True:
            ending = self.go_deeper(min(most, self.nodes - self.in_beams))
            if ending == depths.WON:
                return Result.WON
            if ending == depths.UNWINNABLE:
                return Result.UNWINNABLE
            if self.spent >= self.nodes:
                return Result.GAVE_UP
            before = self.in_beams
            if self._wins_with_beam(width, salt):
                return Result.WON
            held_all = self.in_beams - before <= width
            if self.spent >= self.nodes or (ending == depths.FULL and held_all):
                return Result.GAVE_UP
            # The widest beam that the memory allows is tried again with other random parts.
            width *= _MORE if beams.BYTES * width * _MORE <= self.memory else 1
            most, salt = most * _MORE, salt + 1

    def go_deeper(self, most: int) -> int:
        """Go on with the complete search until it has entered a number of positions."""
        while True:
            ending = int(depths.go_on(self.depth, self.rows, self.onto_empty, most))
            self.in_depth = int(self.depth.state[depths.ENTERED])
            if ending == depths.WON:
                self.line = self.depth.path[1 : self.depth.state[depths.PATH]].copy()
            if ending != depths.FULL or 2 * depths.size_of(self.depth) > self.memory:
                return ending
            self.depth = depths.with_more_room(self.depth)

    def _wins_with_beam(self, width: int, salt: int) -> bool:
        """Search with a beam."""
        beam = beams.new_beam(width)
        lay_position(self.position, beam.tables, self.rows)
        most = self.nodes - self.spent
        ending, node, held = beams.search_beam(beam, self.rows, self.onto_empty, salt, most)
        self.in_beams += int(held)
        if ending != beams.WON:
            return False
        line = np.zeros(_LONGEST, dtype=np.int64)
        self.line = line[: beams.trace(beam.nodes, node, line)]
        return True

    def shorter_line(self) -> NDArray[np.int64]:
        """The line of the win, shortened where it is short enough for that."""
        length = len(self.line)
        if length > _LONGEST:
            return self.line
        work = new_work(length)
        lay_position(self.position, work.tables, self.rows)
        return self.line[: shorten(work, self.rows, self.onto_empty, self.line, length)]


def complete_search(position: SpiderPosition, nodes: int) -> int:
    """The ending of the complete search alone, see `solvers.spider.exact.depth`."""
    return _HandSearch(position, {"nodes": nodes, "memory_mib": 64}).go_deeper(nodes)


def _solve_position(
    position: SpiderPosition, values: Values, *, with_moves: bool = True
) -> Outcome:
    since = solving_time_ns()
    search = _HandSearch(position, values)
    result = search.run()
    moves = None
    if with_moves and result is Result.WON:
        moves = packed(search.shorter_line())
    return Outcome(result, search.spent, (solving_time_ns() - since) / 1e6, moves)


def _decide_position(position: SpiderPosition, values: Values) -> Result:
    return _solve_position(position, values, with_moves=False).result


def _starts(deals: NDArray[np.uint8], rules: SpiderRules) -> Iterator[SpiderPosition]:
    for deal in deals:
        yield SpiderPosition.start(SpiderDeal.of(deal), rules)


def _solve(deals: NDArray[np.uint8], rules: SpiderRules, values: Values) -> list[Outcome]:
    return [_solve_position(start, values) for start in _starts(deals, rules)]


def _decide(deals: NDArray[np.uint8], rules: SpiderRules, values: Values) -> list[Outcome]:
    return [_solve_position(start, values, with_moves=False) for start in _starts(deals, rules)]


def _warm_up() -> None:
    """Call all kernels: a won position, and one that is searched in depth and shortened."""
    values = {"nodes": 5_000, "memory_mib": 8}
    _solve(np.arange(CARDS, dtype=np.uint8)[None] // DECKS, SpiderRules(1), values)


PART = Part(
    "solvers.spider.exact.method:PART",
    (depths.begin, depths.go_on, depths.enter_all, beams.search_beam, beams.trace, shorten),
    _warm_up,
)

METHOD = Method(
    slug="spider-exact",
    version=1,
    summary="Beams of growing width and a complete search: wins nearly every hand with all cards "
    "known, and decides late positions.",
    game="spider",
    sees="deal",
    source=None,
    parameters=(
        Parameter("nodes", 50_000_000, 1, 10**12, "positions before giving up"),
        Parameter("memory_mib", 512, 8, 65_536, "MiB for positions before giving up"),
    ),
    rulesets="Spider",
    plays=lambda rules: True,
    chunk=20,
    solve=_solve,
    solve_position=_solve_position,
    decide=_decide,
    decide_position=_decide_position,
    decides=True,
    reference={"nodes": 100_000},
    warm_up={"nodes": 5_000, "memory_mib": 8},
    parts=(PART,),
)
