"""The dataset card, in the form of Hugging Face's hub, and the citation."""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import yaml

from catalogue.datasets.checking import dataset_tables
from catalogue.tables.columns import described
from catalogue.tables.formats import LOADING
from engine.games import game_of, games
from engine.proof import PLAIN_SHARE
from engine.rulesets import parse_ruleset

_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B")
_COUNTED = ("deals_attempted", "winnable", "unwinnable", "claimed", "unresolved")


def card(counts: Mapping[str, Any], about: Mapping[str, Any]) -> str:
    """The text of the card.

    Args:
        counts: what the dataset holds, as in its file of completeness.
        about: its name, version, format, selection and provenance.
    """
    front = yaml.safe_dump(_front(counts, about), sort_keys=False, allow_unicode=True, width=100)
    return f"---\n{front}---\n" + "\n".join(_lines(counts, about)) + "\n"


def authors_of(about: Mapping[str, Any]) -> list[str]:
    """The authors, or who stands for them."""
    return list(about["authors"]) or ["The Thoughtful catalogue"]


def year_of(about: Mapping[str, Any]) -> str:
    """The year of the newest outcome."""
    return str(about["last_outcome"])[:4]


def _front(counts: Mapping[str, Any], about: Mapping[str, Any]) -> dict[str, Any]:
    tables, rows = dataset_tables(), counts["rows"]
    return {
        "pretty_name": f"Solitaire deals, solved: {about['name']}",
        "license": "cc0-1.0",
        "version": about["version"],
        "task_categories": ["other"],
        "tags": ["solitaire", "planning", "search", "card-games", "puzzles"],
        "size_categories": [_SIZES[min(max(len(str(rows["deals"])) - 3, 0), len(_SIZES) - 1)]],
        "configs": [
            {"config_name": name, "data_files": f"{name}/*.{about['format']}"}
            | ({"default": True} if name == "puzzles" else {})
            for name in tables
        ],
        "dataset_info": [
            {
                "config_name": name,
                "features": [{"name": c.name, "dtype": _dtype(c.type)} for c in table.columns],
                "splits": [{"name": "train", "num_examples": rows[name]}],
            }
            for name, table in tables.items()
        ],
    }


def _dtype(kind: pa.DataType) -> str:
    return "float64" if pa.types.is_float64(kind) else str(kind)


def _lines(counts: Mapping[str, Any], about: Mapping[str, Any]) -> Iterator[str]:
    name, version, form = about["name"], about["version"], about["format"]
    loading, files = LOADING[form], f"puzzles/*.{form}"
    pandas = '"puzzles"' if form == "parquet" else f'"puzzles/FILE.{form}"{loading.options}'
    yield f"""
# {name} {version}

Seeded deals of solitaire with what is known of each: whether it can be won, its solutions, how \
hard it is, and how solvers and players fared.

```python
import datasets, duckdb, pandas, polars
datasets.load_dataset("{loading.datasets}", data_files="{files}")
pandas.{loading.pandas}({pandas})
polars.{loading.polars}("{files}").collect()
duckdb.sql("SELECT * FROM {loading.duckdb}('{files}')")
```

## Completeness

Counted from the files. Percentages divide by all deals attempted, unresolved ones too: the quick \
ones are decided first.

| ruleset | sample | attempted | winnable | unwinnable | of these claimed | unresolved | \
with solution | with level |
|---|---|--:|--:|--:|--:|--:|--:|--:|"""
    for s in counts["samples"]:
        numbers = [s[each] for each in (*_COUNTED, "with_solution", "with_level")]
        sample = f"{s['dealer']}:{s['first_seed']}-{s['last_seed']}"
        yield f"| {s['ruleset']} | {sample} | " + " | ".join(map(str, numbers)) + " |"
    yield f"""
Of the solutions, {_sum(counts, "solutions_made_again")} were made again for this dataset, as the \
catalogue keeps only the verdict of their deals. Winnable deals without a solution are in \
`statuses` and not in `puzzles`. Imported deals are not in this dataset.

## Rules
"""
    yield from _rules(about)
    yield "## Technical validation\n"
    yield from _validation(counts, about)
    yield "\n## Limits of use\n"
    yield from _limits(about)
    yield f"\n{_claims(_sum(counts, 'claimed'))}\n\n## Tables"
    for table in dataset_tables().values():
        rows = counts["rows"][table.name]
        yield f"\n### {table.name}\n\n{table.meaning} {rows} rows.\n"
        yield from described(table)
    known = ", ".join(about["authors"]) or "not named by who built it"
    yield f"""
## Provenance and licence

provenance.json names the programs, solvers and versions that made the outcomes, `SHA256SUMS` has \
the checksum of every file, and croissant.json describes the tables for machines. The data are in \
the public domain (CC0 1.0).

- Authors: {known}
- Contact: {about["contact"] or "not named by who built it"}
- Outcomes: from {about["first_outcome"]} to {about["last_outcome"]}
- Program: Thoughtful {about["written_by"]["thoughtful"]}

## Citation

```bibtex
@misc{{{name},
  title = {{Solitaire deals, solved: {name}}},
  author = {{{" and ".join(f"{{{each}}}" for each in authors_of(about))}}},
  year = {{{year_of(about)}}},
  version = {{{version}}},
  note = {{Dataset, CC0 1.0}}
}}
```"""


def _sum(counts: Mapping[str, Any], name: str) -> int:
    return sum(each[name] for each in counts["samples"])


def _rules(about: Mapping[str, Any]) -> Iterator[str]:
    """The rules of each game, and what each ruleset adds to them."""
    for game in games():
        mine = [parse_ruleset(slug) for slug in about["rulesets"]]
        mine = [rules for rules in mine if game_of(rules).slug == game.slug]
        if mine:
            yield f"**{game.name}.** {game.rulesets.basics}".strip() + "\n"
            yield from (f"- `{rules.slug}`: {game.rulesets.describe(rules)}" for rules in mine)
            yield ""


def _validation(counts: Mapping[str, Any], about: Mapping[str, Any]) -> Iterator[str]:
    """The checks of the data, how they were made, and by whom."""
    yield (
        f"- Wins: each of the {counts['rows']['solutions']:,} solutions was replayed move by move "
        "before it was stored or written, by a compiled referee of the rules, and a share of "
        f"{PLAIN_SHARE:.1%}, drawn at random, again by one in plain Python that shares no code "
        "with it. A win that does not replay is never stored."
    )
    yield (
        f"- Proofs: {_sum(counts, 'unwinnable'):,} deals are called unwinnable, after a complete "
        "search or by a dead end with its witness. A complete search leaves no certificate: "
        "`thoughtful verify` has a share decided again by a solver that shares no search code "
        "with it."
    )
    yield (
        f"- Contradictions: {_sum(counts, 'contradictions'):,} deals are won by one outcome and "
        "unwinnable by another. They count as winnable, both outcomes are kept, and they are not "
        "in `puzzles`."
    )
    yield (
        "- Dealers: tests hold those of other programs against deals that these programs made, and "
        "our own against frozen ones, so a name is the same cards for ever."
    )
    verified = about["verification"]
    yield "- The catalogue: " + (
        "no verification of it is recorded."
        if verified is None
        else f"last verified on {verified['date']}, with {verified['faults']:,} faults found."
    )
    yield (
        "- The files: `thoughtful dataset check` compares them with their checksums, and the "
        "counts above with the data."
    )


def _limits(about: Mapping[str, Any]) -> Iterator[str]:
    """The limits of the data."""
    levels = "No level of difficulty was fitted for these rulesets."
    if about["difficulty"]:
        levels = (
            "Levels are estimates from games of programs of graded strength, with the deviation "
            "beside them. No person's game is among them."
        )
    yield f"""\
- Verdicts are of the game with all cards known. They are no chances of a person, who does not see \
the face-down cards.
- Unresolved deals are not a random part: they are harder than others. Shares divide by all deals \
attempted, or are bounds.
- Deals come from the seeds of a dealer, in order. Shares hold for its shuffle, not for what \
players of some program met. Rules of the same name differ elsewhere: see above.
- Solutions are those that the solvers found, neither the shortest nor those of a person.
- {levels}
- There is nothing about people in the data."""


def _claims(claimed: int) -> str:
    if not claimed:
        return (
            "No deal is called unwinnable on the word of another program alone: each was proved "
            "by a solver of provenance.json whose code is this project's."
        )
    return (
        f"{claimed} deals count as unwinnable on the word of other programs alone, whose results "
        "were imported: nothing here has proved them. They are those of the table `statuses` "
        "whose `claims` are as many as their `proofs`."
    )
