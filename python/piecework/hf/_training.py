"""Trains the model of a tokenizer, with the trainers of the core."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from piecework import _core, trainers as core_trainers
from piecework._progress import reporting
from piecework.corpus._counts import WordCounts
from piecework.errors import ConfigError
from piecework.hf._arguments import instance, string
from piecework.hf._state import dumps
from piecework.hf.models import BPE, _read_core, _whole_model
from piecework.hf.trainers import Trainer, _added_token, _own_trainer
from piecework.normalizers import Normalizer
from piecework.pre_tokenizers import PreTokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from piecework._core import Tokenizer as CoreTokenizer
    from piecework.hf._tokenizer import Tokenizer

_Json = dict[str, Any]
_AFFIXES = ("continuing_subword_prefix", "end_of_word_suffix")


def train_texts(tokenizer: Tokenizer, texts: Iterable[Any], trainer: Trainer | None) -> None:
    """Implements :meth:`Tokenizer.train_from_iterator`."""
    _train(tokenizer, _flat(texts), trainer)


def train_files(tokenizer: Tokenizer, files: Sequence[str], trainer: Trainer | None) -> None:
    """Implements :meth:`Tokenizer.train`."""
    from piecework._io.corpus import Corpus

    if isinstance(files, str):
        raise TypeError("expected a list of names of files, found a str")
    names = [string(name) for name in files]
    lines = Corpus(names, format="text", keep_line_ends=True) if names else ()
    _train(tokenizer, lines, trainer)


def train_languages(
    tokenizer: Tokenizer,
    settings: _Json,
    train: Sequence[Iterable[Any]],
    dev: Sequence[Iterable[Any]] | None,
    ratio: Sequence[float] | None,
) -> None:
    """Implements :meth:`piecework.hf.trainers.ParityBpeTrainer.train_from_iterator`."""
    from piecework.hf._parity import ParityLearner
    from piecework.hf._tokenizer import Tokenizer as Mutable

    instance(tokenizer, Mutable)
    languages, measured = _languages(train), None if dev is None else _languages(dev)
    _check_languages(settings, languages, measured, ratio)
    counted = None if measured is None else _tables(tokenizer, measured, settings)
    learner = ParityLearner(settings, _tables(tokenizer, languages, settings), counted, ratio)
    learner.learn()
    affixes = {name: settings[name] for name in _AFFIXES}
    tokenizer.model = BPE(learner.vocab, learner.merges, **affixes)
    tokenizer.add_special_tokens([_added_token(token) for token in settings["special_tokens"]])


def _tables(tokenizer: Tokenizer, languages: list[Any], settings: _Json) -> list[dict[str, int]]:
    """Returns the words of each language with their counts."""
    return [dict(_counted(tokenizer, _flat(each), settings).items()) for each in languages]


def _languages(texts: Any) -> list[Any]:
    """Returns the texts of each language."""
    if isinstance(texts, str) or not hasattr(texts, "__getitem__"):
        raise TypeError(f"expected a list of iterables, found {type(texts).__name__!r}")
    for each in texts:
        if not hasattr(each, "__iter__"):
            raise TypeError(f"{type(each).__name__!r} object is not iterable")
    return list(texts)


def _check_languages(
    settings: _Json, train: list[Any], dev: list[Any] | None, ratio: Sequence[float] | None
) -> None:
    """Raises ConfigError unless the settings fit each other."""
    count = len(train)
    if not count:
        raise ConfigError("expected at least one language, found none", setting="train_iterators")
    for name, values in (("dev_iterators", dev), ("ratio", None if dev is not None else ratio)):
        if values is not None and len(values) != count:
            problem = f"expected one for each of the {count} languages, found {len(values)}"
            raise ConfigError(problem, setting=name)
    for rate in ratio or ():
        if not 0 < rate < math.inf:
            raise ConfigError(f"expected positive numbers, found {rate!r}", setting="ratio")
    if settings["variant"] == "window":
        for name in ("window_size", "alpha"):
            if not 0 < settings[name] < math.inf:
                problem = (
                    f"expected a positive number with variant 'window', found {settings[name]!r}"
                )
                raise ConfigError(problem, setting=name)


def _checked_trainer(tokenizer: Tokenizer, trainer: Trainer | None) -> Trainer:
    """Returns the trainer, or the default one, after checking that it trains this kind of model."""
    kind = tokenizer.model._type_name
    if trainer is None:
        default: Trainer = tokenizer.model.get_trainer()
        return default
    trainer = _own_trainer(trainer)
    if trainer._trains != kind:
        name = type(trainer).__name__
        raise ValueError(f"{name} can only train a {trainer._trains}, and this is a {kind}")
    return trainer


def _flat(texts: Iterable[Any]) -> Iterator[str]:
    """Returns texts; an item may be a list of texts."""
    for item in texts:
        if isinstance(item, str):
            yield item
        else:
            yield from map(string, item)


# --- words -------------------------------------------------------------------------------------


def _stages(tokenizer: Tokenizer) -> dict[str, Any]:
    """Returns normalizer and pre-tokenizer as settings of piecework."""
    kinds = {"normalizer": Normalizer, "pre_tokenizer": PreTokenizer}
    parts = {name: getattr(tokenizer, name) for name in kinds}
    return {
        name: None if part is None else kinds[name].from_dict(part._write())
        for name, part in parts.items()
    }


def _counted(tokenizer: Tokenizer, texts: Iterable[str], settings: _Json) -> WordCounts:
    """Returns the counts of the words of texts."""
    if not tokenizer._is_custom():
        progress = settings["show_progress"]
        return WordCounts.from_texts(texts, **_stages(tokenizer), progress=progress)
    from piecework.hf._custom import words_of

    counts: dict[str, int] = {}
    for text in texts:
        for word in words_of(tokenizer, text):
            counts[word] = counts.get(word, 0) + 1
    return WordCounts(counts)


# --- training ------------------------------------------------------------------------------------


def _train(tokenizer: Tokenizer, texts: Iterable[str], trainer: Trainer | None) -> None:
    """Replaces the vocabulary of the model, and adds the special tokens."""
    trainer, model = _checked_trainer(tokenizer, trainer), tokenizer.model
    settings = trainer._values
    counts = _counted(tokenizer, texts, settings)
    state = _STATES[trainer._trains](counts, settings)
    kept = {name: model._values[name] for name in _KEPT[model._type_name]}
    model._replace(_read_core(dumps({"model": state | kept})))
    trainer._record(len(counts))
    tokenizer._added = None
    tokenizer.add_special_tokens(trainer.special_tokens)  # type: ignore[attr-defined]  # each has it


_KEPT = {
    "BPE": ("dropout", "unk_token", "fuse_unk", "byte_fallback", "ignore_merges"),
    "Unigram": ("byte_fallback",),
    "WordLevel": ("unk_token",),
    "WordPiece": ("unk_token", "max_input_chars_per_word"),
}
"""The settings of a model that a training does not change."""


def _run(counts: WordCounts, trainer: core_trainers.Trainer, settings: _Json) -> CoreTokenizer:
    """Returns the tokenizer of a training by the core."""
    splitter = counts._core.splitter() or "{}"
    with reporting(settings["show_progress"]) as report:
        return _core.train(counts._core, (splitter, [], trainer.to_json()), None, report, None)


def _names(settings: _Json) -> list[str]:
    """Returns the texts of special tokens, without duplicates."""
    return list(dict.fromkeys(token["content"] for token in settings["special_tokens"]))


def _shared(settings: _Json) -> _Json:
    """Returns the arguments of the trainers of the core that merge."""
    return {
        "min_frequency": max(settings["min_frequency"], 1),
        "special_tokens": _names(settings),
        "initial_alphabet": "".join(settings["initial_alphabet"]),
        "limit_alphabet": settings["limit_alphabet"],
        "continuing_subword_prefix": settings["continuing_subword_prefix"] or "",
    }


def _bpe(counts: WordCounts, settings: _Json) -> _Json:
    """Returns a BPE model, trained as `tokenizers` does."""
    arguments = _shared(settings) | {
        "ties": "hf",
        "unk_token": None,
        "end_of_word_suffix": settings["end_of_word_suffix"] or "",
        "max_token_length": settings["max_token_length"],
    }
    if not counts:
        tokens = [*arguments["special_tokens"], *sorted(arguments["initial_alphabet"])]
        return {"type": "BPE"} | BPE._defaults() | {"vocab": _numbered(tokens), "merges": []}
    try:
        trainer = core_trainers.BpeTrainer(max(settings["vocab_size"], 1), **arguments)
        core = _run(counts, trainer, settings)
    except ConfigError as error:
        if error.setting != "vocab_size":
            raise
        # The alphabet alone is larger, and `tokenizers` keeps it whole.
        trainer = core_trainers.BpeTrainer(None, max_merges=0, **arguments)
        core = _run(counts, trainer, settings)
    return _whole_model(core) | {name: settings[name] for name in _AFFIXES}


def _numbered(tokens: Iterable[str]) -> dict[str, int]:
    """Returns tokens with their ids, without duplicates."""
    return {token: number for number, token in enumerate(dict.fromkeys(tokens))}


def _word_piece(counts: WordCounts, settings: _Json) -> _Json:
    """Returns a WordPiece model, trained by a criterion of piecework, or by merging as BPE does."""
    if (criterion := settings["criterion"]) is not None:
        trainer = core_trainers.WordPieceTrainer(
            settings["vocab_size"], criterion=criterion, **_shared(settings)
        )
        return _whole_model(_run(counts, trainer, settings))
    prefix = settings["continuing_subword_prefix"]
    return {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##" if prefix is None else prefix,
        "max_input_chars_per_word": 100,
        "vocab": _bpe(counts, settings)["vocab"],
    }


def _word_level(counts: WordCounts, settings: _Json) -> _Json:
    """Returns a WordLevel model of the most frequent words."""
    special = _names(settings)
    if not counts:
        return {"type": "WordLevel", "vocab": _numbered(special), "unk_token": ""}
    size = max(settings["vocab_size"], len(special), 1)
    # Words are not cut at special tokens, as `tokenizers` does, so the training has none.
    chosen = core_trainers.WordLevelTrainer(
        size, min_frequency=max(settings["min_frequency"], 1), special_tokens=(), unk_token=None
    )
    model = _whole_model(_run(counts, chosen, settings))
    words = [word for word in model["vocab"] if word not in special]
    tokens = [*special, *words][:size]
    own, vocab = model["piecework"], _numbered(tokens)
    if vocab != model["vocab"]:  # the record of the training follows its vocabulary
        counts_of = dict(zip(model["vocab"], own["training"]["token_counts"], strict=True))
        own["training"]["token_counts"] = [counts_of.get(token, 0) for token in tokens]
        own.pop("contents_sha256", None)
    return model | {"vocab": vocab}


def _unigram(counts: WordCounts, settings: _Json) -> _Json:
    """Returns a Unigram model of at most the size that was asked for."""
    unknown, special = settings["unk_token"], _names(settings)
    if unknown is not None and unknown not in special:
        special.insert(0, unknown)
    arguments: _Json = {
        "seed_size": settings["seed_size"],
        "shrinking_factor": settings["shrinking_factor"],
        "em_steps": settings["n_sub_iterations"],
        "max_piece_length": settings["max_piece_length"],
        "special_tokens": special,
        "unk_token": unknown,
        "character_coverage": 1.0,
        "required_chars": "".join(settings["initial_alphabet"]),
        "split_by_unicode_script": False,
        "split_by_number": False,
    }
    trainer = core_trainers.UnigramTrainer(settings["vocab_size"], **arguments)
    try:
        core = _run(counts, trainer, settings)
    except ConfigError as error:
        largest = _LARGEST.search(error.problem)
        if largest is None:
            raise
        size = int(largest[1].replace(",", ""))
        core = _run(counts, core_trainers.UnigramTrainer(size, **arguments), settings)
    return _whole_model(core)


_LARGEST = re.compile(r"pieces for ([0-9,]+) entries at most")
"""The largest size that a training can reach, in the error for a larger one."""

_STATES = {"BPE": _bpe, "Unigram": _unigram, "WordLevel": _word_level, "WordPiece": _word_piece}
