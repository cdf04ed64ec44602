"""The classes that are made of declared settings: they agree with those of piecework, and users may extend them."""

import importlib
import inspect
import json
from typing import Any

import pytest

from piecework.hf import normalizers, trainers

MODULES = ("decoders", "normalizers", "pre_tokenizers", "processors")
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "BertProcessing": (("[SEP]", 2), ("[CLS]", 1)),
    "CharDelimiterSplit": ("-",),
    "Replace": ("a", "b"),
    "RobertaProcessing": (("</s>", 2), ("<s>", 0)),
    "Sequence": ([],),
    "Split": ("a", "isolated"),
}
"""The arguments of those that need some."""


def pairs() -> list[Any]:
    """Returns the classes with the same name in a module of `piecework.hf` and in that of piecework."""
    found = []
    for module in MODULES:
        own, settings = (importlib.import_module(f"piecework.{p}{module}") for p in ("hf.", ""))
        for name in sorted({*own.__all__} & {*settings.__all__} - {"Precompiled"}):
            kinds = getattr(own, name), getattr(settings, name)
            if "_kind" not in vars(kinds[0]):
                found.append(pytest.param(*kinds, id=f"{module}.{name}"))
    return found


def defaults(kind: Any) -> dict[str, Any]:
    """Returns the arguments of a class with their defaults."""
    found = inspect.signature(kind).parameters.items()
    return {name: p.default for name, p in found if p.kind is not p.VAR_KEYWORD}


@pytest.mark.parametrize(("own", "settings"), pairs())
def test_arguments_and_states_are_those_of_piecework(own: Any, settings: Any) -> None:
    given = ARGUMENTS.get(own.__name__, ())
    assert json.loads(own(*given).__getstate__()) == settings(*given).to_dict()
    # `tokenizers` has other names of some arguments, and None as a default that stands for another value.
    if own.__name__ not in {"BertProcessing", "RobertaProcessing", "Sequence", "ByteLevel"}:
        assert defaults(own).keys() <= defaults(settings).keys() | {"left", "right"}


def test_what_is_not_declared_is_no_attribute() -> None:
    for made in (normalizers.Strip(), normalizers.NFC(), trainers.BpeTrainer()):
        with pytest.raises(AttributeError):
            made.stripleft = True


def test_an_attribute_cannot_be_deleted() -> None:
    for made, name in ((normalizers.Strip(), "left"), (trainers.BpeTrainer(), "vocab_size")):
        with pytest.raises(AttributeError):
            delattr(made, name)


class Ends(normalizers.Strip):
    """A class of a user, with attributes and arguments of its own."""

    def __init__(self, name: str) -> None:
        super().__init__(left=False)
        self.name = name


class Named(Ends):
    """Inherits the arguments of a class of a user."""


def test_classes_of_users_are_ordinary_ones() -> None:
    made = Named("ends")
    assert (made.name, made.left, made.right) == ("ends", False, True)
    assert made.normalize_str(" a ") == " a"
    made.left = True
    assert made.normalize_str(" a ") == "a"


def test_unknown_arguments_of_a_trainer_are_named_at_the_line_of_the_caller() -> None:
    with pytest.warns(UserWarning, match="BpeTrainer has no argument 'size'") as caught:
        trainers.BpeTrainer(size=3)  # type: ignore[call-arg]  # that is the test
    assert caught[0].filename == __file__
