"""Random BPE models: core and reference against `tokenizers` and tiktoken, and the distribution of dropout.

The seed is fixed, so failures are reproducible; `PIECEWORK_PARITY_ROUNDS` sets the number of models.
"""

import json
import os
import random
from collections import Counter
from typing import Any

import pytest

import piecework as pw
from piecework.reference.text.bytes import BYTE_ALPHABET
from reference_models import ReferenceTokenizer

tokenizers = pytest.importorskip("tokenizers", reason="Hugging Face tokenizers is not installed")

ROUNDS = int(os.environ.get("PIECEWORK_PARITY_ROUNDS", "1500"))
LETTERS = "abc/é中#"
MEMBERS = ("normalizer", "post_processor", "decoder", "truncation", "padding")
SPLITS = (
    None,
    {"type": "WhitespaceSplit"},
    {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
)


def random_model(rng: random.Random) -> dict[str, Any]:
    """Returns a model with all settings but dropout."""
    prefix, suffix = rng.choice(["", "", "#", "##"]), rng.choice(["", "", "/", "</w>"])
    forms = [f for c in LETTERS for f in (c, prefix + c, c + suffix, prefix + c + suffix)]
    entries = [form for form in forms if rng.random() < 0.8]
    falls, unknown = rng.random() < 0.5, rng.choice([None, "<unk>", "a", "absent"])
    entries += ["<unk>"] if unknown == "<unk>" else []
    entries += [f"<0x{b:02X}>" for b in "/é中#x".encode() if falls and rng.random() < 0.9]
    merges: list[list[str]] = []
    for _ in range(rng.randrange(14)):
        left, right = rng.choice(entries), rng.choice(entries)
        if right.startswith(prefix):
            merges.append([left, right])
            entries.append(left + right.removeprefix(prefix))
    rng.shuffle(merges)
    entries += ["".join(rng.choices(LETTERS, k=rng.randrange(2, 5))) for _ in range(2)]
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": unknown,
        "continuing_subword_prefix": prefix or None,
        "end_of_word_suffix": suffix or None,
        "fuse_unk": rng.random() < 0.5,
        "byte_fallback": falls,
        "ignore_merges": rng.random() < 0.3,
        "vocab": {entry: i for i, entry in enumerate(dict.fromkeys(entries))},
        "merges": merges,
    }


def config_of(model: dict[str, Any], split: dict[str, Any] | None) -> dict[str, Any]:
    empty = {"version": "1.0", "added_tokens": [], **dict.fromkeys(MEMBERS)}
    return {**empty, "pre_tokenizer": split, "model": model}


def columns(encode: Any, text: str, *, spans: bool) -> tuple[Any, ...] | None:
    """Returns the columns of an encoding; None if it fails."""
    try:
        encoding = encode(text)
    except Exception:  # noqa: BLE001  # the library raises no specific class
        return None
    places = [tuple(span) for span in encoding.offsets] if spans else None
    return encoding.ids, encoding.tokens, encoding.word_ids, places


def test_random_models_equal_tokenizers() -> None:
    rng = random.Random(7)
    for _ in range(ROUNDS):
        model = random_model(rng)
        whole = config_of(model, rng.choice(SPLITS))
        live = tokenizers.Tokenizer.from_str(json.dumps(whole))
        core = pw.Tokenizer.from_str(json.dumps(whole))
        reference = ReferenceTokenizer(whole)
        # The library gives spans beyond the text to bytes that a prefix or suffix falls back to.
        affixed = model["continuing_subword_prefix"] or model["end_of_word_suffix"]
        spans = not (model["byte_fallback"] and affixed)
        for _ in range(5):
            text = "".join(rng.choices(LETTERS + "x  ", k=rng.randrange(1, 24)))
            wanted = columns(live.encode, text, spans=spans)
            assert columns(reference.encode, text, spans=spans) == wanted, (whole, text)
            assert columns(core.encode, text, spans=spans) == wanted, (whole, text)


GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def test_random_ranks_equal_tiktoken() -> None:
    tiktoken = pytest.importorskip("tiktoken", reason="tiktoken is not installed")
    rng = random.Random(8)
    visible = BYTE_ALPHABET
    for _ in range(ROUNDS // 5):
        longer = {bytes(rng.choices(b"ab \xc3\xa9", k=rng.randrange(2, 6))) for _ in range(12)}
        entries = [*(bytes([byte]) for byte in range(256)), *sorted(longer)]
        if rng.random() < 0.5:
            rng.shuffle(entries)
        live = tiktoken.Encoding(
            "random",
            pat_str=GPT2,
            mergeable_ranks={entry: rank for rank, entry in enumerate(entries)},
            special_tokens={},
        )
        vocab = {"".join(visible[b] for b in entry): i for i, entry in enumerate(entries)}
        own = {"version": 1, "ranks": [*range(len(vocab))], "training": None}
        model = {"type": "piecework.BPE", "vocab": vocab, "merges": [], "ignore_merges": True}
        whole = config_of(
            {**model, "dropout": None, "unk_token": None, "piecework": own}, SPLITS[-1]
        )
        core = pw.Tokenizer.from_str(json.dumps(whole))
        reference = ReferenceTokenizer(whole)
        for _ in range(5):
            text = "".join(rng.choices("aabbé  \n", k=rng.randrange(1, 40)))
            wanted = live.encode_ordinary(text)
            assert reference.encode(text).ids == wanted, (entries, text)
            assert core.encode_ids(text) == wanted, (entries, text)


@pytest.mark.parametrize("chance", [0.1, 0.5])
@pytest.mark.parametrize("word", ["lowest", "newer", "aaaaa"])
def test_dropout_distribution_equals_tokenizers(word: str, chance: float) -> None:
    pairs = "e s,es t,l o,lo w,n e,ne w,w est,lo west,o w,e r,w er,a a,aa aa"
    merges = [pair.split(" ") for pair in pairs.split(",")]
    entries = dict.fromkeys([*"lowernsta", *(left + right for left, right in merges)])
    model = {"type": "BPE", "vocab": {entry: i for i, entry in enumerate(entries)}}
    whole = json.dumps(config_of(model | {"merges": merges, "dropout": chance}, None))
    live, core = tokenizers.Tokenizer.from_str(whole), pw.Tokenizer.from_str(whole)
    count = 20_000
    theirs = Counter(tuple(live.encode(word).ids) for _ in range(count))
    ours = Counter(
        tuple(ids)
        for ids in core.encode_batch([word] * count, sampling=pw.Sampling(seed=3)).to_list()
    )
    distance = sum((theirs[k] - ours[k]) ** 2 / (theirs[k] + ours[k]) for k in theirs | ours)
    assert (
        distance < 70
    )  # chi-squared with at most 14 degrees of freedom: exceeded with probability 10⁻⁹
