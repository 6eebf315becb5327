"""Damage with `--everything`: what is found by default is found then too.

Three checks are left out, `verdicts`, `losing-moves` and `features`: they solve all deals with
another solver, or many positions of each, which takes nearly all of the time.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from catalogue import store
from catalogue.verify.checks import CHECKS
from catalogue.verify.report import VerificationReport
from catalogue.verify.running import verify
from damages.trying import DAMAGES, missed

LEFT_OUT = ("verdicts", "losing-moves", "features")
NAMES = [check.name for check in CHECKS if check.name not in LEFT_OUT]


def everything(cat: store.Catalogue, only: Sequence[str]) -> VerificationReport:
    return verify(cat, share=1.0, resolve_share=1.0, only=only)


@pytest.mark.thorough
def test_damage_is_found_by_everything(sound: Path, tmp_path: Path) -> None:
    """Every third kind: the checks are those that `test_damage` has for all."""
    assert len(CHECKS) == len(NAMES) + len(LEFT_OUT)
    assert missed(sound, tmp_path, list(DAMAGES.values())[::3], everything, NAMES) == {}
