"""Names that are written in several places agree: exports, settings, arguments, and the names that the core accepts."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
import sys
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest

import piecework as pw
from piecework import _core, models, normalizers
from piecework._settings import arguments, choices, encoding as encoding_settings
from piecework._settings.component import Component
from piecework._settings.fields import Choice, Maybe, Settings
from piecework.tokenizer import _lm as lm, _loading as loading, _settings as keywords
from piecework.tokenizer._folders.write import ROLES
from piecework.tokenizer._formats import detect
from public_names import SOURCE, public_modules


def visible(module: str) -> set[str]:
    """Returns the names without underscore that a module defines, or imports from elsewhere in the package."""
    file = Path(str(importlib.import_module(module).__file__))
    names = set[str]()
    for statement in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names |= {node.id for node in ast.walk(*targets) if isinstance(node, ast.Name)}
        elif isinstance(statement, ast.ImportFrom) and str(statement.module).startswith("piece"):
            names |= {alias.asname or alias.name for alias in statement.names}
    return {name for name in names if not name.startswith("_")}


LAZY = ("", "analysis", "corpus", "engines", "hf", "tokenizer", "training")
"""The packages whose names are imported on their first use."""


@pytest.mark.parametrize("name", public_modules())
def test_what_has_no_underscore_is_public_and_nothing_else(name: str) -> None:
    module = f"piecework.{name}".rstrip(".")
    exported = set(importlib.import_module(module).__all__)
    assert visible(module) == (set() if name in LAZY else exported)


@pytest.mark.parametrize("package", LAZY)
def test_lazy_names_are_those_that_type_checkers_see(package: str) -> None:
    module = importlib.import_module(f"piecework.{package}" if package else "piecework")
    stub = (SOURCE / package / "__init__.pyi").read_text(encoding="utf-8")
    imports = [line for line in ast.parse(stub).body if isinstance(line, ast.ImportFrom)]
    seen = {alias.name: line.module for line in imports for alias in line.names}
    assert seen.keys() == {*module.__all__} - {"__version__"}
    for name, place in seen.items():
        assert getattr(importlib.import_module(place), name) is getattr(module, name)


def subclasses(base: type[Any]) -> set[type[Any]]:
    found = set(base.__subclasses__())
    return found | {c for child in found for c in subclasses(child)}


def literal_of(annotation: object) -> set[str] | None:
    """Returns the names of a `Literal`, alone or with None."""
    if get_origin(annotation) is Literal:
        return set(get_args(annotation))
    names = [literal_of(part) for part in get_args(annotation) if part is not type(None)]
    return names[0] if len(names) == 1 else None


def test_choices_of_settings_are_those_of_their_annotations() -> None:
    checked = set()
    for cls in {*subclasses(Settings), *subclasses(Component)}:
        if not cls.__module__.startswith("piecework.") or "__dataclass_fields__" not in vars(cls):
            continue
        names = vars(arguments) | vars(sys.modules[cls.__module__])
        for name, field in cls.__dataclass_fields__.items():
            kind = field.metadata.get("kind")
            kind = kind.kind if isinstance(kind, Maybe) else kind
            if isinstance(kind, Choice):
                assert literal_of(eval(str(field.type), names)) == set(kind.names), (cls, name)
                checked.add((cls.__name__, name))
    assert {("Truncation", "strategy"), ("Padding", "direction"), ("Split", "behavior")} <= checked


@pytest.mark.parametrize(
    ("trainer", "setting", "names"),
    [
        ("WordPieceTrainer", "criterion", "Criterion"),
        ("WordPieceTrainer", "ties", "Ties"),
        ("BpeTrainer", "ties", "BpeTies"),
        ("BpeTrainer", "alphabet", "Alphabet"),
        ("BpeTrainer", "suffix_style", "SuffixStyle"),
    ],
)
def test_choices_of_trainers_are_those_of_the_core(trainer: str, setting: str, names: str) -> None:
    settings = json.loads(getattr(pw.trainers, trainer)(60).to_json())
    with pytest.raises(pw.errors.ConfigError) as caught:
        _core.check_trainer(json.dumps(settings | {setting: "?"}))
    known = re.findall(r'"(\w+)"', str(caught.value).partition("expected")[2].partition("found")[0])
    assert set(known) == set(get_args(getattr(pw.trainers, names)))


def test_model_settings_are_those_of_the_core() -> None:
    tok = pw.Tokenizer.from_str("[UNK]\na\n")
    for name in get_args(choices.UnknownPolicy):
        assert tok.replace(unknown=name).unknown == name
    assert set(keywords.MODEL) == set(keywords.ModelSettings.__optional_keys__)
    assert set(keywords.MODEL) <= set(inspect.signature(pw.models.WordPiece).parameters)
    assert set(get_args(detect.Format)) == {name for name, *_ in _core.file_formats()}


def keyword_names(function: Any) -> set[str]:
    """Returns the names of keyword-only parameters."""
    found = inspect.signature(function).parameters.values()
    return {p.name for p in found if p.kind is p.KEYWORD_ONLY}


def test_keywords_that_are_passed_on_agree() -> None:
    assert keywords.SpecialRoles.__optional_keys__ == set(ROLES)
    unigram = inspect.signature(pw.models.Unigram).parameters.keys()
    assert models._UnigramSettings.__optional_keys__ == unigram - {"vocab", "unk_id"}
    rules = inspect.signature(pw.normalizers.SentencePiece).parameters.keys()
    assert normalizers._SentencePieceSettings.__optional_keys__ == rules - {"precompiled_charsmap"}


def test_keywords_of_the_tokenizer_agree() -> None:
    parts = set(keywords.Parts.__optional_keys__)
    assert keyword_names(pw.Tokenizer.__init__) == parts | {"added_tokens"}
    assert set(keywords.Changes.__optional_keys__) == parts | {"regex_retries", *keywords.MODEL}
    assert set(keywords.LIMITS) <= parts
    bert = set(inspect.signature(pw.normalizers.BertNormalizer).parameters)
    assert set(keywords.BERT) == bert
    loads = set(keywords.LoadSettings.__optional_keys__)
    assert loads == {
        "format",
        "added_token_ids",
        *loading._VOCAB_ONLY,
        *keywords.MODEL,
        *keywords.LIMITS,
    }


def test_encode_calls_share_their_keywords() -> None:
    tok = pw.Tokenizer
    single = keyword_names(tok.encode)
    assert keyword_names(tok.encode_ids) == single | {"as_array"}
    assert keyword_names(tok.encode_batch) == single | {"offsets", "threads"}
    segments = keyword_names(tok.encode_segments)
    assert segments == single - {"is_pretokenized"}
    assert keyword_names(tok.encode_segments_batch) == segments | {"offsets", "threads"}


def test_settings_of_sampling_agree() -> None:
    fields = set(encoding_settings.Sampling.__dataclass_fields__)
    assert set(arguments.Way._fields) == fields | {"path", "first_input"}
    drawn = keyword_names(lm.LanguageModel.sample)
    assert drawn == fields - {"dropout"} | {"add_special_tokens", "specials"}


def test_compiled_members_are_documented_as_in_their_stubs() -> None:
    documented = 0
    for name in pw.__all__:
        shown = getattr(pw, name)
        if getattr(shown, "__module__", None) != "piecework._core" or not inspect.isclass(shown):
            continue
        for member in stub_of(name).body:
            wanted = ast.get_docstring(member) if isinstance(member, ast.FunctionDef) else None
            if wanted is None or member.name.startswith("_"):  # type: ignore[union-attr]
                continue
            found = inspect.getdoc(getattr(shown, member.name))  # type: ignore[union-attr]
            assert found, f"{name}.{member.name} has no docstring"  # type: ignore[union-attr]
            assert found.split() == wanted.split("\n")[0].split()
            documented += 1
    assert documented > 15


def stub_of(name: str) -> ast.ClassDef:
    """Returns the class of a name in the stubs of the compiled module."""
    for path in (SOURCE / "_core").glob("*.pyi"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                return node
    raise AssertionError(name)
