"""Arguments of wrong types for every public call: the error names the argument."""

import collections
import functools
import importlib.util
import inspect
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import piecework as pw
from piecework import (
    analysis,
    corpus,
    decoders,
    engines,
    models,
    normalizers,
    patterns,
    pre_tokenizers,
    processors,
)
from piecework.tokenizer._settings import Changes, LoadSettings

TRAINER = pw.WordPieceTrainer(60)
TOKENIZER = pw.train(["the cat sat on the mat"], TRAINER)
UNIGRAM = pw.Tokenizer(models.Unigram([("a", -1.0)]))
COUNTS = pw.WordCounts({"low": 1})
TRACE: Any = pw.trace(["low lower"], TRAINER)
ENCODING = TOKENIZER.encode("the cat")
BATCH = TOKENIZER.encode_batch(["the", "cat sat"])


class Odd:
    """An object that no call accepts."""

    def __repr__(self) -> str:
        return "Odd()"


class Unshowable:
    """An object whose repr fails."""

    def __repr__(self) -> str:
        raise ArithmeticError


WRONG: list[Any] = [
    None,
    3,
    -1,
    1.5,
    float("nan"),
    True,
    2**63,
    2**64,
    -(2**64),
    10**5000,
    "zzz",
    "\ud800",
    "a\0b",
    "x" * 5000,
    b"zzz",
    b"\xff",
    Odd(),
    Unshowable(),
    [Odd()],
    [None],
    ["a", 3],
    ["\ud800"],
    [2**64],
    [-1],
    [1.5],
    (1,),
    ["low", "lower"],
    [["low"]],
    {1: 2},
    {"a": "b"},
]

NATURAL = {
    "wc[]": KeyError,
    "first_occurrence": KeyError,
    "encoding[]": IndexError,
    "batch[]": IndexError,
}
"""What mappings and sequences raise for what they do not hold."""

ALSO = {
    "texts": ["text ", "words"],
    "tokens": ["token "],
    "batch": ["ids"],
    "text_or_texts": ["text"],
}
"""Names that a message may use in place of the argument: one of several, or the value made of it."""


@pytest.fixture(autouse=True)
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes to a folder with files that calls read."""
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("low lower lowest\n", encoding="utf-8")
    Path("codes").write_text("#version: 0.2\nl o\n", encoding="utf-8")
    Path("subwords").write_text("lo@@ 3\n", encoding="utf-8")
    Path("jieba").write_text("word 1\n", encoding="utf-8")
    Path("tok.json").write_text(TOKENIZER.to_str(), encoding="utf-8")
    COUNTS.save("counts")


def encode_words(text: Any, pair: Any = None) -> object:
    return TOKENIZER.encode(text, pair, is_pretokenized=True)


def encode_batch_of_words(texts: Any) -> object:
    return TOKENIZER.encode_batch(texts, is_pretokenized=True)


def pieces(ids: Any) -> object:
    return list(TOKENIZER.decode_stream().pieces(ids))


def shard(number: Any) -> object:
    path, engine = Path("text.txt"), engines.Local(1)
    corpus.tokenize(TOKENIZER, pw.Corpus(path), "ids", engine=engine)
    return corpus.Dataset("ids").shard(number)


def merge_lines(depth: Any) -> object:
    return list(TOKENIZER.lineage("the").merge_lines(depth))


def times_less_likely(other: Any) -> object:
    steps: Any = UNIGRAM.explain("a").words[0].steps
    return steps.times_less_likely(other)


def states(steps: Any) -> object:
    return list(TRACE.states(steps))


def criteria_steps(steps: Any) -> object:
    return list(pw.trace_criteria(["low"], TRAINER, criteria=["pmi"]).steps(steps))


CALLS: dict[str, tuple[Callable[..., object], dict[str, Any]]] = {
    "train": (pw.train, {"texts": ["low"], "trainer": TRAINER}),
    "Corpus": (pw.Corpus, {"paths": "text.txt"}),
    "train, files": (pw.train, {"texts": pw.Corpus(__file__), "trainer": TRAINER}),
    "compare": (pw.compare, {"text": "low", "tokenizers": {"a": TOKENIZER}}),
    "evaluate": (pw.evaluate, {"tokenizers": TOKENIZER, "texts": ["a"]}),
    "evaluate, files": (pw.evaluate, {"tokenizers": TOKENIZER, "texts": pw.Corpus(__file__)}),
    "diff": (pw.diff, {"old": TOKENIZER, "new": TOKENIZER, "texts": ["a"]}),
    "lint": (pw.lint, {"tokenizer": TOKENIZER}),
    "Tokenizer": (pw.Tokenizer, {"model": models.WordLevel(["a"], unk_token="a")}),
    "from_file": (pw.Tokenizer.from_file, {"path": "tok.json"}),
    "from_tiktoken": (pw.Tokenizer.from_tiktoken, {"path": "tok.json", "name": "gpt2"}),
    "from_sentencepiece": (pw.Tokenizer.from_sentencepiece, {"path": "tok.json"}),
    "from_subword_nmt": (pw.Tokenizer.from_subword_nmt, {"path": "codes", "vocab": "subwords"}),
    "from_str": (pw.Tokenizer.from_str, {"text": "[UNK]\n"}),
    "from_bytes": (pw.Tokenizer.from_bytes, {"data": b"[UNK]\n"}),
    "from_folder": (pw.Tokenizer.from_folder, {"path": "."}),
    "save": (TOKENIZER.save, {"path": "new.json"}),
    "save, .model": (UNIGRAM.save, {"path": "new.model"}),
    "save, .txt": (TOKENIZER.save, {"path": "new.txt"}),
    "with_added_tokens": (TOKENIZER.with_added_tokens, {"tokens": ["x"]}),
    "encode": (TOKENIZER.encode, {"text": "a"}),
    "encode, in words": (encode_words, {"text": ["a"]}),
    "encode, drawn": (UNIGRAM.encode, {"text": "a", "sampling": pw.Sampling(alpha=1.0)}),
    "encode_segments": (TOKENIZER.encode_segments, {"segments": [("a", True)]}),
    "encode_ids": (TOKENIZER.encode_ids, {"text": "a"}),
    "lm.nbest": (UNIGRAM.lm.nbest, {"text": "a", "n": 1}),
    "encode_batch": (TOKENIZER.encode_batch, {"texts": ["a"]}),
    "encode_batch, in words": (encode_batch_of_words, {"texts": [["a"]]}),
    "encode_batch, files": (TOKENIZER.encode_batch, {"texts": pw.Corpus(__file__)}),
    "tokenize": (TOKENIZER.tokenize, {"text": "a"}),
    "to_subword_nmt": (TOKENIZER.to_subword_nmt, {"text": "a b"}),
    "decode": (TOKENIZER.decode, {"ids": [1]}),
    "decode_batch": (TOKENIZER.decode_batch, {"batch": [[1]]}),
    "decode_bytes": (TOKENIZER.decode_bytes, {"ids": [1]}),
    "decode_bytes_batch": (TOKENIZER.decode_bytes_batch, {"batch": [[1]]}),
    "decode_stream": (TOKENIZER.decode_stream, {}),
    "decode_bytes_stream": (TOKENIZER.decode_bytes_stream, {}),
    "display_token": (TOKENIZER.display_token, {"token": "a"}),
    "count": (TOKENIZER.count, {"text_or_texts": "a"}),
    "lm.marginal_log_likelihood": (UNIGRAM.lm.marginal_log_likelihood, {"text": "a"}),
    "lm.sample": (UNIGRAM.lm.sample, {"text": "a"}),
    "lm.score": (UNIGRAM.lm.score, {"tokens": ["a"]}),
    "lm.log_likelihood": (TOKENIZER.lm.log_likelihood, {"text": "a"}),
    "explain": (TOKENIZER.explain, {"text": "a"}),
    "lineage": (TOKENIZER.lineage, {"token": "a"}),
    "token_to_id": (TOKENIZER.token_to_id, {"token": "a"}),
    "id_to_token": (TOKENIZER.id_to_token, {"id": 1}),
    "step": (TOKENIZER.decode_stream().step, {"ids": [1]}),
    "pieces": (pieces, {"ids": [1]}),
    "WordCounts": (pw.WordCounts, {"words": {"a": 1}}),
    "from_texts": (pw.WordCounts.from_texts, {"texts": ["a"]}),
    "from_texts, files": (pw.WordCounts.from_texts, {"texts": pw.Corpus(__file__)}),
    "count_words": (pw.count_words, {"texts": ["a"]}),
    "load": (pw.WordCounts.load, {"path": "counts"}),
    "wc.from_bytes": (pw.WordCounts.from_bytes, {"data": COUNTS.to_bytes()}),
    "wc.save": (COUNTS.save, {"path": "new"}),
    "merge": (COUNTS.merge, {"other": COUNTS}),
    "first_occurrence": (COUNTS.first_occurrence, {"word": "low"}),
    "wc[]": (lambda word: COUNTS[word], {"word": "low"}),
    "char_to_token": (ENCODING.char_to_token, {"char_pos": 1, "sequence_index": 0}),
    "char_to_word": (ENCODING.char_to_word, {"char_pos": 1, "sequence_index": 0}),
    "token_to_chars": (ENCODING.token_to_chars, {"token_index": 1}),
    "token_to_word": (ENCODING.token_to_word, {"token_index": 1}),
    "token_to_sequence": (ENCODING.token_to_sequence, {"token_index": 1}),
    "word_to_tokens": (ENCODING.word_to_tokens, {"word_index": 1, "sequence_index": 0}),
    "word_to_chars": (ENCODING.word_to_chars, {"word_index": 1, "sequence_index": 0}),
    "Encoding.truncate": (ENCODING.truncate, {"max_length": 1, "stride": 0}),
    "Encoding.pad": (ENCODING.pad, {"length": 4, "pad_id": 0, "pad_type_id": 0}),
    "Encoding.merge": (pw.Encoding.merge, {"encodings": [ENCODING]}),
    "with_sequence_id": (ENCODING.with_sequence_id, {"sequence_id": 1}),
    "encoding[]": (lambda place: ENCODING[place], {"place": 1}),
    "Encoding": (pw.Encoding, {"state": ENCODING.__reduce__()[1][0]}),  # type: ignore[call-arg, index]
    "batch[]": (lambda place: BATCH[place], {"place": 1}),
    "padded": (BATCH.padded, {}),
    "normalize_str": (normalizers.Lowercase().normalize_str, {"text": "a"}),
    "pre_tokenize_str": (pre_tokenizers.Whitespace().pre_tokenize_str, {"text": "a"}),
    "decoder": (decoders.Fuse().decode, {"tokens": ["a"]}),
    "Precompiled.of": (normalizers.Precompiled.of, {"rules": "nfkc"}),
    "SentencePiece.of": (normalizers.SentencePiece.of, {"rules": "nfkc"}),
    "split_by": (pre_tokenizers.ByteLevel.split_by, {"pattern": "gpt2"}),
    "from_user_dictionary": (pre_tokenizers.Jieba.from_user_dictionary, {"path": "jieba"}),
    "from_vocab": (models.Unigram.from_vocab, {"text": "a\t0.0\n"}),
    "num_special_tokens": (
        processors.BertProcessing(("a", 1), ("b", 2)).num_special_tokens_to_add,
        {"is_pair": True},
    ),
    "patterns.from_tiktoken": (patterns.from_tiktoken, {"pattern": "a"}),
    "normalizer": (normalizers.Normalizer.from_dict, {"data": {"type": "Lowercase"}}),
    "pre_tokenizer": (pre_tokenizers.PreTokenizer.from_dict, {"data": {"type": "Whitespace"}}),
    "shard": (shard, {"number": 0}),
    "Comparison.lines": (pw.compare(TOKENIZER, "low").lines, {"width": 9}),
    "merge_lines": (merge_lines, {"depth": 0}),
    "times_less_likely": (times_less_likely, {"other": None}),
    "MergeTrace.words": (TRACE.words, {"step": 1}),
    "trace": (pw.trace, {"texts": ["low"], "trainer": TRAINER, "top": 1, "words": 1}),
    "evaluate, disagreements": (
        pw.evaluate,
        {"tokenizers": {"a": TOKENIZER, "b": TOKENIZER}, "texts": ["a"], "disagreements": 1},
    ),
    "MergeTrace.states": (states, {"steps": slice(None)}),
    "MergeTrace.to_text": (TRACE.to_text, {"steps": slice(None)}),
    "CriteriaTrace.steps": (criteria_steps, {"steps": slice(None)}),
    "Parity.of": (analysis.Parity.of, {"tokens": {"en": 1}, "reference": "en"}),
    "Agreement.total": (analysis.Agreement.total, {"parts": [], "most": 1}),
    "TextSums.total": (analysis.TextSums.total, {"parts": []}),
    "Ray": (engines.Ray, {"runtime_env": None}),
    "Spark": (engines.Spark, {"config": None}),
    "WordPieceTrainer": (pw.WordPieceTrainer, {"vocab_size": 60}),
    "BpeTrainer": (pw.BpeTrainer, {"vocab_size": 60}),
    "UnigramTrainer": (pw.UnigramTrainer, {"vocab_size": 60}),
    "Padding": (pw.Padding, {}),
    "Truncation": (pw.Truncation, {"max_length": 5}),
    "Sampling": (pw.Sampling, {"alpha": 1.0}),
    "AddedToken": (pw.AddedToken, {"content": "a"}),
    "Regex": (pw.Regex, {"pattern": "a"}),
    "Vocabulary": (models.Vocabulary, {"tokens": ["a"]}),
    "WordPiece": (models.WordPiece, {"vocab": ["[UNK]"]}),
    "WordLevel": (models.WordLevel, {"vocab": ["[UNK]"]}),
    "BPE": (models.BPE, {"vocab": ["a"]}),
    "Unigram": (models.Unigram, {"vocab": [("a", -1.0)]}),
    "replace": (TOKENIZER.replace, dict.fromkeys(Changes.__optional_keys__)),
    "loading": (
        functools.partial(pw.Tokenizer.from_str, "[UNK]\n"),
        dict.fromkeys(LoadSettings.__optional_keys__),
    ),
}
ONE_BY_ONE = {"replace", "loading"}
"""Calls whose settings say something by being there."""


def component_calls() -> Iterator[tuple[str, tuple[Callable[..., object], dict[str, Any]]]]:
    """Returns the component classes that need at most one setting."""
    for module in (normalizers, pre_tokenizers, processors, decoders):
        for name in module.__all__:
            made = getattr(module, name)
            if isinstance(made, type):
                needed = [p for p in parameters(made, {}) if p.default is p.empty]
                if len(needed) <= 1:
                    yield f"{module.__name__}.{name}", (made, {p.name: None for p in needed})


def parameters(call: Callable[..., object], given: Mapping[str, Any]) -> list[inspect.Parameter]:
    """Returns the named parameters of a call: those of its signature, and those in `given`."""
    found = inspect.signature(call).parameters
    variable = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    known = [p for p in found.values() if p.kind not in variable]
    more = [name for name in given if name not in found]
    return known + [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in more]


ALL = CALLS | dict(component_calls())


@pytest.mark.parametrize("name", ALL)
@pytest.mark.filterwarnings("ignore")
def test_wrong_arguments_raise_errors_that_name_them(name: str) -> None:
    call, given = ALL[name]
    failures = 0
    for parameter in parameters(call, given):
        for wrong in WRONG:
            rest = {} if name in ONE_BY_ONE else given
            try:
                call(**rest | {parameter.name: wrong})
            except Exception as error:  # noqa: BLE001  # the check below looks at its class
                check(name, parameter.name, wrong, error)
                failures += 1
    assert failures or not parameters(call, given) or name in TAKES_ALL


TAKES_ALL = {"num_special_tokens", "decode_stream", "decode_bytes_stream"}
"""Calls for which whatever is true or false is right."""
RAW = ("object", "cannot be interpreted", "not an instance of", "has no attribute", "embedded null")


def check(name: str, argument: str, wrong: object, error: Exception) -> None:
    """Checks the class and message of an error that a wrong argument caused."""
    message = str(error)
    description = (
        f"{name}({argument}={wrong.__class__.__name__}): {type(error).__name__}: {message[:300]}"
    )
    if type(error) is NATURAL.get(name):
        return
    assert isinstance(error, pw.PieceworkError | TypeError | ValueError), description
    assert "\n" not in message, description
    assert len(message.encode("utf-8", "backslashreplace")) <= 1000, description
    if isinstance(error, pw.PieceworkError):
        return  # the value was wrong, or something derived from it
    names = [argument.rstrip("s"), *ALSO.get(argument, [])]
    assert any(name in message for name in names), description
    found = message.partition("found ")[2]  # whose repr may be anything
    assert not any(raw in message.removesuffix(found) for raw in RAW), description


@pytest.mark.parametrize("wrong", [-1, -(2**64)])
@pytest.mark.parametrize("name", ["char_to_token", "token_to_chars", "word_to_tokens"])
def test_negative_positions_raise(name: str, wrong: int) -> None:
    with pytest.raises(pw.errors.ConfigError, match="expected an integer from 0 on, found -"):
        getattr(ENCODING, name)(wrong)


@pytest.mark.parametrize("far", [10**3, 2**32 - 1, 2**32, 2**63, 2**64, 10**30])
def test_positions_beyond_the_end_return_none(far: int) -> None:
    for name in ("char_to_token", "char_to_word", "token_to_chars", "token_to_word"):
        assert getattr(ENCODING, name)(far) is None
    for name in ("word_to_tokens", "word_to_chars", "token_to_sequence"):
        assert getattr(ENCODING, name)(far) is None
    for name in ("char_to_token", "char_to_word", "word_to_tokens", "word_to_chars"):
        # The number of a missing text selects all texts, as in `tokenizers`.
        assert getattr(ENCODING, name)(0, far) == getattr(ENCODING, name)(0, 7)
    with pytest.raises(IndexError):
        ENCODING[far]


@pytest.mark.parametrize(
    "threads", [0, -1, 2**63, 2**64, -(2**64), 1.5, "2", 10**5000], ids=range(8)
)
def test_invalid_threads_raise(threads: Any) -> None:
    calls: list[Callable[[], object]] = [
        lambda: TOKENIZER.encode_batch(["a"], threads=threads),
        lambda: TOKENIZER.encode_batch(pw.Corpus("text.txt", per="file"), threads=threads),
        lambda: pw.train(["a"], TRAINER, threads=threads),
        lambda: pw.train(pw.Corpus("text.txt"), TRAINER, threads=threads),
        lambda: pw.WordCounts.from_texts(["a"], threads=threads),
        lambda: pw.WordCounts.from_texts(pw.Corpus("text.txt"), threads=threads),
    ]
    for call in calls:
        with pytest.raises(pw.errors.ConfigError, match="threads: expected an integer from 1 to"):
            call()
    assert TOKENIZER.encode_batch(["a"], threads=2**63 - 1).to_list()


@pytest.mark.parametrize("path", ["x" * 5000, "a\0b", "a/" * 2500], ids=["long", "NUL", "deep"])
def test_impossible_paths_raise(path: str) -> None:
    calls: list[Callable[[str], object]] = [
        pw.Tokenizer.from_file,
        pw.Tokenizer.from_folder,
        pw.Tokenizer.from_sentencepiece,
        pw.Tokenizer.from_subword_nmt,
        lambda path: pw.Tokenizer.from_subword_nmt("codes", path),
        lambda path: pw.Tokenizer.from_tiktoken(path, "gpt2"),
        TOKENIZER.save,
        lambda path: TOKENIZER.encode_batch(pw.Corpus(path)),
        lambda path: pw.train(pw.Corpus(path), TRAINER),
        lambda path: pw.train(pw.Corpus([path], encoding="auto"), TRAINER),
        lambda path: pw.WordCounts.from_texts(pw.Corpus(path, encoding="latin-1")),
        pw.WordCounts.load,
        COUNTS.save,
        pre_tokenizers.Jieba.from_user_dictionary,
    ]
    for call in calls:
        with pytest.raises(pw.errors.FileError) as caught:
            call(path)
        assert len(str(caught.value)) <= 1000
        assert "name" in str(caught.value)


def test_symbolic_link_to_itself_raises(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(pw.errors.FileError, match="symbolic links"):
        TOKENIZER.save(loop)
    with pytest.raises(pw.errors.FileError, match="symbolic links"):
        pw.Tokenizer.from_file(loop)
    assert loop.is_symlink()


def test_training_on_split_texts_raises_with_a_solution() -> None:
    corpus: Any = [["low", "lower"], ["lowest"]]
    for call in (pw.WordCounts.from_texts, lambda texts: pw.train(texts, TRAINER)):
        for texts in (corpus, ["low", ("lower",)], iter(corpus)):
            with pytest.raises(TypeError, match=r"text \d: expected a str, .*join.*WordCounts"):
                call(texts)


@pytest.mark.parametrize(
    ("texts", "hint"),
    [
        (
            [["low", "lower"]],
            r'list; pass a text that is split into words as one str, " "\.join\(text\), or pass word .*',
        ),
        ([[1, 2], [3]], r"list; decode token ids, tokenizer\.decode\(ids\)"),
        ([[["low"], ["lower"]]], r"list; flatten nested lists, itertools\..*"),
        ([("low", 3)], r"tuple; pass words with counts as a mapping, dict\(texts\)"),
        ([{"id": 3, "text": "low"}], r"dict; pass the text of the record, row\['text'\]"),
        ([b"low"], r"bytes; decode it, text\.decode\(\)"),
        # No hint fits these.
        ([1, 2], "int"),
        ([["low", 3]], "list"),
        ([["low", ["lower"]]], "list"),
        ([[]], "list"),
        ([[True]], "list"),
        ([{"id": 3}], "dict"),
        ([None], "NoneType"),
        # The first item that is not a text decides.
        (["low", 3, ["lower"]], "int"),
    ],
)
def test_hint_fits_the_items_given(texts: Any, hint: str) -> None:
    for call in (pw.WordCounts.from_texts, lambda texts: pw.train(texts, TRAINER)):
        with pytest.raises(TypeError) as caught:
            call(texts)
        assert re.fullmatch(rf"text \d: expected a str, found {hint}", str(caught.value))


LISTS = [["low"], ["low", "lower"]]


@pytest.mark.parametrize(
    "texts",
    [
        [[], *LISTS],
        [(), tuple(LISTS[1])],
        [np.array(LISTS[1])],
        np.array([LISTS[1], LISTS[1]]),
        list(pa.array(LISTS)),
    ],
)
def test_hint_for_other_kinds_of_split_texts(texts: Any) -> None:
    for call in (pw.WordCounts.from_texts, lambda texts: pw.train(texts, TRAINER)):
        with pytest.raises(TypeError, match=r"text 0: expected a str, .*join.*WordCounts"):
            call(texts)


def test_hint_for_sets_of_words() -> None:
    for texts in ([{"low", "lower"}], [frozenset({"low"})]):
        with pytest.raises(TypeError, match=r"found (frozen)?set; pass word counts, WordCounts\("):
            pw.train(texts, TRAINER)


@pytest.mark.parametrize(
    "kind", [pa.list_(pa.string()), pa.large_list(pa.string()), pa.list_(pa.string(), 2)]
)
def test_hint_for_columns_of_lists_works(kind: pa.DataType) -> None:
    column = pa.array([["low", "lower"], ["low", "low"]], kind)
    columns = [column, pa.chunked_array([column])]
    if importlib.util.find_spec("polars"):
        columns.append(pytest.importorskip("polars").Series(column.to_pylist()))
    for texts in columns:
        with pytest.raises(pw.errors.ArrowError, match="expected a column of texts") as caught:
            pw.train(texts, TRAINER)
        hint = str(caught.value.hint)
        names = {"column": texts, "collections": collections, "WordCounts": pw.WordCounts}
        joined, counted = re.fullmatch(
            r"pass the words of each text as one str, (.*), or pass word counts, (.*)", hint
        ).groups()  # type: ignore[union-attr]
        assert eval(joined, names) == ["low lower", "low low"]
        assert dict(eval(counted, names).items()) == {"low": 3, "lower": 1}
        assert len(str(caught.value)) <= 1000


FLAGS: dict[str, Callable[[Any], object]] = {
    "cache": lambda value: TOKENIZER.encode("a", cache=value),
    "add_special_tokens": lambda value: TOKENIZER.encode_ids("a", add_special_tokens=value),
    "as_array": lambda value: TOKENIZER.encode_ids("a", as_array=value),
    "offsets": lambda value: TOKENIZER.encode_batch(["a"], offsets=value),
    "is_pretokenized": lambda value: TOKENIZER.encode_batch([["a"]], is_pretokenized=value),
    "parallel": lambda value: pw.evaluate(TOKENIZER, {"a": ["a"], "b": ["b"]}, parallel=value),
    "skip_special_tokens": lambda value: TOKENIZER.decode_stream(skip_special_tokens=value),
    "special": lambda value: TOKENIZER.with_added_tokens(["a"], special=value),
}


@pytest.mark.parametrize("name", FLAGS)
@pytest.mark.parametrize("value", ["x", 1, None, 0.0, []])
def test_flags_that_are_no_bool_raise(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=f"^{name}: expected a bool, found "):
        FLAGS[name](value)


def test_flags_of_numpy_are_accepted() -> None:
    wanted = TOKENIZER.encode("low", add_special_tokens=False).ids
    assert TOKENIZER.encode("low", add_special_tokens=np.False_, cache=np.True_).ids == wanted  # type: ignore[arg-type]


PROGRESS: tuple[Callable[[Any], object], ...] = (
    lambda value: pw.train(["low"], TRAINER, progress=value),
    lambda value: pw.WordCounts.from_texts(["low"], progress=value),
    lambda value: pw.evaluate(TOKENIZER, pw.Corpus(__file__), progress=value),
)


@pytest.mark.parametrize("call", PROGRESS, ids=range(3))
@pytest.mark.parametrize("value", [5, "bar", 0])
def test_progress_that_is_no_function_raises(call: Callable[[Any], object], value: Any) -> None:
    with pytest.raises(TypeError, match=r"^progress: expected a bool or a function, found "):
        call(value)


@pytest.mark.parametrize("threads", [True, False])
def test_threads_that_are_a_bool_raise(threads: bool) -> None:
    for call in (
        lambda: TOKENIZER.encode_batch(["a"], threads=threads),
        lambda: TOKENIZER.encode_batch(pw.Corpus(__file__, per="file"), threads=threads),
        lambda: pw.train({"low": 1}, TRAINER, threads=threads),
        lambda: pw.train(pw.Corpus(__file__), TRAINER, threads=threads),
        lambda: pw.WordCounts.from_texts(["a"], threads=threads),
        lambda: pw.WordCounts.from_texts(pw.Corpus(__file__), threads=threads),
    ):
        with pytest.raises(TypeError, match=f"^threads: expected an integer.*, found {threads}"):
            call()


def test_hints_for_items_work() -> None:
    words, counted = [["low", "lower"], ["low"]], [("low", 2), ("lower", 1)]
    counts = pw.WordCounts(Counter(word for text in words for word in text))
    assert dict(counts.items()) == dict(pw.WordCounts(dict(counted)).items())
    inner = itertools.chain.from_iterable([["low", "lower"], ["low"]])
    assert dict(pw.WordCounts.from_texts(inner).items()) == dict(counts.items())


def test_vocabularies_of_bytes_raise() -> None:
    for call in (models.Vocabulary, models.WordLevel, models.WordPiece, models.BPE):
        with pytest.raises(pw.errors.ConfigError, match="expected a mapping of tokens to ids"):
            call(b"a")  # type: ignore[operator, arg-type]
