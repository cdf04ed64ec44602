"""Trains the model of a tokenizer, with the trainers of the core."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from piecework import _core, trainers as core_trainers
from piecework._progress import reporting
from piecework.corpus._counts import WordCounts
from piecework.errors import ConfigError
from piecework.hf import _calls
from piecework.hf._arguments import instance, string
from piecework.hf._state import dumps
from piecework.hf.models import _BPE_DEFAULTS, _read_core, _whole_model
from piecework.hf.trainers import (
    BpeTrainer,
    Trainer,
    UnigramTrainer,
    WordLevelTrainer,
    WordPieceTrainer,
    _added_token,
    _own_trainer,
)
from piecework.normalizers import Normalizer
from piecework.pre_tokenizers import PreTokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from piecework._core import Tokenizer as CoreTokenizer
    from piecework.hf._tokenizer import Tokenizer
    from piecework.hf.models import Model

__all__ = ["train_files", "train_languages", "train_texts"]

_Json = dict[str, Any]


def train_texts(tokenizer: Tokenizer, texts: Iterable[Any], trainer: Trainer | None) -> None:
    """Implements :meth:`Tokenizer.train_from_iterator`."""
    chosen = _checked_trainer(tokenizer, trainer)
    _train(tokenizer, _counted(tokenizer, _flat(texts), chosen._settings["show_progress"]), chosen)


def train_files(tokenizer: Tokenizer, files: Sequence[str], trainer: Trainer | None) -> None:
    """Implements :meth:`Tokenizer.train`."""
    from piecework._io.corpus import Corpus

    if isinstance(files, str):
        raise TypeError("expected a list of names of files, found a str")
    chosen = _checked_trainer(tokenizer, trainer)
    names = [string(name) for name in files]
    lines = Corpus(names, format="text", keep_line_ends=True) if names else ()
    _train(tokenizer, _counted(tokenizer, lines, chosen._settings["show_progress"]), chosen)


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
    from piecework.hf.models import BPE

    instance(tokenizer, Mutable)
    languages, measured = _languages(train), None if dev is None else _languages(dev)
    _check_languages(settings, languages, measured, ratio)
    learner = ParityLearner(
        settings,
        _tables(tokenizer, languages, settings),
        None if measured is None else _tables(tokenizer, measured, settings),
        ratio,
    )
    learner.learn()
    model = BPE(
        learner.vocab,
        learner.merges,
        continuing_subword_prefix=settings["continuing_subword_prefix"],
        end_of_word_suffix=settings["end_of_word_suffix"],
    )
    tokenizer.model = model
    tokenizer.add_special_tokens([_added_token(token) for token in settings["special_tokens"]])


def _tables(tokenizer: Tokenizer, languages: list[Any], settings: _Json) -> list[dict[str, int]]:
    """Returns the words of each language with their counts."""
    progress = settings["show_progress"]
    return [dict(_counted(tokenizer, _flat(each), progress).items()) for each in languages]


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
    if _TRAINS[type(trainer)] != kind:
        name = type(trainer).__name__
        raise ValueError(f"{name} can only train a {_TRAINS[type(trainer)]}, and this is a {kind}")
    return trainer


_TRAINS = {
    BpeTrainer: "BPE",
    UnigramTrainer: "Unigram",
    WordLevelTrainer: "WordLevel",
    WordPieceTrainer: "WordPiece",
}


def _flat(texts: Iterable[Any]) -> Iterator[str]:
    """Returns texts; an item may be a list of texts."""
    for item in texts:
        if isinstance(item, str):
            yield item
        else:
            yield from map(string, item)


# --- words -------------------------------------------------------------------------------------


def _is_custom(tokenizer: Tokenizer) -> bool:
    return _calls.has_custom(tokenizer.normalizer) or _calls.has_custom(tokenizer.pre_tokenizer)


def _stages(tokenizer: Tokenizer) -> dict[str, Any]:
    """Returns normalizer and pre-tokenizer as settings of piecework."""
    normalizer, pre_tokenizer = tokenizer.normalizer, tokenizer.pre_tokenizer
    return {
        "normalizer": None if normalizer is None else Normalizer.from_dict(normalizer._write()),
        "pre_tokenizer": None
        if pre_tokenizer is None
        else PreTokenizer.from_dict(pre_tokenizer._write()),
    }


def _counted(tokenizer: Tokenizer, texts: Iterable[str], progress: bool) -> WordCounts:
    """Returns the counts of the words of texts."""
    if not _is_custom(tokenizer):
        return WordCounts.from_texts(texts, **_stages(tokenizer), progress=progress)
    from piecework.hf._custom import words_of

    counts: dict[str, int] = {}
    for text in texts:
        for word in words_of(tokenizer, text):
            counts[word] = counts.get(word, 0) + 1
    return WordCounts(counts)


# --- training ------------------------------------------------------------------------------------


def _train(tokenizer: Tokenizer, counts: WordCounts, trainer: Trainer) -> None:
    """Replaces the vocabulary of the model, and adds the special tokens."""
    model: Model = tokenizer.model
    state = _STATES[type(trainer)](counts, trainer)
    kept = {name: model._values[name] for name in _KEPT[model._type_name]}
    model._replace(_read_core(dumps({"model": state | kept})))
    trainer._word_count = len(counts)
    tokenizer._added = None
    tokenizer.add_special_tokens(trainer.special_tokens)  # type: ignore[attr-defined]  # each has it


_KEPT = {
    "BPE": ("dropout", "unk_token", "fuse_unk", "byte_fallback", "ignore_merges"),
    "Unigram": ("byte_fallback",),
    "WordLevel": ("unk_token",),
    "WordPiece": ("unk_token", "max_input_chars_per_word"),
}
"""The settings of a model that a training does not change."""


def _run(counts: WordCounts, trainer: core_trainers.Trainer, progress: bool) -> CoreTokenizer:
    """Returns the tokenizer of a training by the core."""
    splitter = counts._core.splitter() or "{}"
    with reporting(progress) as report:
        return _core.train(counts._core, (splitter, [], trainer.to_json()), None, report)


def _names(settings: _Json) -> list[str]:
    """Returns the texts of special tokens, without duplicates."""
    return list(dict.fromkeys(token["content"] for token in settings["special_tokens"]))


def _merged(counts: WordCounts, settings: _Json) -> _Json:
    """Returns a BPE model, trained as `tokenizers` does."""
    special, alphabet = _names(settings), "".join(settings["initial_alphabet"])
    if not counts:
        tokens = dict.fromkeys([*special, *sorted(alphabet)])
        vocab = {token: number for number, token in enumerate(tokens)}
        return {"type": "BPE"} | _BPE_DEFAULTS | {"vocab": vocab, "merges": []}
    arguments: _Json = {
        "min_frequency": max(settings["min_frequency"], 1),
        "ties": "hf",
        "special_tokens": special,
        "unk_token": None,
        "initial_alphabet": alphabet,
        "limit_alphabet": settings["limit_alphabet"],
        "continuing_subword_prefix": settings["continuing_subword_prefix"] or "",
        "end_of_word_suffix": settings["end_of_word_suffix"] or "",
        "max_token_length": settings["max_token_length"],
    }
    progress = settings["show_progress"]
    try:
        trainer = core_trainers.BpeTrainer(max(settings["vocab_size"], 1), **arguments)
        core = _run(counts, trainer, progress)
    except ConfigError as error:
        if error.setting != "vocab_size":
            raise
        # The alphabet alone is larger, and `tokenizers` keeps it whole.
        trainer = core_trainers.BpeTrainer(None, max_merges=0, **arguments)
        core = _run(counts, trainer, progress)
    names = ("continuing_subword_prefix", "end_of_word_suffix")
    return _whole_model(core) | {name: settings[name] for name in names}


def _bpe(counts: WordCounts, trainer: Trainer) -> _Json:
    return _merged(counts, trainer._settings)


def _word_piece(counts: WordCounts, trainer: Trainer) -> _Json:
    """Returns a WordPiece model, trained by merging as BPE does, or by a criterion."""
    settings = trainer._settings
    prefix = settings["continuing_subword_prefix"]
    if settings["criterion"] is not None:
        return _by_criterion(counts, settings)
    merged = _merged(counts, settings)
    return {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##" if prefix is None else prefix,
        "max_input_chars_per_word": 100,
        "vocab": merged["vocab"],
    }


def _by_criterion(counts: WordCounts, settings: _Json) -> _Json:
    """Returns a WordPiece model, trained by a criterion of piecework."""
    trainer = core_trainers.WordPieceTrainer(
        settings["vocab_size"],
        criterion=settings["criterion"],
        min_frequency=max(settings["min_frequency"], 1),
        special_tokens=_names(settings),
        initial_alphabet="".join(settings["initial_alphabet"]),
        limit_alphabet=settings["limit_alphabet"],
        continuing_subword_prefix=settings["continuing_subword_prefix"] or "",
    )
    return _whole_model(_run(counts, trainer, settings["show_progress"]))


def _word_level(counts: WordCounts, trainer: Trainer) -> _Json:
    """Returns a WordLevel model of the most frequent words."""
    settings = trainer._settings
    special = _names(settings)
    if not counts:
        vocab = {token: number for number, token in enumerate(special)}
        return {"type": "WordLevel", "vocab": vocab, "unk_token": ""}
    size = max(settings["vocab_size"], len(special), 1)
    # Words are not cut at special tokens, as `tokenizers` does, so the training has none.
    chosen = core_trainers.WordLevelTrainer(
        size,
        min_frequency=max(settings["min_frequency"], 1),
        special_tokens=(),
        unk_token=None,
    )
    model = _whole_model(_run(counts, chosen, settings["show_progress"]))
    words = [word for word in model["vocab"] if word not in special]
    tokens = [*special, *words][:size]
    own, vocab = model["piecework"], {token: number for number, token in enumerate(tokens)}
    if vocab != model["vocab"]:  # the record of the training follows its vocabulary
        counts_of = dict(zip(model["vocab"], own["training"]["token_counts"], strict=True))
        own["training"]["token_counts"] = [counts_of.get(token, 0) for token in tokens]
        own.pop("contents_sha256", None)
    return model | {"vocab": vocab}


def _unigram(counts: WordCounts, trainer: Trainer) -> _Json:
    """Returns a Unigram model of at most the size that was asked for."""
    settings = trainer._settings
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
    size, progress = settings["vocab_size"], settings["show_progress"]
    try:
        core = _run(counts, core_trainers.UnigramTrainer(size, **arguments), progress)
    except ConfigError as error:
        largest = _LARGEST.search(error.problem)
        if largest is None:
            raise
        size = int(largest[1].replace(",", ""))
        core = _run(counts, core_trainers.UnigramTrainer(size, **arguments), progress)
    return _whole_model(core)


_LARGEST = re.compile(r"pieces for ([0-9,]+) entries at most")
"""The largest size that a training can reach, in the error for a larger one."""

_STATES = {
    BpeTrainer: _bpe,
    UnigramTrainer: _unigram,
    WordLevelTrainer: _word_level,
    WordPieceTrainer: _word_piece,
}
