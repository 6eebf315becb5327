"""The rows of `verification`: what was checked, when and with what result, to go on and to show."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.exc import DBAPIError

from catalogue.database import reason_of
from catalogue.outcomes import ledger
from catalogue.outcomes.names import store_seal
from catalogue.outcomes.provenance import this_provenance
from catalogue.schema import VerificationRow
from catalogue.settings import check_writable
from catalogue.store import Catalogue
from catalogue.verify.checks import CHECKS
from catalogue.verify.context import CheckOptions, Findings
from catalogue.verify.report import VerificationReport
from catalogue.verify.shards import CheckShard
from engine.errors import BadInput

# A verification that has stored nothing for so long is not running any more.
_SILENT = timedelta(seconds=60)


class Record:
    """The row of a verification.

    Attributes:
        number: its id.
        options: of the verification.
    """

    def __init__(
        self,
        cat: Catalogue,
        number: int,
        options: CheckOptions,
        started_at: datetime,
        stored: Mapping[str, Any] | None = None,
    ) -> None:
        self.cat = cat
        self.number = number
        self.options = options
        self.started_at = started_at
        self._stored = stored

    @classmethod
    def begin(cls, cat: Catalogue, options: CheckOptions) -> "Record | str":
        """Add a row; if the database cannot be written to, return why."""
        started_at = datetime.now(UTC)
        row = VerificationRow(
            state="running",
            options={**asdict(options), "provenance": asdict(this_provenance())},
            started_at=started_at,
            finished_at=None,
            progress={"at": started_at.isoformat()},
            checked={"checked": {}, "sampled": {}},
            faults=0,
            findings={"faults": []},
        )
        try:
            check_writable()
            with cat.begin() as session:
                session.add(row)
                session.flush()
                number = row.id
                store_seal(session, VerificationRow, number)
                entry = {"id": number, "started_at": started_at}
                ledger.add(session, "verification", entry)
        except (BadInput, DBAPIError) as error:
            return f"the report is not stored: {reason_of(error)}"
        return cls(cat, number, options, started_at)

    @classmethod
    def open_last(cls, cat: Catalogue) -> "Record":
        """The last verification, to go on with it.

        Raises:
            BadInput: there is none, it is done, it is still running, or another version began it.
        """
        with cat.session() as session:
            row = _last(session)
            if row is None:
                raise BadInput("there is no verification to go on with: run `thoughtful verify`")
            values = dict(row)
        if values["state"] == "done":
            raise BadInput("the last verification is done: `thoughtful verify` begins another")
        silent = datetime.now(UTC) - datetime.fromisoformat(values["progress"]["at"])
        if values["state"] == "running" and silent < _SILENT:
            raise BadInput(
                f"the last verification stored how far it is {silent.seconds} s ago, so it may "
                f"still be running: try again in {_SILENT.seconds} s"
            )
        names = CheckOptions.__dataclass_fields__.keys()
        checks = {*values["options"].get("only", ()), *(values["progress"].get("last") or ())[:1]}
        if names - values["options"].keys() or checks - {check.name for check in CHECKS}:
            raise BadInput(
                "the last verification was begun by another version of the program: `thoughtful "
                "verify` begins another"
            )
        options = CheckOptions(**{name: values["options"][name] for name in names})
        return cls(cat, values["id"], options, values["started_at"], values)

    def before(self) -> tuple[Findings, CheckShard | None]:
        """The findings stored so far, and the last shard done."""
        stored = self._stored
        if stored is None:
            return Findings(), None
        report, progress = VerificationReport.read(stored), stored["progress"]
        last = progress.get("last")
        if last is None:  # nothing was done, or by an earlier version, which went another way
            return Findings(), None
        found = Findings(
            Counter(report.checked),
            Counter({kind: each.of for kind, each in report.sampled.items()}),
            Counter({kind: each.wrong for kind, each in report.sampled.items()}),
            list(report.faults),
            report.found,
            list(report.remarks),
            progress["sums"],
        )
        check, part, until = last
        return found, CheckShard(check, part, until=None if until is None else tuple(until))

    def save(
        self, report: VerificationReport, found: Findings, last: CheckShard | None
    ) -> str | None:
        """Store how far it is; if that fails, return why."""
        progress: dict[str, Any] = {"at": datetime.now(UTC).isoformat()}
        if report.state != "done" and last is not None:
            progress |= {"last": [last.check, last.part, last.until], "sums": found.sums}
        values = {
            "state": report.state,
            "finished_at": report.finished_at,
            "progress": progress,
            "checked": {
                "checked": report.checked,
                "sampled": {k: [s.of, s.checked, s.wrong] for k, s in report.sampled.items()},
            },
            "faults": report.found,
            "findings": {
                "faults": [[f.kind, f.where, f.what] for f in report.faults],
                "remarks": list(report.remarks),
            },
        }
        try:
            with self.cat.begin() as session:
                session.execute(
                    update(VerificationRow)
                    .where(VerificationRow.id == self.number)
                    .values(**values)
                )
                store_seal(session, VerificationRow, self.number)
        except (BadInput, DBAPIError) as error:
            return f"the report is not stored: {reason_of(error)}"
        return None


def last_report(cat: Catalogue) -> VerificationReport | None:
    """The report of the last verification; None if there was none."""
    with cat.session() as session:
        row = _last(session)
        return None if row is None else VerificationReport.read(dict(row))


def _last(session: Any) -> Any:
    table = VerificationRow.__table__
    return session.execute(select(table).order_by(table.c.id.desc()).limit(1)).mappings().first()
