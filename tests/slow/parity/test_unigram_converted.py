"""Unigram tokenizer.json files against `tokenizers`: ids, tokens, offsets, and parsed scores."""

import itertools
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import live_bpe
import live_unigram as live
import piecework as pw
from converted_unigram import CONVERTERS, MORE_CONVERTERS, converted
from reference_models import ReferenceTokenizer

tokenizers = pytest.importorskip("tokenizers", reason="the oracle `tokenizers` is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")

Lines = Callable[[str], Iterator[str]]
CORPORA = ["en/botchan.txt", "zh/cmrc2018-a.txt", "multi/ja-docs.txt", "code/go-std.txt"]


def check_equal(text: str, some: list[str]) -> None:
    """Compares both libraries on a file, and on the file after saving."""
    theirs, ours = tokenizers.Tokenizer.from_str(text), pw.Tokenizer.from_str(text)
    saved = ours.to_str()
    again = tokenizers.Tokenizer.from_str(saved)
    assert json.loads(again.to_str())["model"]["vocab"] == ours.model.to_dict()["vocab"]
    assert pw.Tokenizer.from_str(saved).to_str() == saved
    for line in some:
        wanted, found = theirs.encode(line), ours.encode(line)
        assert found.ids == wanted.ids == again.encode(line).ids, ascii(line)[:300]
        assert found.tokens == wanted.tokens, ascii(line)[:300]
        assert found.offsets == wanted.offsets, ascii(line)[:300]
        assert ours.encode_ids(line) == wanted.ids, ascii(line)[:300]
        assert ours.decode(wanted.ids) == theirs.decode(wanted.ids), ascii(line)[:300]


@pytest.mark.parametrize("kind", CONVERTERS)
@pytest.mark.parametrize("name", live.MODELS)
def test_converted_models_equal_tokenizers(
    data: Path, name: str, kind: str, corpus_lines: Lines
) -> None:
    live.shared_model(data, name)
    text = converted(data / "vocabs" / f"{name}.model", kind)
    lines = [line for corpus in CORPORA for line in itertools.islice(corpus_lines(corpus), 60)]
    check_equal(text, [*live.HARD_TEXTS, *live_bpe.texts(), *lines])


@pytest.mark.parametrize("kind", MORE_CONVERTERS)
def test_models_of_other_converters_equal_tokenizers(
    tmp_path: Path, kind: str, corpus_lines: Lines
) -> None:
    learned = [line for line in itertools.islice(corpus_lines("en/botchan.txt"), 900) if line]
    ids = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1} if kind == "Pegasus" else {}
    path = tmp_path / "m.model"
    path.write_bytes(live.trained(learned, 700, **ids))
    text = converted(path, kind)
    lines = [line for corpus in CORPORA for line in itertools.islice(corpus_lines(corpus), 20)]
    check_equal(text, [*live.HARD_TEXTS, *live_bpe.texts(), *lines])


FLAGS: list[dict[str, Any]] = [
    {"byte_fallback": True},
    {"add_prefix_space": False},
    {"keep_accents": True, "do_lower_case": False},
]


@pytest.mark.parametrize("flags", FLAGS, ids=",".join)
def test_converter_flags_equal_tokenizers(
    flags: dict[str, Any], tmp_path: Path, corpus_lines: Lines
) -> None:
    lines = [line for line in itertools.islice(corpus_lines("en/botchan.txt"), 900) if line.strip()]
    symbols = {"user_defined_symbols": ["<mask>", "ing"]}
    settings = symbols if flags == FLAGS[1] else {"byte_fallback": flags == FLAGS[0]}
    path = tmp_path / "m.model"
    path.write_bytes(live.trained(lines[:600], 700, **settings))
    kind = "Albert" if "keep_accents" in flags else "Spm"
    check_equal(
        converted(path, kind, **flags), [*live.HARD_TEXTS, *live_bpe.texts(), *lines[-100:]]
    )


@pytest.mark.parametrize("seed", range(3))
def test_scores_equal_those_parsed_by_tokenizers(seed: int) -> None:
    rng = random.Random(seed)
    strings = ["".join(s) for n in (1, 2, 3, 4) for s in itertools.product("ab", repeat=n)]
    told_by_exact_scores = 0
    for _ in range(20):
        unit = rng.uniform(0.1, 3)
        vocab = [("?", 0.0), *((text, -len(text) * unit) for text in strings)]
        text = tokenizers.Tokenizer(tokenizers.models.Unigram(vocab, 0, False)).to_str()
        theirs, ours = tokenizers.Tokenizer.from_str(text), pw.Tokenizer.from_str(text)
        exactly = ReferenceTokenizer({"model": json.loads(text)["model"]})
        for _ in range(30):
            word = "".join(rng.choices("ab", k=rng.randrange(1, 60)))
            wanted = theirs.encode(word).tokens
            assert ours.encode(word).tokens == wanted, word
            told_by_exact_scores += exactly.encode(word).tokens != wanted
    assert told_by_exact_scores > 20  # so that another parser would give other ids


def test_numbers_equal_those_parsed_by_tokenizers() -> None:
    rng = random.Random(1)
    numbers = ["-0.0", "0", "-5", "12E2", "1e-400", "0.1e-320", "123456789012345678901234567890.5"]
    numbers += [repr(-30 * rng.random()) for _ in range(3000)]
    numbers += [f"-{rng.randrange(10**25)}e{rng.randrange(-330, 200)}" for _ in range(3000)]
    numbers += [f"-{rng.randrange(10**9)}.{rng.randrange(10**30)}" for _ in range(3000)]
    vocab = ",".join(f'["{place}",{number}]' for place, number in enumerate(numbers))
    text = f'{{"version":"1.0","model":{{"type":"Unigram","unk_id":0,"vocab":[{vocab}]}}}}'
    read = json.loads(tokenizers.Tokenizer.from_str(text).to_str())["model"]["vocab"]
    exact = [float(number) for number in numbers]
    assert sum(score != value for (_, score), value in zip(read, exact, strict=True)) > 500
    ours = pw.Tokenizer.from_str(text).model
    assert isinstance(ours, pw.models.Unigram)
    assert [score for _, score in ours.vocab] == [score for _, score in read]


@pytest.mark.parametrize(
    "pre_tokenizer", ["Whitespace", "WhitespaceSplit", "BertPreTokenizer", "Punctuation", None]
)
def test_unknown_tokens_have_the_text_as_name(pre_tokenizer: str | None) -> None:
    """Also on the fast path, and with a normalizer that changes the text."""
    live_one = tokenizers.Tokenizer(
        tokenizers.models.Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -2.0)], 0, False)
    )
    live_one.normalizer = tokenizers.normalizers.BertNormalizer()
    if pre_tokenizer:
        live_one.pre_tokenizer = getattr(tokenizers.pre_tokenizers, pre_tokenizer)()
    ours = pw.Tokenizer.from_str(live_one.to_str())
    for text in ("a É b", "ab", "xyz a 中文b XYZ", "x<unk>a"):
        wanted, (batched,) = live_one.encode(text), ours.encode_batch([text])
        for found in (ours.encode(text), batched):
            assert (found.ids, found.tokens) == (wanted.ids, wanted.tokens), text


def test_unknown_byte_token_keeps_its_name() -> None:
    vocab = [("<0x78>", 0.0), ("a", -1.0)]
    theirs = tokenizers.Tokenizer(tokenizers.models.Unigram(vocab, 0, True))
    ours = pw.Tokenizer.from_str(theirs.to_str())
    for text in ("xa", "ya", "xya", "x"):
        assert ours.encode(text).tokens == theirs.encode(text).tokens, text


def test_broken_files_raise() -> None:
    def read(vocab: str, unk: str = "0") -> None:
        pw.Tokenizer.from_str(f'{{"model":{{"type":"Unigram","unk_id":{unk},"vocab":{vocab}}}}}')

    for vocab, unk, message in [
        ('[["a",1e999]]', "0", "line 1: not valid JSON"),
        ('[["a",0.0],["a",1.0]]', "0", r"\$.model.vocab\[1\]: token \"a\" occurs twice"),
        ('[["a",0.0]]', "1", r"\$.model.unk_id: the unknown token has the id 1, and there are 1"),
        ('[["",0.0]]', "0", r"\$.model: piece 0 is empty"),
        ('[["a"]]', "0", r"\$.model.vocab\[0\]: expected a piece and its score"),
        ('[["a",null]]', "0", r"\$.model.vocab\[0\]\[1\]: expected a number, found null"),
    ]:
        with pytest.raises(pw.errors.FormatError, match=message):
            read(vocab, unk)
