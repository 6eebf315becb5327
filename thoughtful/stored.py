"""The catalogue: what is known of deals, as frames, and the jobs that find out more."""

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from engine.errors import BadInput
from engine.games import DEFAULT_RULESET
from thoughtful.dealing import Deal, path_of
from thoughtful.frames import REAL, TEXT, WHOLE, YES_NO, frame
from thoughtful.reading import rules_of, span, whole
from thoughtful.solutions import Solution

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

    from catalogue.reading.deal_detail import DealDetail
    from catalogue.store import Catalogue as Store

MOMENT = "datetime64[us, UTC]"
Span = int | tuple[int | None, int | None] | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two solvers on the deals that both have attempted.

    Attributes:
        ruleset: its slug.
        sample: the deals that were counted; None if there are none.
        first: the first solver, with its version.
        second: the second solver.
        n: number of deals.
        both: deals that both won.
        only_first: deals that only the first won.
        only_second: deals that only the second won.
        neither: deals that neither won.
        difference: of the shares won, first less second.
        low: low end of the 99 % interval of the difference.
        high: its high end.
        p_value: McNemar's exact test of whether they win equally often.
    """

    ruleset: str
    sample: str | None
    first: str
    second: str
    n: int
    both: int
    only_first: int
    only_second: int
    neither: int
    difference: float
    low: float
    high: float
    p_value: float


class Catalogue:
    """An open catalogue; close it, or use it in a ``with`` statement.

    Attributes:
        store: the catalogue of the package `catalogue`, for callers who need more.
    """

    def __init__(self, store: "Store") -> None:
        self.store = store

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self.store.close()

    def __repr__(self) -> str:
        return f"<Catalogue at {self.store.url}>"

    # What is known

    def sql(
        self, query: str, rules: str | None = None, *, sample: str | None = None
    ) -> "pd.DataFrame":
        """The rows that a query in SQL gives, over the tables of `thoughtful export`.

        Args:
            query: in the dialect of DuckDB, such as ``FROM outcomes WHERE length < 90``.
            rules: read only what is known under this ruleset, which is quicker.
            sample: read only deals of a sample, such as ``thoughtful-1:0-999``, which is quicker.

        Raises:
            BadInput: it is no query, names what does not exist, or fails.
        """
        from catalogue.tables.selection import Selection
        from catalogue.tables.sql import sql_tables
        from thoughtful.frames import frame_of_arrow

        with sql_tables(self.store, Selection.of(rules, sample=sample)) as found:
            return frame_of_arrow(found.query(query).read_all())

    def table(
        self,
        name: str,
        rules: str | None = None,
        *,
        status: str | None = None,
        sample: str | None = None,
        dealer: str | None = None,
    ) -> "pd.DataFrame":
        """A table of the catalogue, as `thoughtful export` writes it, in memory.

        Args:
            name: ``deals``, ``statuses``, ``outcomes``, ``solutions``, ``dead_ends``,
                ``difficulty``, ``puzzles``, ``regrets`` or ``bounds``.
            rules: only what is known under this ruleset.
            status: only deals that are ``winnable``, ``unwinnable`` or ``unresolved``.
            sample: only deals of a sample, such as ``thoughtful-1:0-999``.
            dealer: only deals of a dealer, or ``imported``.

        Returns:
            The columns that the README of an export explains, with nullable types.

        Raises:
            BadInput: there is no such table, ruleset, status, sample or dealer.
        """
        import pyarrow as pa

        from catalogue.tables.columns import tables
        from catalogue.tables.parts import Source
        from catalogue.tables.rows import read
        from catalogue.tables.selection import Selection
        from thoughtful.frames import frame_of_arrow

        known = tables()
        if name not in known:
            raise BadInput(f"unknown table {name!r}: expected one of {', '.join(known)}")
        wanted, table = Selection.of(rules, status, dealer, sample), known[name]
        with self.store.session() as session:
            batches = [each.rows for each in read(Source.of(session, wanted), [table])]
        return frame_of_arrow(pa.Table.from_batches(batches, schema=table.schema))

    def statuses(self, rules: str = DEFAULT_RULESET, **where: Any) -> "pd.DataFrame":
        """`table` of the deals with their statuses under a ruleset."""
        return self.table("statuses", rules, **where)

    def outcomes(self, rules: str = DEFAULT_RULESET, **where: Any) -> "pd.DataFrame":
        """`table` of every solver's outcomes under a ruleset."""
        return self.table("outcomes", rules, **where)

    def solution(self, deal: str | Deal, rules: str | None = None) -> Solution | None:
        """The shortest solution of a deal that is stored; None if none is.

        Raises:
            BadInput: there is no such deal.
        """
        ruleset = rules_of(deal.rules if isinstance(deal, Deal) else None, rules)
        detail = self._detail(deal, ruleset.slug)
        best = detail.best(ruleset.slug)
        if best is None or best.moves is None:
            return None
        start = Deal(detail.deal, ruleset.slug, detail.cards, detail.dealer, detail.seed).position
        return Solution(start, detail.game.unpack(best.moves))

    def deal(self, name: str | Deal, rules: str | None = None) -> "pd.DataFrame":
        """The outcomes of a deal, one row each.

        Returns:
            Columns: ``solver``, ``version``, ``result``, ``nodes``, ``cpu_ms``, ``length`` (of the
            solution), ``dead_end`` (its kind), ``stored_at``, ``follows_from`` (the ruleset under
            which the solver has found it, if it follows from there).

        Raises:
            BadInput: there is no such deal.
        """
        slug = rules_of(name.rules if isinstance(name, Deal) else None, rules).slug
        rows = [
            {
                "solver": each.solver,
                "version": each.version,
                "result": each.result,
                "nodes": each.nodes,
                "cpu_ms": each.cpu_ms,
                "length": each.length,
                "dead_end": None if each.dead_end is None else each.dead_end.kind,
                "stored_at": each.created_at,
                "follows_from": each.follows_from,
            }
            for each in self._detail(name, slug).outcomes
            if each.ruleset == slug
        ]
        types = {"solver": TEXT, "version": WHOLE, "result": TEXT, "nodes": WHOLE, "cpu_ms": REAL}
        return frame(rows, types | {"length": WHOLE, "dead_end": TEXT, "stored_at": MOMENT})

    def bounds(self, rules: str | None = None, sample: str | None = None) -> "pd.DataFrame":
        """The bounds of every sample, as `thoughtful bounds` prints them.

        Args:
            rules: only those under this ruleset.
            sample: the bounds of this sample, whether or not a job had it; needs `rules`.

        Returns:
            One row a sample: ``ruleset``, ``sample``, ``n`` (deals attempted from the first on
            without a gap), ``winnable`` and ``unwinnable`` of these, the shares ``lower`` and
            ``upper``, and the ends ``low`` and ``high`` of the 99 % interval of the true share, for
            a sample of this size; of a job that stops by the width of its interval, the wider band
            of `history`, which alone holds for any bound that is watched as it grows.

        Raises:
            BadInput: unknown ruleset, no sample, or a sample without a ruleset.
        """
        from catalogue.reading import bounds
        from engine.dealing.dealers import parse_sample

        if sample is not None and rules is None:
            raise BadInput("the bounds of a sample need a ruleset: give rules=")
        if rules is not None and sample is not None:
            points = [bounds.bounds_of(self.store, rules, parse_sample(sample))]
        else:
            points = bounds.latest(self.store, rules)
        rows = []
        for each in points:
            span = each.intervals().span if each.n else None
            rows.append(
                {
                    "ruleset": each.ruleset,
                    "sample": str(each.sample),
                    "n": each.n,
                    "winnable": each.winnable,
                    "unwinnable": each.unwinnable,
                    "lower": each.lower,
                    "upper": each.upper,
                    "low": 0.0 if span is None else span.low,
                    "high": 1.0 if span is None else span.high,
                }
            )
        types = {"ruleset": TEXT, "sample": TEXT, "n": WHOLE, "winnable": WHOLE}
        types |= {"unwinnable": WHOLE, **dict.fromkeys(("lower", "upper", "low", "high"), REAL)}
        return frame(rows, types)

    def history(self, rules: str, sample: str) -> "pd.DataFrame":
        """How the bounds of a sample grew, with the band of the 99 % confidence sequence.

        Returns:
            Columns: ``stored_at``, ``job_id``, ``n``, ``winnable``, ``unwinnable``,
            ``unresolved``, ``lower``, ``upper``; ``low`` and ``high``, the ends of the band, which
            holds for all n at once and is wider than the interval of `bounds`.

        Raises:
            BadInput: unknown ruleset, or no sample.
        """
        from catalogue.reading.bounds import history_frame
        from engine.dealing.dealers import parse_sample

        found = history_frame(self.store, rules, parse_sample(sample))
        types = {"n": WHOLE, "winnable": WHOLE, "unwinnable": WHOLE, "unresolved": WHOLE}
        types |= dict.fromkeys(("lower", "upper", "low", "high"), REAL)
        return found.astype(types)

    def plot_bounds(self, rules: str, sample: str) -> "alt.LayerChart":
        """A chart of `history`: lower and upper bound within their band; notebooks show it.

        Raises:
            BadInput: unknown ruleset, no sample, or no job has recorded bounds of it.
        """
        from thoughtful.drawing import chart_of_bounds

        grown = self.history(rules, sample)
        if grown.empty:
            raise BadInput(f"no job has recorded bounds of {sample} under {rules}")
        return chart_of_bounds(grown)

    def compare(
        self, first: str, second: str, rules: str = DEFAULT_RULESET, sample: str | None = None
    ) -> Comparison:
        """Compare two solvers on the deals that both have attempted.

        Raises:
            BadInput: unknown ruleset, sample or solver, or one without an outcome.
        """
        from catalogue.reading.comparison import compare
        from engine.dealing.dealers import parse_sample

        wanted = None if sample is None else parse_sample(sample)
        found = compare(self.store, rules, first, second, wanted)
        wins = found.wins
        return Comparison(
            found.ruleset,
            None if found.sample is None else str(found.sample),
            str(found.first),
            str(found.second),
            wins.n,
            wins.both,
            wins.only_first,
            wins.only_second,
            wins.neither,
            wins.difference,
            wins.interval.low,
            wins.interval.high,
            wins.p_value,
        )

    # Difficulty

    def find(
        self,
        rules: str = DEFAULT_RULESET,
        *,
        level: Span = None,
        length: Span = None,
        critical: Span = None,
        critical_before: int | None = None,
        needs: str | None = None,
        dealer: str | None = None,
        count: int = 20,
        after: str | None = None,
    ) -> "pd.DataFrame":
        """Winnable deals that match, as `thoughtful find` lists them.

        Args:
            rules: the ruleset.
            level: one of 1 to 10, or a pair of the smallest and the largest.
            length: moves of the solution, in the same way.
            critical: number of its critical moments, in the same way.
            critical_before: the first critical moment comes before this move.
            needs: option of the ruleset without which the deal cannot be won.
            dealer: only deals of this dealer.
            count: deals at most.
            after: name of a deal after which to go on.

        Returns:
            One row a deal; the columns are those of `thoughtful find --json`.

        Raises:
            BadInput: a value that is not possible.
        """
        from catalogue.difficulty.reading import DealConditions, find
        from engine.dealing.dealers import get_dealer, parse_deal_id
        from engine.rulesets import parse_ruleset

        wanted = DealConditions(
            parse_ruleset(rules).slug,
            None if dealer is None else get_dealer(dealer).slug,
            span(level, "level", 0, 1_000_000),
            span(length, "length", 0, 1_000_000),
            span(critical, "critical", 0, 1_000_000),
            critical_before,
            needs,
        )
        whole(count, "count", 1, 1_000_000)
        if critical_before is not None:
            whole(critical_before, "critical_before", 1, 10_000)
        place = None
        if after is not None:
            last, seed = parse_deal_id(after)
            place = last.slug, seed
        return _graded(find(self.store, wanted, count, place).deals)

    def difficulty(self, deal: str | Deal, rules: str | None = None) -> "pd.DataFrame":
        """How hard a deal is: one row, or none if its features are not known; see `find`.

        Raises:
            BadInput: it is no name of a deal.
        """
        from catalogue.difficulty.reading import graded
        from engine.dealing.dealers import parse_deal_id

        ruleset = rules_of(deal.rules if isinstance(deal, Deal) else None, rules)
        dealer, seed = parse_deal_id(deal.name if isinstance(deal, Deal) else deal)
        found = graded(self.store, ruleset.game, dealer.slug, seed)
        return _graded([each for each in found if each.ruleset == ruleset.slug])

    # Jobs

    def submit(
        self,
        sample: str,
        rules: str = DEFAULT_RULESET,
        solvers: str | Sequence[str] = (),
        *,
        keep: str = "everything",
        priority: int | None = None,
        until: dict[str, float] | None = None,
        infer: bool = False,
    ) -> int:
        """Queue a job that solves deals, and return its number; `run` works on it.

        Args:
            sample: the deals, such as ``thoughtful-1:0-999``.
            rules: the ruleset.
            solvers: one, or several in the order in which they run; by default that of `solve`.
            keep: ``everything``, or ``verdicts``.
            priority: jobs with a higher priority run first.
            until: rules by which it stops early: ``width`` (percentage points), ``cpu_hours`` or
                ``deals``.
            infer: whether deals are not solved whose outcomes follow from those under other
                rulesets.

        Raises:
            BadInput: a value that is not possible.
        """
        from catalogue.jobs.queue import submit
        from engine.dealing.dealers import parse_sample
        from engine.rulesets import parse_ruleset
        from solvers.choice import default_solver

        wanted = [solvers] if isinstance(solvers, str) else list(solvers)
        wanted = wanted or [str(default_solver(parse_ruleset(rules)))]
        return submit(
            self.store,
            rules,
            parse_sample(sample),
            wanted,
            keep=keep,
            priority=priority,
            until=until,
            infer=infer,
        )

    def run(
        self,
        *jobs: int,
        workers: int | None = None,
        on_progress: Callable[[int, int, int], None] | None = None,
    ) -> int:
        """Work on open jobs until none is left, in processes of this machine.

        Args:
            jobs: only these; by default all.
            workers: number of processes; by default one a core.
            on_progress: called with a job's number, the outcomes done, and their total.

        Returns:
            The number of jobs that were completed.

        Raises:
            BadInput: the catalogue does not respond; or a script without a guard would start
                processes.
        """
        from catalogue.jobs import runner

        if workers is not None:
            whole(workers, "workers", 1, 1024)
        progress = on_progress
        return runner.run(
            self.store,
            workers=workers,
            only=jobs or None,
            on_progress=None
            if progress is None
            else lambda job: progress(job.id, job.done, job.total),
        )

    def jobs(self) -> "pd.DataFrame":
        """All jobs, oldest first, with the columns of `thoughtful job list --json`."""
        from catalogue.jobs.queue import list_jobs

        names = {"job": WHOLE, "kind": TEXT, "ruleset": TEXT, "sample": TEXT, "solvers": TEXT}
        names |= {"state": TEXT, "priority": WHOLE, "done": WHOLE, "total": WHOLE, "rate": REAL}
        names |= {"eta_seconds": REAL, "cpu_ms": REAL, "error": TEXT, "stalled": YES_NO}
        names |= dict.fromkeys(("created_at", "started_at", "finished_at"), MOMENT)
        rows = [
            {name: getattr(job, name) for name in names if name != "job"}
            | {"job": job.id, "sample": str(job.sample), "solvers": " ".join(job.solvers)}
            for job in list_jobs(self.store)
        ]
        return frame(rows, names)

    def pause(self, job: int) -> None:
        """Have a job wait until it is resumed."""
        from catalogue.jobs.queue import pause

        pause(self.store, _number(job))

    def resume(self, job: int) -> None:
        """Queue a paused job again."""
        from catalogue.jobs.queue import resume

        resume(self.store, _number(job))

    def cancel(self, job: int) -> None:
        """End a job; what is stored stays."""
        from catalogue.jobs.queue import cancel

        cancel(self.store, _number(job))

    def retry(self, job: int) -> int:
        """Queue the failed shards of a job again, and return their number."""
        from catalogue.jobs.queue import retry

        return retry(self.store, _number(job))

    def prioritise(self, job: int, priority: int) -> None:
        """Change the priority of a job."""
        from catalogue.jobs.queue import set_priority

        set_priority(self.store, _number(job), priority)

    # In and out

    def import_deals(
        self, file: str | os.PathLike[str], rules: str = DEFAULT_RULESET, form: str | None = None
    ) -> "pd.DataFrame":
        """Bring the deals of a file into the catalogue; good entries are kept.

        Args:
            file: its path.
            rules: the ruleset, which determines the game.
            form: the format; by default that of each entry is detected.

        Returns:
            The entries that could not be read, one a row: ``line``, ``reason``, ``text``. Its
            ``attrs`` hold the counts ``read``, ``kept``, ``new`` and ``wrong``.

        Raises:
            BadInput: the file cannot be read, or the catalogue not be written to.
        """
        from catalogue.intake.deals import import_deals
        from engine.intake import WrongEntry, read_entries
        from engine.rulesets import parse_ruleset

        ruleset, path = parse_ruleset(rules), path_of(file)
        wrong: list[WrongEntry] = []
        try:
            with path.open("rb") as stream:
                counts = import_deals(
                    self.store,
                    read_entries(stream, ruleset, form, asked=False),
                    ruleset,
                    on_wrong=wrong.append,
                )
        except OSError as error:
            raise BadInput(f"cannot read {path}: {error.strerror}") from None
        found = frame(map(asdict, wrong), {"line": WHOLE, "reason": TEXT, "text": TEXT})
        found.attrs |= asdict(counts)
        return found

    def export(
        self,
        directory: str | os.PathLike[str],
        rules: str | None = None,
        *,
        form: str = "parquet",
        status: str | None = None,
        sample: str | None = None,
        dealer: str | None = None,
        overwrite: bool = False,
    ) -> dict[str, int]:
        """Write all tables to files, and return the number of rows of each; see `table`.

        Raises:
            BadInput: a value that is not possible, or a directory that may not be written to.
        """
        from catalogue.tables.export import export
        from catalogue.tables.selection import Selection

        written = export(
            self.store,
            path_of(directory),
            format=form,
            selection=Selection.of(rules, status, dealer, sample),
            overwrite=overwrite,
        )
        return written.rows

    def build_dataset(
        self,
        name: str,
        directory: str | os.PathLike[str] | None = None,
        *,
        rules: str | Sequence[str] = (),
        sample: str | None = None,
        form: str = "parquet",
        version: str = "1.0.0",
        authors: Sequence[str] = (),
        contact: str | None = None,
    ) -> str:
        """Build a dataset to publish, and return its directory; see `docs/datasets.md`.

        Raises:
            BadInput: a value that is not possible, nothing to write, or a directory in use.
        """
        from catalogue.datasets.building import build
        from engine.dealing.dealers import parse_sample

        built = build(
            self.store,
            name,
            None if directory is None else path_of(directory),
            rulesets=[rules] if isinstance(rules, str) else rules,
            sample=None if sample is None else parse_sample(sample),
            format=form,
            version=version,
            authors=authors,
            contact=contact,
        )
        return str(built.directory)

    def verify(self, share: float = 0.1, seed: int | None = None) -> list[str]:
        """Recompute a share of what is stored, and return the faults, none if it is sound.

        Raises:
            BadInput: a share or a seed that is not possible.
        """
        from catalogue.verify.running import verify

        return [str(fault) for fault in verify(self.store, share=share, seed=seed).faults]

    def _detail(self, deal: str | Deal, rules: str) -> "DealDetail":
        from catalogue.reading.deal_detail import deal_detail
        from engine.games import game_of
        from engine.rulesets import parse_ruleset

        name = deal
        if isinstance(deal, Deal):
            name = deal.digest if deal.dealer is None else f"{deal.dealer}:{deal.seed}"
        return deal_detail(self.store, str(name), game_of(parse_ruleset(rules)))


def catalogue(url: str | None = None, *, create: bool = False) -> Catalogue:
    """Open a catalogue.

    Args:
        url: its address, such as ``sqlite:///deals.db``; by default that of the settings.
        create: create it, or upgrade it to the schema of this program, if necessary.

    Raises:
        BadInput: it cannot be reached, was never created, or has another schema.
    """
    from catalogue import store

    if url is not None and not isinstance(url, str):
        raise BadInput(f"expected an address such as sqlite:///deals.db, not {url!r}")
    if create:
        store.init(url)
    return Catalogue(store.open_catalogue(url))


def _number(job: int) -> int:
    return whole(job, "job", 1, 2**31 - 1)


def _graded(deals: Sequence[Any]) -> "pd.DataFrame":
    types = {
        **{"deal": TEXT, "ruleset": TEXT, "level": WHOLE, "name": TEXT},
        **{"difficulty": REAL, "deviation": REAL, "level_low": WHOLE, "level_high": WHOLE},
        **{"games": WHOLE, "nodes": WHOLE, "length": WHOLE, "winning_share": REAL},
        **{"choices": WHOLE, "critical": WHOLE, "first_critical": WHOLE, "luck": REAL},
        **{"luck_error": REAL, "luck_most": REAL, "needs": TEXT, "dealer": TEXT, "seed": WHOLE},
        **{"version": WHOLE},
    }
    rows = [
        {**asdict(each), "name": each.name or None, "needs": " ".join(each.needs)} for each in deals
    ]
    return frame(rows, types)
