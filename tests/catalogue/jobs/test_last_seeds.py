"""The last seeds that there are, 2^63 − 1 the very last: everything works on them as on others."""

from pathlib import Path

import pytest

from catalogue import store
from catalogue.jobs import runner
from catalogue.jobs.queue import list_jobs, submit
from catalogue.reading.deal_filter import DealFilter
from catalogue.reading.deal_list import list_deals
from catalogue.schema import MAX_STORED_SEED
from catalogue.verify.running import verify
from engine.dealing.dealers import Sample, parse_sample
from engine.errors import BadInput
from thoughtful import command_line

FEW = 6
LAST = Sample("thoughtful-1", MAX_STORED_SEED - FEW + 1, FEW)


@pytest.mark.usefixtures("jobs_here")
def test_everything_works_on_the_last_seeds(
    catalogue: store.Catalogue,
    scheduler: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    database = catalogue.engine.url.render_as_string(hide_password=False)

    def command(*words: str) -> str:
        capsys.readouterr()
        code = command_line.run((*words, "--database", database))
        printed = capsys.readouterr()
        assert code == 0, (words, printed)
        return printed.out

    command("solve", f"thoughtful-1:{MAX_STORED_SEED}", "--store")
    submit(catalogue, "klondike-draw3", LAST, ["dead-end", "exact", "greedy"])
    submit(catalogue, "klondike-draw1", LAST, ["exact"], infer=True)
    wide = Sample("thoughtful-1", MAX_STORED_SEED - 99, 100)
    submit(catalogue, "klondike-draw3", wide, ["dead-end"], keep="verdicts")
    assert runner.run(catalogue, scheduler=scheduler) == 3
    command("regret", str(LAST), "--player", "greedy", "--workers", "1")
    command("difficulty", "grade", str(LAST), "--workers", "1")
    assert {job.state for job in list_jobs(catalogue)} == {"done"}

    whole = list_deals(catalogue, DealFilter("klondike-draw3"))
    assert whole.total == 100
    ends = DealFilter("klondike-draw3", seed_from=LAST.first, seed_to=LAST.last)
    assert [deal.deal for deal in list_deals(catalogue, ends).rows] == [
        f"thoughtful-1:{seed}" for seed in LAST.seeds
    ]
    assert str(MAX_STORED_SEED) in command("find", "--count", str(FEW))
    assert f"{FEW} deals" in command("compare", "dead-end", "exact", "--sample", str(LAST))
    command("bounds", "--sample", str(LAST))
    command("export", str(tmp_path / "tables"), "--format", "jsonl")
    for table in ("deals", "outcomes", "solutions"):
        assert (
            f"thoughtful-1:{MAX_STORED_SEED}"
            in (tmp_path / "tables" / f"{table}.jsonl").read_text()
        )
    seeds = f"{LAST.first}-{LAST.last}"
    for form in ("binary", "json"):
        made = str(tmp_path / f"list.{form}")
        asked = ("--dealer", "thoughtful-1", "--seeds", seeds, "--stored")
        command("list", *asked, "--format", form, "--output", made)
        command("list", "--read", made, "--seeds", str(MAX_STORED_SEED))
    command("dataset", "build", "last", "--sample", str(LAST))
    assert verify(catalogue, share=1, resolve_share=0.0).faults == ()
    command("catalogue", "compact", "--rules", "klondike-draw3")


@pytest.mark.parametrize("sample", [f"0-{MAX_STORED_SEED}", f"1-{MAX_STORED_SEED}"])
def test_a_job_with_more_outcomes_than_can_be_counted(
    sqlite_catalogue: store.Catalogue, sample: str
) -> None:
    with pytest.raises(BadInput, match=r"outcomes cannot be counted: expected at most"):
        submit(
            sqlite_catalogue,
            "klondike-draw3",
            parse_sample(f"thoughtful-1:{sample}"),
            ["dead-end", "greedy"],
        )
