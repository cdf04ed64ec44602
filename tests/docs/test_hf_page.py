"""docs/hf.md lists every public name of `tokenizers`, and whether `piecework.hf` has it."""

import inspect
from typing import Any

import pytest
import tokenizers

import piecework.hf
from hf_names import PAGE, names, page


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run tools/make_hf_docs.py"


def test_no_name_is_absent() -> None:
    assert [name for name, there in names().items() if not there] == []


def callables() -> list[str]:
    found = []
    for module in ("", "normalizers", "pre_tokenizers", "decoders", "processors", "models"):
        theirs = getattr(tokenizers, module) if module else tokenizers
        for name, value in vars(theirs).items():
            if inspect.isclass(value) and value.__module__.startswith("tokenizers"):
                full = f"{module}.{name}".removeprefix(".")
                found += [
                    f"{full}.{method}" for method in vars(value) if not method.startswith("_")
                ]
    return sorted(set(found) - MISSTATED)


# Their signatures as texts differ from the arguments that these methods take.
MISSTATED = {
    "models.Model.save",
    "models.Model.token_to_id",
    "normalizers.Normalizer.custom",
    "pre_tokenizers.PreTokenizer.pre_tokenize_str",
}


def resolved(root: Any, path: str) -> Any:
    for name in path.split("."):
        root = getattr(root, name)
    return root


@pytest.mark.parametrize("path", callables())
def test_methods_have_the_same_arguments(path: str) -> None:
    theirs, ours = resolved(tokenizers, path), resolved(piecework.hf, path)
    try:
        wanted = list(inspect.signature(theirs).parameters.values())
    except (TypeError, ValueError):
        return  # an attribute, or a method without a signature
    found = inspect.signature(ours).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in found.values()):
        return  # the docstring lists them
    for parameter in wanted:
        assert parameter.name in found, path
        default = found[parameter.name].default
        assert (default is parameter.empty) == (parameter.default is parameter.empty), path
        if parameter.default is not parameter.empty and parameter.default is not ...:
            wanted_default = parameter.default
            same = tuple(wanted_default) if isinstance(wanted_default, list) else wanted_default
            assert default == same, path
