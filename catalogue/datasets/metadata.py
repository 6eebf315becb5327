"""The descriptions of a dataset for machines: data dictionary, Croissant metadata, licence."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from catalogue.datasets.card import authors_of, year_of
from catalogue.datasets.checking import dataset_tables
from catalogue.tables.columns import TableColumn
from catalogue.tables.formats import LOADING
from catalogue.tables.puzzles import THEMES

LICENCE_URL = "https://creativecommons.org/publicdomain/zero/1.0/"
LICENCE = f"""The data in this directory are dedicated to the public domain under the
Creative Commons CC0 1.0 Universal Public Domain Dedication.

SPDX-License-Identifier: CC0-1.0
Legal code: {LICENCE_URL}legalcode
"""
# The terms of the context of Croissant 1.0 that are only a name in its vocabulary.
_TERMS = (
    "citeAs column extract field fileProperty fileObject fileSet format includes isLiveDataset "
    "jsonPath key md5 parentField path recordSet references regex repeated replace samplingRate "
    "separator source subField transform"
)
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in _TERMS.split()},
}


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


def croissant(sums: Mapping[str, str], about: Mapping[str, Any]) -> dict[str, Any]:
    """The Croissant metadata of a dataset.

    Args:
        sums: SHA-256 of every file of the tables, by its path in the dataset.
        about: its name, version, format, selection and provenance.
    """
    tables, name, version = dataset_tables(), about["name"], about["version"]
    media = LOADING[about["format"]].media
    parts = [
        _node("cr:FileObject", path, contentUrl=path, encodingFormat=media, sha256=digest)
        for path, digest in sums.items()
    ]
    sets = [
        _node(
            "cr:FileSet",
            f"{table}-files",
            encodingFormat=media,
            includes=f"{table}/*.{about['format']}",
        )
        for table in tables
    ]
    creators = [{"@type": "sc:Organization", "name": each} for each in about["authors"]]
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
        "citeAs": f"{', '.join(authors_of(about))}: {name}, version {version}, {year_of(about)}, "
        "CC0 1.0",
        **({"creator": creators} if creators else {}),
        "dateCreated": about["last_outcome"],
        "keywords": ["solitaire", "planning", "search", "card games"],
        "distribution": [*sets, *parts],
        "recordSet": [
            _node(
                "cr:RecordSet",
                table.name,
                description=table.meaning,
                field=[_field(table.name, column) for column in table.columns],
            )
            for table in tables.values()
        ],
    }


def _node(kind: str, name: str, **more: Any) -> dict[str, Any]:
    return {"@type": kind, "@id": name, "name": name, **more}


def _field(table: str, column: TableColumn) -> dict[str, Any]:
    return _node(
        "cr:Field",
        f"{table}/{column.name}",
        description=column.meaning,
        dataType=_croissant_type(column.type),
        source={"fileSet": {"@id": f"{table}-files"}, "extract": {"column": column.name}},
    )


def _croissant_type(kind: pa.DataType) -> str:
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_floating(kind):
        return "sc:Float"
    return "sc:Integer" if pa.types.is_integer(kind) else "sc:Text"
