"""Tests that settings in Python have the members that the core reads and writes, by the core's tables."""

import dataclasses

import pytest

from piecework import decoders, normalizers, pre_tokenizers, processors, trainers
from piecework._core import component_members
from piecework._settings.component import Component

STAGES = {
    "normalizer": normalizers.Normalizer,
    "pre_tokenizer": pre_tokenizers.PreTokenizer,
    "post_processor": processors.PostProcessor,
    "decoder": decoders.Decoder,
}
# An object of the caller, whose index in a list the core reads.
FUNCTIONS = {"piecework.Function"}


def fields(settings: type) -> list[str]:
    """Returns the members of settings in JSON."""
    return [field.metadata.get("member") or field.name for field in dataclasses.fields(settings)]


@pytest.mark.parametrize("stage", STAGES)
def test_components_have_the_members_of_the_core(stage: str) -> None:
    known = component_members()[stage]
    classes: dict[str, type[Component]] = STAGES[stage]._types()
    found = {kind: fields(settings) for kind, settings in classes.items()}
    for kind in FUNCTIONS & set(known):
        found.pop(kind)
        known.pop(kind)
    assert {kind: sorted(members) for kind, members in found.items()} == {
        kind: sorted(members) for kind, members in known.items()
    }


def test_trainers_have_the_members_of_the_core() -> None:
    known = component_members()["trainer"]
    found = {kind.type_name: fields(kind) for kind in trainers.Trainer.__subclasses__()}
    assert {kind: sorted(members) for kind, members in found.items()} == {
        kind: sorted(members) for kind, members in known.items()
    }
