"""The descriptions beside the data: dataset card, data dictionary, Croissant metadata, licence."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import yaml

from catalogue.datasets import about
from catalogue.datasets.tables import THEMES, dataset_tables
from catalogue.exports.writers import Format

LICENCE_URL = "https://creativecommons.org/publicdomain/zero/1.0/"
LICENCE = f"""The data in this directory are dedicated to the public domain under the
Creative Commons CC0 1.0 Universal Public Domain Dedication.

SPDX-License-Identifier: CC0-1.0
Legal code: {LICENCE_URL}legalcode
"""
_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B")
_MEDIA = {
    "parquet": "application/x-parquet",
    "csv": "text/csv",
    "jsonl": "application/jsonlines",
}
_LOADED = {
    "parquet": 'read_parquet("puzzles")',
    "csv": 'read_csv("puzzles/FILE.csv")',
    "jsonl": 'read_json("puzzles/FILE.jsonl", lines=True)',
}
_LOADER = {"parquet": "parquet", "csv": "csv", "jsonl": "json"}
_READER = {"parquet": "parquet", "csv": "csv", "jsonl": "ndjson"}


def _size(deals: int) -> str:
    return _SIZES[min(max(len(str(deals)) - 3, 0), len(_SIZES) - 1)]


def _dtype(kind: pa.DataType) -> str:
    return "float64" if pa.types.is_float64(kind) else str(kind)


def card(
    name: str,
    version: str,
    format: Format,
    counts: Mapping[str, Any],
    provenance: Mapping[str, Any],
) -> str:
    """The dataset card, in the form of Hugging Face's hub."""
    tables, rows = dataset_tables(), counts["rows"]
    front = {
        "pretty_name": f"Solitaire deals, solved: {name}",
        "license": "cc0-1.0",
        "version": version,
        "task_categories": ["other"],
        "tags": ["solitaire", "planning", "search", "card-games", "puzzles"],
        "size_categories": [_size(rows["deals"])],
        "configs": [
            {"config_name": each, "data_files": f"{each}/*.{format}"}
            | ({"default": True} if each == "puzzles" else {})
            for each in tables
        ],
        "dataset_info": [
            {
                "config_name": table.name,
                "features": [{"name": c.name, "dtype": _dtype(c.type)} for c in table.columns],
                "splits": [{"name": "train", "num_examples": rows[table.name]}],
            }
            for table in tables.values()
        ],
    }
    text = yaml.safe_dump(front, sort_keys=False, allow_unicode=True, width=100)
    reader = _READER[format]
    duck = {"parquet": "read_parquet", "csv": "read_csv", "jsonl": "read_json"}[format]
    lines = [
        "---",
        text + "---",
        "",
        f"# {name} {version}",
        "",
        "Seeded deals of solitaire with what is known of each: whether it can be won, its "
        "solutions, how hard it is, and how solvers and players fared.",
        "",
        "```python",
        "import datasets, duckdb, pandas, polars",
        f'datasets.load_dataset("{_LOADER[format]}", data_files="puzzles/*.{format}")',
        f"pandas.{_LOADED[format]}",
        f'polars.scan_{reader}("puzzles/*.{format}").collect()',
        f"duckdb.sql(\"SELECT * FROM {duck}('puzzles/*.{format}')\")",
        "```",
        "",
        "## Completeness",
        "",
        "Counted from the files. Percentages divide by all deals attempted, undecided ones too: "
        "the quick ones are decided first.",
        "",
        "| ruleset | sample | attempted | winnable | unwinnable | of these claimed | undecided | "
        "with solution | with level |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {s['ruleset']} | {s['dealer']}:{s['first_seed']}-{s['last_seed']} | "
        f"{s['deals_attempted']} | {s['winnable']} | {s['unwinnable']} | "
        f"{s.get('claimed', 0)} | {s['undecided']} | "
        f"{s['with_solution']} | {s['with_level']} |"
        for s in counts["samples"]
    ]
    again = sum(each["solutions_made_again"] for each in counts["samples"])
    lines += [
        "",
        f"Of the solutions, {again} were made again for this dataset, as the catalogue keeps only "
        "the verdict of their deals. Winnable deals without a solution are in `verdicts` and not "
        "in `puzzles`. Imported deals are not in this dataset.",
        "",
        "## Rules",
        "",
        *about.rules(provenance),
        "## Technical validation",
        "",
        *about.validation(counts, provenance),
        "",
        "## Limits of use",
        "",
        *about.limits(provenance),
        "",
        _claims(sum(each.get("claimed", 0) for each in counts["samples"])),
        "",
        "## Tables",
    ]
    for table in tables.values():
        lines += [
            "",
            f"### {table.name}",
            "",
            f"{table.meaning} {rows[table.name]} rows.",
            "",
            "| column | type | unit | meaning | provenance |",
            "|---|---|---|---|---|",
            *(
                f"| `{c.name}` | {c.type} | {c.unit} | {_cell(c.meaning)} | {_cell(c.source)} |"
                for c in table.columns
            ),
        ]
    lines += [
        "",
        "## Provenance and licence",
        "",
        "provenance.json names the programs, solvers and versions that made the outcomes, "
        "`SHA256SUMS` has the checksum of every file, and croissant.json describes the tables "
        "for machines. The data are in the public domain (CC0 1.0).",
        "",
        *about.origin(provenance),
        "",
        "## Citation",
        "",
        "```bibtex",
        f"@misc{{{name},",
        f"  title = {{Solitaire deals, solved: {name}}},",
        f"  author = {{{' and '.join(f'{{{each}}}' for each in _authors(provenance))}}},",
        f"  year = {{{about.year(provenance)}}},",
        f"  version = {{{version}}},",
        "  note = {Dataset, CC0 1.0}",
        "}",
        "```",
    ]
    return "\n".join(lines) + "\n"


def _authors(provenance: Mapping[str, Any]) -> list[str]:
    return list(provenance["authors"]) or ["The Thoughtful catalogue"]


def _claims(claimed: int) -> str:
    if not claimed:
        return (
            "No deal is called unwinnable on the word of another program alone: each was proved "
            "by a solver of provenance.json whose code is this project's."
        )
    return (
        f"{claimed} deals count as unwinnable on the word of other programs alone, whose results "
        "were imported: nothing here has proved them. They are those of the table `verdicts` "
        "whose `claims` are as many as their `proofs`."
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def dictionary() -> dict[str, Any]:
    """The data dictionary: every table and column."""
    return {
        "tables": {
            table.name: {
                "meaning": table.meaning,
                "columns": [
                    {
                        "name": c.name,
                        "type": str(c.type),
                        "unit": c.unit,
                        "meaning": c.meaning,
                        "provenance": c.source,
                    }
                    for c in table.columns
                ],
            }
            for table in dataset_tables().values()
        },
        "themes": THEMES,
    }


_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def croissant(
    name: str,
    version: str,
    format: Format,
    sums: Mapping[str, str],
    provenance: Mapping[str, Any],
) -> dict[str, Any]:
    """The Croissant metadata of a dataset.

    Args:
        name: of the dataset.
        version: of the dataset.
        format: of its tables.
        sums: SHA-256 of every file of the tables, by its path in the dataset.
        provenance: who made it, and when.
    """
    tables = dataset_tables()
    parts = [
        {
            "@type": "cr:FileObject",
            "@id": path,
            "name": path,
            "contentUrl": path,
            "encodingFormat": _MEDIA[format],
            "sha256": digest,
        }
        for path, digest in sums.items()
    ]
    sets = [
        {
            "@type": "cr:FileSet",
            "@id": f"{table}-files",
            "name": f"{table}-files",
            "encodingFormat": _MEDIA[format],
            "includes": f"{table}/*.{format}",
        }
        for table in tables
    ]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": name,
        "description": "Seeded deals of solitaire with verdicts, solutions, difficulty and "
        "outcomes of solvers and players.",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "license": LICENCE_URL,
        "url": "README.md",
        "version": version,
        "citeAs": f"{', '.join(_authors(provenance))}: {name}, version {version}, "
        f"{about.year(provenance)}, CC0 1.0",
        **(
            {"creator": [{"@type": "sc:Organization", "name": n} for n in provenance["authors"]]}
            if provenance["authors"]
            else {}
        ),
        "dateCreated": provenance["last_outcome"],
        "keywords": ["solitaire", "planning", "search", "card games"],
        "distribution": [*sets, *parts],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": table.name,
                "name": table.name,
                "description": table.meaning,
                "field": [
                    {
                        "@type": "cr:Field",
                        "@id": f"{table.name}/{c.name}",
                        "name": f"{table.name}/{c.name}",
                        "description": c.meaning,
                        "dataType": _croissant_type(c.type),
                        "source": {
                            "fileSet": {"@id": f"{table.name}-files"},
                            "extract": {"column": c.name},
                        },
                    }
                    for c in table.columns
                ],
            }
            for table in tables.values()
        ],
    }


def _croissant_type(kind: pa.DataType) -> str:
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_floating(kind):
        return "sc:Float"
    return "sc:Integer" if pa.types.is_integer(kind) else "sc:Text"
