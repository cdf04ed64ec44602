"""Rules of `lint`: each finds planted faults, with the reason, and nothing in a sound vocabulary."""

import json
import pickle
import random
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from paths import REPOSITORY
from piecework import models, normalizers, pre_tokenizers
from piecework._byte_text import (
    UNUSED_BYTES,
    byte_characters,
    bytes_of,
    is_part_of_text,
)
from piecework.analysis._lint.result import Finding
from piecework.analysis._lint.rules import RULES
from piecework.analysis._lint.texts import completions

ASCII = "".join(map(chr, range(0x21, 0x7F)))
LOWER = [c for c in ASCII if not c.isupper()]
SOUND = ["[UNK]", *LOWER, *(f"##{c}" for c in LOWER if c.isalnum())]
BYTES = list(byte_characters().values())


def findings(tok: pw.Tokenizer, *rules: str) -> dict[str | None, str]:
    """Returns the reasons of the findings by token."""
    report = pw.lint(tok, select=rules or None)
    assert len(report) == len(report.findings)
    return {finding.token: finding.reason for finding in report.findings}


def vocab_txt(*more: str, **settings: Any) -> pw.Tokenizer:
    return pw.Tokenizer.from_str("\n".join([*SOUND, *more]), **settings)


def byte_bpe(more: list[str], merges: list[tuple[str, str]], **settings: Any) -> pw.Tokenizer:
    pre_tokenizer = settings.pop("pre_tokenizer", pre_tokenizers.ByteLevel(add_prefix_space=False))
    model = models.BPE([*BYTES, *more], merges, **settings)
    return pw.Tokenizer(model, pre_tokenizer=pre_tokenizer)


SOUND_TOKENIZERS = {
    "WordPiece": vocab_txt(),
    "bytes": byte_bpe(["he", "Ġhe"], [("h", "e"), ("Ġ", "he")]),
    "Unigram": pw.Tokenizer(
        models.Unigram(
            [("<unk>", 0.0), ("▁", -3.0), *((c, -4.0) for c in ASCII), ("▁the", -5.0)], unk_id=0
        ),
        pre_tokenizer=pre_tokenizers.Metaspace(),
    ),
    "WordLevel": pw.Tokenizer(
        models.WordLevel(["<unk>", "the", "cat"], unk_token="<unk>"),
        pre_tokenizer=pre_tokenizers.Whitespace(),
    ),
}
NOTES = {"special-in-text", "differs-by-case", "differs-by-space"}


@pytest.mark.parametrize("name", SOUND_TOKENIZERS)
def test_a_sound_vocabulary_has_no_faults(name: str) -> None:
    report = pw.lint(SOUND_TOKENIZERS[name], ignore=NOTES)
    assert not report, str(report)
    assert str(report) == "no findings"
    assert repr(report) == "LintReport(no findings)"
    assert set(report.rules) == {rule.name for rule in RULES} - NOTES


PLANTED: list[tuple[str, pw.Tokenizer, str]] = [
    ("Hug", vocab_txt("Hug"), "the normalizer never writes 'H' (U+0048)"),
    ("é", vocab_txt("é"), "the normalizer never writes 'é' (U+00E9)"),
    ("a-b", vocab_txt("a-b"), "a word always ends between 'a' (U+0061) and '-' (U+002D)"),
    ("##-", vocab_txt("##-"), "no word has a character before '-' (U+002D)"),
    ("##中", vocab_txt("中", "##中"), "no word has a character before '中' (U+4E2D)"),
    ("中文", vocab_txt("中文"), "is always a word of its own"),
    ("a b", vocab_txt("a b"), "the pre-tokenizer removes or replaces U+0020 SPACE"),
    ("aaaa", vocab_txt("aaaa", max_input_chars_per_word=3), "a word with it has at least 4"),
    ("##aaa", vocab_txt("##aaa", max_input_chars_per_word=3), "a word with it has at least 4"),
    ("##", vocab_txt("##"), "a word always ends between '#' (U+0023) and '#' (U+0023)"),
    ("hex", byte_bpe(["he", "hex"], [("h", "e")]), "merges never make it"),
    ("Ãa", byte_bpe(["Ãa"], [("Ã", "a")]), "no text of UTF-8 contains its bytes"),
    ("中", byte_bpe(["中"], []), "it has a character that represents no byte"),
    (
        "中",
        byte_bpe(["中"], [], ignore_merges=True),
        "it has a character that represents no byte",
    ),
    (
        "12",
        byte_bpe(
            ["12"],
            [("1", "2")],
            pre_tokenizer=pre_tokenizers.Sequence(
                [
                    pre_tokenizers.Digits(individual_digits=True),
                    pre_tokenizers.ByteLevel(add_prefix_space=False),
                ]
            ),
        ),
        "a word always ends between '1' (U+0031) and '2' (U+0032)",
    ),
    (
        "ab",
        pw.Tokenizer(models.Unigram([("a", -1.0), ("b", -1.0), ("ab", -3.0)])),
        "'a' + 'b' always have a higher score: -2 instead of -3",
    ),
    (
        "a▁",
        pw.Tokenizer(
            models.Unigram([("a", -9.0), ("▁", -9.0), ("a▁", -1.0)]),
            pre_tokenizer=pre_tokenizers.Metaspace(),
        ),
        "a word always ends between",
    ),
    (
        "ab",
        pw.Tokenizer(
            models.Unigram([("a", -1.0), ("ab", -0.5)], reserved=["ab"], precision="float32")
        ),
        "the model marks it as not used",
    ),
    (
        "ab",
        pw.Tokenizer(models.BPE(["a", "b", "ab"], [("a", "b")], unused=["ab"])),
        "the model marks it as not used",
    ),
    (
        "hug",
        pw.Tokenizer(
            models.WordPiece(
                ["[UNK]", "hu", "hug", "##g"],
                segmentation="likeliest",
                probabilities={"hu": 0.5, "##g": 0.4, "hug": 0.1},
            )
        ),
        "'hu' + '##g' always have a higher score",
    ),
    (
        "a b",
        pw.Tokenizer(
            models.WordLevel(["<unk>", "a b"], unk_token="<unk>"),
            pre_tokenizer=pre_tokenizers.WhitespaceSplit(),
        ),
        "the pre-tokenizer removes or replaces U+0020 SPACE",
    ),
    (
        "Ａ",
        pw.Tokenizer(models.Unigram([("a", -1.0), ("Ａ", -1.0)]), normalizer=normalizers.NFKC()),
        "the normalizer never writes 'Ａ' (U+FF21)",
    ),
]


@pytest.mark.parametrize(
    ("token", "tok", "reason"), PLANTED, ids=[f"{number}" for number in range(len(PLANTED))]
)
def test_unreachable_entries_have_a_reason(token: str, tok: pw.Tokenizer, reason: str) -> None:
    found = findings(tok, "unreachable")
    assert list(found) == [token]
    assert reason in found[token]
    assert findings(tok, "not-produced") == {}


def test_an_entry_without_proof_is_not_produced() -> None:
    # GPT-2's pattern splits letters from digits, which is known to no rule.
    found = findings(byte_bpe(["a1"], [("a", "1")]), "unreachable", "not-produced")
    assert found == {
        "a1": "'a1' is split into the words a 1, and no other text that was tried has it"
    }
    tie = pw.Tokenizer(models.Unigram([("a", -1.0), ("b", -1.0), ("ab", -2.0000001)]))
    assert list(findings(tie, "unreachable")) == []
    assert list(findings(tie, "not-produced")) == ["ab"]


def test_bytes_within_characters_are_produced() -> None:
    entries = ["ð", "ðŁ", "ðŁĺ", "äº", "ĺĢ", "Ġð"]
    merges = [("ð", "Ł"), ("ðŁ", "ĺ"), ("ä", "º"), ("ĺ", "Ģ"), ("Ġ", "ð")]
    tok = byte_bpe([entry for entry in entries if len(entry) > 1], merges)
    # In `ðŁĺĢ` the first merges leave `ĺĢ` apart only after other bytes.
    assert set(findings(tok, "unreachable", "not-produced")) == set()


def test_unmatched_added_tokens() -> None:
    tok = vocab_txt().with_added_tokens(
        [pw.AddedToken("<A>", normalized=False), pw.AddedToken("\u0301"), "<b>", "<B>"]
    )
    # The normalizer removes the mark; the two others have one normal form, of which the first is found.
    assert list(findings(tok, "unmatched-added-token")) == ["\u0301", "<B>"]


def test_unused_merges() -> None:
    vocab = ["a", "b", "c", "ab", "bc", "abc"]
    merges = [("a", "b"), ("b", "c"), ("a", "bc"), ("ab", "c"), ("a", "b")]
    found = pw.lint(pw.Tokenizer(models.BPE(vocab, merges)), select=["unused-merge"])
    assert [(each.token, each.id, each.reason) for each in found.findings] == [
        ("ab", 3, "the merge a + b is listed again later, and only its last rank counts"),
        (
            "abc",
            5,
            "the merge ab + c is never applied: in every word, earlier merges join one of the two with something else",
        ),
    ]


def brute_force_merges(tok: pw.Tokenizer, merges: list[tuple[str, str]]) -> set[tuple[str, str]]:
    """Returns the merges that some short word applies, by the definition of merging."""
    applied = set()
    rank_of = {pair: rank for rank, pair in enumerate(merges)}
    for length in range(7):
        for word in product("abc", repeat=length):
            parts = list(word)
            while True:
                ranked = [
                    (rank_of[pair], at)
                    for at, pair in enumerate(pairwise(parts))
                    if pair in rank_of
                ]
                if not ranked:
                    break
                rank, at = min(ranked)
                applied.add(merges[rank])
                parts[at : at + 2] = ["".join(parts[at : at + 2])]
    return applied


@pytest.mark.parametrize("seed", range(8))
def test_unused_merges_equal_those_of_all_short_words(seed: int) -> None:
    draw = random.Random(seed)
    vocab, merges = dict.fromkeys("abc"), dict[tuple[str, str], None]()
    while len(merges) < 9:
        left, right = draw.choices([each for each in vocab if len(each) < 3], k=2)
        vocab[left + right] = None
        merges[left, right] = None
    pairs = list(merges)
    draw.shuffle(pairs)
    tok = pw.Tokenizer(models.BPE(list(vocab), pairs))
    reported = pw.lint(tok, select=["unused-merge"]).findings
    unused = {
        tuple(each.reason.split(" is ")[0].removeprefix("the merge ").split(" + "))
        for each in reported
    }
    assert unused == set(pairs) - brute_force_merges(tok, pairs)


def test_missing_bytes() -> None:
    lacking = models.BPE([c for c in BYTES if c not in "ÄA"])
    reasons = [
        each.reason
        for each in pw.lint(
            pw.Tokenizer(lacking, pre_tokenizer=pre_tokenizers.ByteLevel()), select=["missing-byte"]
        ).findings
    ]
    assert sorted(reasons) == ["no entry 'A' for the byte 0x41", "no entry 'Ä' for the byte 0xC4"]
    unused = [character for byte, character in byte_characters().items() if byte in UNUSED_BYTES]
    without = models.BPE([c for c in BYTES if c not in unused])
    tok = pw.Tokenizer(without, pre_tokenizer=pre_tokenizers.ByteLevel())
    assert not pw.lint(tok, select=["missing-byte"])
    fallback = [f"<0x{byte:02X}>" for byte in range(256) if byte != 0xE4]
    tok = pw.Tokenizer(models.BPE(["a", *fallback], byte_fallback=True))
    assert findings(tok, "missing-byte") == {None: "no entry <0xE4> for byte fallback"}


def test_missing_characters() -> None:
    tok = pw.Tokenizer.from_str("\n".join(["[UNK]", *LOWER, *SOUND[len(LOWER) + 1 :], "aq", "éa"]))
    lacking = [token for token in tok.vocab if token not in {"q", "##z"}]
    tok = pw.Tokenizer.from_str("\n".join(lacking))
    reasons = [each.reason for each in pw.lint(tok, select=["missing-character"]).findings]
    assert reasons == [
        "'q' (U+0071), a character of other entries, is unknown",
        "no entry '##z': 'z' (U+007A) is unknown within words",
    ]
    unigram = pw.Tokenizer(
        models.Unigram([("<unk>", 0.0), *((c, -1.0) for c in ASCII if c != "~")], unk_id=0)
    )
    assert findings(unigram, "missing-character") == {
        None: "'~' (U+007E), a character of ASCII, is unknown"
    }


def test_missing_characters_that_only_composition_writes() -> None:
    model = models.WordPiece(["[UNK]", *ASCII, *(f"##{c}" for c in ASCII), "né"])
    steps = normalizers.Sequence([normalizers.NFD(), normalizers.NFC()])
    tok = pw.Tokenizer(model, normalizer=steps, pre_tokenizer=pre_tokenizers.WhitespaceSplit())
    assert findings(tok, "missing-character") == {
        None: "'é' (U+00E9), a character of other entries, is unknown"
    }


def test_markers_that_are_not_special() -> None:
    markers = [
        "<|im_start|>",
        "<｜User｜>",
        "｜DSML｜",
        "<tool_call>",
        "</think>",
        "<start_of_turn>",
        "<s>",
    ]
    markers += ["[INST]", "[/INST]", "[REFERENCE_DOC_19]", "<<SYS>>", "<</SYS>>", "<unused0>"]
    words = [
        "<table>",
        "</h1>",
        "  ",
        "\n",
        "word",
        "[a]",
        "[]",
        "<",
        "a<b>",
        "<a b>",
        "[1]",
        "(",
        "|",
    ]
    tok = vocab_txt().with_added_tokens([*markers, *words])
    assert list(findings(tok, "unflagged-marker")) == markers
    assert list(findings(tok.untrusted(), "unflagged-marker")) == markers
    special = [pw.AddedToken(marker, special=True) for marker in markers]
    assert not findings(tok.with_added_tokens(special), "unflagged-marker")
    html = vocab_txt().with_added_tokens(["<b>", "<s>", "</s>", "<i>"])
    assert not findings(html, "unflagged-marker")
    # A token that is never matched does not matter.
    hidden = vocab_txt().with_added_tokens(["<", "<x>"])
    assert list(findings(hidden, "unflagged-marker")) == ["<x>"]
    unmatched = vocab_txt(lowercase=False).replace(normalizer=normalizers.Replace("<x>", "x"))
    unmatched = unmatched.with_added_tokens([pw.AddedToken("<x>", normalized=True)])
    assert not findings(unmatched, "unflagged-marker") or "<x>" not in unmatched.tokenize("<x>")


def test_a_view_is_checked_as_the_ordinary_tokenizer() -> None:
    tok = vocab_txt("[SEP]").with_added_tokens(["<call>"])
    assert pw.lint(tok.untrusted(["<call>"], refuse=True)) == pw.lint(tok)


def test_special_tokens_in_text() -> None:
    tok = pw.Tokenizer.from_str("[UNK]\n[SEP]\na\n")
    assert list(findings(tok, "special-in-text")) == ["[UNK]", "[SEP]"]
    control = pw.Tokenizer._wrap(tok._core.with_control_symbols(["[SEP]"]), tok._functions)
    assert list(findings(control, "special-in-text")) == ["[UNK]"]
    assert findings(control, "unmatched-added-token") == {}


def test_control_characters() -> None:
    entries = ["a\u200b", "\x07", "\u202ex", "�", "\t", "a\nb", "\r\n", "ok"]
    tok = pw.Tokenizer(models.WordLevel(["<unk>", *entries], unk_token="<unk>"))
    report = pw.lint(tok, select=["control-character"])
    assert [each.token for each in report.findings] == entries[:4]
    assert "U+202E RIGHT-TO-LEFT OVERRIDE" in report.findings[2].reason
    assert "\u202e" not in str(report) + report.report(None)
    assert list(findings(byte_bpe(["âĢĭa"], []), "control-character")) == ["âĢĭa"]


def test_entries_that_differ_by_case_or_space() -> None:
    tok = byte_bpe(["the", "The", "Ġthe", "THE", "ĠĠ", "other"], [])
    # Single letters of the 256 bytes differ by case, too.
    case = findings(tok, "differs-by-case")
    assert {token for token in case if token and len(token) > 1} == {"The", "THE"}
    assert case["The"] == "it differs from the (256) only by case"
    assert findings(tok, "differs-by-space") == {
        "Ġthe": "it differs from the (256) only by white space"
    }
    pieces = pw.Tokenizer(
        models.Unigram([("▁a", -1.0), ("a", -2.0)]), pre_tokenizer=pre_tokenizers.Metaspace()
    )
    assert findings(pieces, "differs-by-space") == {
        "a": "it differs from ▁a (0) only by white space"
    }
    assert not findings(vocab_txt("##The"), "differs-by-space")


def test_gaps_between_ids() -> None:
    model = models.WordLevel({"<unk>": 1, "a": 2, "b": 7}, unk_token="<unk>")
    report = pw.lint(pw.Tokenizer(model), select=["id-gap"])
    assert [(each.token, each.id, each.reason) for each in report.findings] == [
        (None, 0, "id 0 has no entry"),
        (None, 3, "4 ids have no entry: 3 to 6"),
    ]


def test_rules_are_selected_by_name_and_severity() -> None:
    tok = vocab_txt("Hug", "[CLS]", "[SEP]")
    assert set(pw.lint(tok, select=["error"]).counts) == {"unreachable"}
    assert set(pw.lint(tok, ignore=["error", "warning"]).counts) == {"special-in-text"}
    assert not pw.lint(tok, select=["unreachable"], ignore=["error"])
    with pytest.raises(pw.errors.ConfigError, match=r"select: 'unreachabel' is .*'unreachable'\?"):
        pw.lint(tok, select=["unreachabel"])
    with pytest.raises(
        pw.errors.ConfigError, match=r"ignore: 'x' is neither.*choose from unreachable, "
    ):
        pw.lint(tok, ignore=["x"])
    with pytest.raises(TypeError, match="an iterable of names"):
        pw.lint(tok, select="error")
    with pytest.raises(TypeError, match=r"expected a piecework\.Tokenizer"):
        pw.lint("a.json")  # type: ignore[arg-type]


def test_report_json_and_pickle() -> None:
    report = pw.lint(vocab_txt(*(f"A{number}" for number in range(30))))
    assert "  … and 20 more" in str(report)
    assert report.report(None).count("\n") == len(report) + 2 * len(report.counts) - 1
    value = json.loads(json.dumps(report.to_dict()))
    assert value["counts"] == report.counts
    assert Finding(**value["findings"][0]) == report.findings[0]
    assert pickle.loads(pickle.dumps(report)) == report
    assert bool(report)
    assert repr(report).startswith("LintReport(30 unreachable")


@pytest.mark.parametrize(
    "model",
    [
        models.WordPiece([], unk_token=None),
        models.BPE([]),
        models.WordPiece(["a", "\x00", "##" + "b" * 1000, "", "🏽" * 50], unk_token=None),
        models.BPE(["", "a", "</w>"], end_of_word_suffix="</w>", continuing_subword_prefix="##"),
    ],
    ids=range(4),
)
@pytest.mark.parametrize("name", ["none", "bert", "bytes", "metaspace", "function"])
def test_hostile_vocabularies(model: Any, name: str) -> None:
    pre_tokenizer: Any = {
        "none": None,
        "bert": pre_tokenizers.BertPreTokenizer(),
        "bytes": pre_tokenizers.ByteLevel(),
        "metaspace": pre_tokenizers.Metaspace(replacement="_"),
        "function": pre_tokenizers.Function(str.split),
    }[name]
    report = pw.lint(pw.Tokenizer(model, pre_tokenizer=pre_tokenizer))
    assert str(report).isprintable() or "\n" in str(report)
    assert "\x00" not in str(report)


def test_long_entries() -> None:
    pieces = [("a", -1.0), ("aa", -1.5), ("a" * 3000, -2e6), ("b" * 3000, -1.0)]
    level = ["<unk>", "a" * 1_000_000, "b " * 100_000]
    for tok, unreachable in (
        (pw.Tokenizer(models.Unigram(pieces)), 2),
        (
            pw.Tokenizer(
                models.WordLevel(level, unk_token="<unk>"),
                pre_tokenizer=pre_tokenizers.WhitespaceSplit(),
            ),
            2,
        ),
    ):
        report = pw.lint(tok, select=["unreachable", "not-produced"])
        assert [(each.rule, each.id) for each in report.findings] == [("unreachable", unreachable)]
        assert max(map(len, str(report).splitlines())) < 1000


def test_parts_of_utf8() -> None:
    every = [
        chr(code).encode()
        for code in (0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF)
    ]
    for data in every:
        for start in range(len(data)):
            for end in range(start + 1, len(data) + 1):
                assert is_part_of_text(data[start:end])
                assert all(
                    data[start:end] in text.encode() for text in completions(data[start:end], 9)
                )
                assert completions(data[start:end], 9)
    for data in (
        b"\xc0",
        b"\xc1",
        b"\xf5",
        b"\xe0\x80",
        b"\xed\xa0",
        b"\xf0\x8f",
        b"\xf4\x90",
        b"a\x80",
        b"\xc3a",
    ):
        assert not is_part_of_text(data)
    assert not is_part_of_text(b"\x80" * 4)
    assert bytes_of("ĠÃ©") == b" \xc3\xa9"
    assert bytes_of("\u00a0") is None


def test_the_page_lists_all_rules() -> None:
    page = Path(REPOSITORY / "docs" / "lint.md").read_text(encoding="utf-8")
    for rule in RULES:
        exact = "yes" if rule.is_exact else "no"
        assert (
            f"| `{rule.name}` | {rule.severity} | {exact} | {rule.finds} | {rule.matters} | {rule.remedy} |"
            in page
        )
    assert page.count("\n| `") == len(RULES)
