"""The models of difficulty that the package ships, a file for each ruleset.

`thoughtful difficulty fit --output FILE` writes one: the model as the catalogue stores it, with the
ruleset and with program, revision, Python and compiler of the fit.
"""

import json
from dataclasses import asdict, replace
from datetime import datetime
from functools import cache
from importlib.resources import files
from types import SimpleNamespace
from typing import Any

from sqlalchemy.orm import Session

from catalogue.difficulty.grading import DifficultyModel, columns_of, model_of, put_model
from catalogue.outcomes.provenance import Provenance, this_provenance
from catalogue.schema import DifficultyRow, RulesetRow
from catalogue.store import Catalogue
from engine.errors import BadInput
from engine.game import Rules

# What the provenance of a shipped model leaves out: it is of no use away from the machine.
_LEFT_OUT = frozenset({"machine", "clock"})


@cache
def shipped_model(ruleset: str) -> DifficultyModel | None:
    """The shipped model of a ruleset, given by its slug; None if there is none, or an older one.

    Raises:
        BadInput: the file is damaged.
    """
    columns = _columns(ruleset)
    if columns is None:
        return None
    model = replace(model_of(SimpleNamespace(**columns)), is_shipped=True)
    return None if model.is_old else model


def shipped_rulesets() -> list[str]:
    """The slugs of the rulesets that have a file, in order."""
    folder = files("catalogue.difficulty") / "models"
    return sorted(file.name.removesuffix(".json") for file in folder.iterdir())


def shipped_provenance(ruleset: str) -> Provenance:
    """The provenance of the shipped model of a ruleset that has one."""
    columns = _columns(ruleset)
    assert columns is not None
    return Provenance(**columns["provenance"], machine="unknown")


def store_shipped(cat: Catalogue, rules: Rules) -> None:
    """Store the shipped model of a ruleset if it has outcomes and no model, and grade its deals."""
    with cat.begin() as session:
        ruleset_id = RulesetRow.id_of(session, rules.slug)
        if ruleset_id is not None:
            put_shipped(session, ruleset_id, rules.slug)


def put_shipped(session: Session, ruleset_id: int, ruleset: str) -> None:
    """Write the shipped model of a ruleset where the catalogue has none, and grade its deals."""
    model = shipped_model(ruleset)
    if model is not None and session.get(DifficultyRow, ruleset_id) is None:
        put_model(session, ruleset_id, model, shipped_provenance(ruleset))


def _columns(ruleset: str) -> dict[str, Any] | None:
    file = files("catalogue.difficulty") / "models" / f"{ruleset}.json"
    if not file.is_file():
        return None
    try:
        columns: dict[str, Any] = json.loads(file.read_text(encoding="ascii"))
        columns["created_at"] = datetime.fromisoformat(columns["created_at"])
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"the model of difficulty is damaged: {error}") from None
    return columns


def model_as_json(model: DifficultyModel, rules: Rules) -> str:
    """The file of a model that was fitted here, as it is shipped."""
    provenance = asdict(this_provenance())
    columns: dict[str, Any] = {
        "ruleset": rules.slug,
        "provenance": {name: provenance[name] for name in provenance if name not in _LEFT_OUT},
        **columns_of(model),
        "created_at": model.created_at.isoformat(timespec="seconds"),
    }
    return json.dumps(columns, indent=1) + "\n"
