"""`piecework encode` and `piecework decode`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import live_unigram
import piecework as pw
from piecework.cli import texts

Run = Callable[..., Any]


def ids_of(out: str) -> list[list[int]]:
    """Returns the ids that a command printed."""
    return [[int(word) for word in line.split()] for line in out.splitlines()]


def test_encode_prints_ids(run: Run, tok: pw.Tokenizer, tok_file: Path, text_file: Path) -> None:
    ended = run("encode", tok_file, text_file)
    lines = text_file.read_text(encoding="utf-8").splitlines()
    assert (ended.code, ended.err) == (0, "")
    assert ids_of(ended.out) == [tok.encode_ids(line) for line in lines]


@pytest.mark.parametrize("file", [[], ["-"]])
def test_encode_reads_standard_input(
    run: Run, tok: pw.Tokenizer, tok_file: Path, file: list[str]
) -> None:
    ended = run("encode", tok_file, *file, "--no-special-tokens", stdin="the cat\r\nhat")
    assert ids_of(ended.out) == [
        tok.encode_ids(line, add_special_tokens=False) for line in ("the cat", "hat")
    ]


def test_encode_prints_tokens(run: Run, tok_file: Path) -> None:
    assert run("encode", tok_file, "--tokens", stdin="the zat\n").out == "[CLS] the [UNK] [SEP]\n"


def test_encode_prints_display_tokens(run: Run, tok_file: Path, tmp_path: Path) -> None:
    assert run("encode", tok_file, "--readable", stdin="the\n").out == "[CLS] the [SEP]\n"
    vocab = ["Ġa", "Ã", "©", "b"]
    level = pw.Tokenizer(
        pw.models.BPE([*vocab, "Ġ", "a"], [("Ġ", "a")]),
        pre_tokenizer=pw.pre_tokenizers.ByteLevel(add_prefix_space=False),
        decoder=pw.decoders.ByteLevel(),
    )
    level.save(tmp_path / "level.json")
    assert (
        run("encode", tmp_path / "level.json", "--readable", stdin="b aé\n").out
        == "b ' a' <0xC3> <0xA9>\n"
    )


def test_encode_prints_json(run: Run, tok: pw.Tokenizer, tok_file: Path, text_file: Path) -> None:
    ended = run("encode", tok_file, text_file, "--json")
    lines = text_file.read_text(encoding="utf-8").splitlines()
    for printed, line in zip(ended.out.splitlines(), lines, strict=True):
        encoding = tok.encode(line)
        assert json.loads(printed) == {
            "ids": encoding.ids,
            "tokens": encoding.tokens,
            "offsets": [list(span) for span in encoding.offsets],
        }


def test_truncation_and_padding_of_the_file_are_applied(
    run: Run, tok: pw.Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, lines = tmp_path / "t.json", ["the cat", "", "the cat sat on the mat"]
    monkeypatch.setattr(texts, "_BATCH_BYTES", 9)
    tok.replace(truncation=5, padding=pw.Padding(4, direction="left")).save(path)
    fixed = pw.Tokenizer.from_file(path)
    assert [len(fixed.encode_ids(line)) for line in lines] == [4, 4, 5]
    for extra in ([], ["--stream"]):
        ended = run("encode", path, *extra, stdin="\n".join(lines))
        assert ids_of(ended.out) == [fixed.encode_ids(line) for line in lines]
    free = run("encode", path, "--no-truncation", "--no-padding", stdin="\n".join(lines))
    assert ids_of(free.out) == [tok.encode_ids(line) for line in lines]


def test_lines_are_padded_to_the_longest(run: Run, tok: pw.Tokenizer, tmp_path: Path) -> None:
    path, lines = tmp_path / "t.json", ["the cat", "", "the cat sat on the mat"]
    tok.replace(padding="longest").save(path)
    rows = tok.encode_batch(lines, padding="longest").to_list()
    assert ids_of(run("encode", path, stdin="\n".join(lines)).out) == rows
    refused = run("encode", path, "--stream", stdin="\n".join(lines))
    assert (refused.code, "cannot pad to the longest line" in refused.err) == (2, True)


def test_output_keeps_the_order_of_lines(
    run: Run, tok: pw.Tokenizer, tok_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "_BATCH_BYTES", 40)
    lines = ["the cat " * (i % 5) + "sat" * (i % 3) for i in range(100)]
    expected = [tok.encode_ids(line) for line in lines]
    for extra in ([], ["--stream"], ["--threads", "2"]):
        ended = run("encode", tok_file, *extra, stdin="\n".join(lines))
        assert ids_of(ended.out) == expected


@pytest.mark.parametrize(
    ("policy", "tokens"),
    [
        ("word", ["[UNK]"]),
        ("run", ["[UNK]", "##a", "##t"]),
        ("char", ["[UNK]", "[UNK]", "##a", "##t"]),
    ],
)
def test_unknown_option(run: Run, tok_file: Path, policy: str, tokens: list[str]) -> None:
    ended = run(
        "encode", tok_file, "--unknown", policy, "--tokens", "--no-special-tokens", stdin="ğğat"
    )
    assert ended.out.replace("##at", "##a ##t").split() == tokens


def test_options_for_vocab_txt(run: Run, vocab_file: Path) -> None:
    words = ("encode", vocab_file, "--tokens", "--no-special-tokens")
    assert run(*words, stdin="The").out == "the\n"
    assert run(*words, "--no-lowercase", stdin="The").out == "[UNK]\n"
    assert run(*words, "--max-input-chars-per-word", "2", stdin="the").out == "[UNK]\n"
    assert run(*words, "--max-input-chars-per-word", "none", stdin="the").out == "the\n"
    assert run(*words, "--pre-tokenizer", "none", stdin="the cat").out == "[UNK]\n"
    assert run(*words, "--normalizer", "none", stdin="The the").out == "[UNK] the\n"


def test_options_defined_by_tokenizer_json_are_refused(run: Run, tok_file: Path) -> None:
    ended = run("encode", tok_file, "--no-lowercase", stdin="x")
    assert (ended.code, ended.out) == (2, "")
    assert (
        "--lowercase: cannot be given: a tokenizer.json contains this setting itself" in ended.err
    )


def test_specials_option_for_all_added_tokens(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    pw.Tokenizer.from_str("[UNK]\nhug\n").with_added_tokens(["<call>"]).save(path)
    words = ["encode", path, "--tokens", "--specials"]
    assert run(*words, "error", stdin="hug<call>").out == "hug <call>\n"
    assert run(*words, "text-all", stdin="hug<call>").out == "hug [UNK] [UNK] [UNK]\n"
    ended = run(*words, "error-all", stdin="hug<call>")
    assert ended.code == 2
    assert 'the added token "<call>" at character 3; pass --specials text-all ' in ended.err


def test_specials_option(run: Run, tok_file: Path) -> None:
    words = ("encode", tok_file, "--tokens", "--no-special-tokens")
    text = "the\n[SEP]\n"
    assert run(*words, stdin=text).out == "the\n[SEP]\n"
    assert run(*words, "--specials", "text", stdin=text).out == "the\n[UNK] [UNK] [UNK]\n"
    ended = run(*words, "--specials", "error", stdin=text)
    assert (ended.code, ended.out) == (2, "")
    assert "standard input: line 2" in ended.err
    assert "--specials text" in ended.err


def test_invalid_utf8_is_refused_or_replaced(run: Run, tok_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "bad.txt"
    file.write_bytes(b"the\n" * 5000 + b"c\xffat\n")
    ended = run("encode", tok_file, file)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        f"error: {file}: invalid UTF-8 in line 5001 at byte 20001 of the file (0xff); "
        "pass --encoding auto (cp1252 here), --errors replace to replace invalid bytes by U+FFFD, or --on-error skip to skip such lines\n"
    )
    assert run("encode", tok_file, file, "--errors", "replace").code == 0


@pytest.mark.parametrize("verb", ["encode", "decode", "count"])
def test_missing_files_are_refused(run: Run, tok_file: Path, tmp_path: Path, verb: str) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for words, message in (
        ((tok_file, "nope"), "nope: no such file or folder"),
        (
            (tok_file, empty),
            f"{empty}: is a folder" if verb == "decode" else f"{empty}: the folder has no files",
        ),
        (("nope",), "nope: no such file or folder"),
        ((empty,), f"{empty}: contains no tokenizer; expected one of tokenizer.json, vocab.txt"),
    ):
        ended = run(verb, *words)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.startswith(f"error: {message}")
        assert ended.err.count("\n") == 1


def test_model_folder_is_read(
    run: Run, tok: pw.Tokenizer, vocab_file: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    vocab_file.rename(folder / "vocab.txt")
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": false}', encoding="utf-8")
    words = ("encode", folder, "--tokens", "--no-special-tokens")
    assert run(*words, stdin="The the").out == "[UNK] the\n"
    assert run(*words, "--lowercase", stdin="The the").out == "the the\n"
    tok.with_added_tokens(["<x>"]).save(folder / "tokenizer.json")
    assert run(*words, stdin="The<x>the").out == "the <x> the\n"


@pytest.mark.parametrize(
    "content", [b"", b"{", b"{}", b"\xff\xfe", b"[UNK]\n[UNK]\n", b"[" * 100_000]
)
def test_broken_tokenizers_are_refused(run: Run, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "t.json"
    file.write_bytes(content)
    ended = run("encode", file, stdin="x")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1


def test_messages_stay_on_one_line(run: Run, tmp_path: Path) -> None:
    ended = run("encode", tmp_path / "no\x1b[31m\nfile")
    assert ended.code == 2
    assert ended.err.endswith("no\\x1b[31m\\nfile: no such file or folder\n")


def test_decode_prints_texts(run: Run, tok: pw.Tokenizer, tok_file: Path, text_file: Path) -> None:
    lines = text_file.read_text(encoding="utf-8").splitlines()
    texts = [tok.decode(tok.encode_ids(line)) for line in lines]
    for form in ([], ["--json"]):
        encoded = run("encode", tok_file, text_file, *form).out
        assert run("decode", tok_file, stdin=encoded).out.split("\n") == [*texts, ""]
        printed = run("decode", tok_file, "--json", stdin=encoded).out.splitlines()
        assert [json.loads(line)["text"] for line in printed] == texts


def test_decode_reads_several_list_formats(run: Run, tok: pw.Tokenizer, tok_file: Path) -> None:
    number = tok.token_to_id("the")
    text = f"{number} {number}\n{number},{number}\n[{number}, {number}]\n\n"
    assert run("decode", tok_file, stdin=text).out == "the the\nthe the\nthe the\n\n"
    kept = run("decode", tok_file, "--special-tokens", "--stream", stdin=f"2 {number}\n")
    assert kept.out == "[CLS] the\n"


@pytest.mark.parametrize(
    "line",
    ["x", "1 -2", "1_0", "1.5", "9999", "99999999999999999999", "[1, true]", '["1", 2, {}]', "[1", "{}", '{"ids": 3}',
     "[" * 100_000, "٣", "4294967296"],
)  # fmt: skip
def test_decode_refuses_lines_without_ids(run: Run, tok_file: Path, line: str) -> None:
    ended = run("decode", tok_file, stdin=f"1 2\n{line}\n")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: standard input: line 2: ")
    assert ended.err.count("\n") == 1


@pytest.fixture(scope="module")
def unigram(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pieces = [("<unk>", 0.0), ("a", -1.0), ("b", -2.0), ("ab", -1.5), ("ba", -4.0), ("aba", -3.0)]
    path = tmp_path_factory.mktemp("unigram") / "tokenizer.json"
    pw.Tokenizer(pw.models.Unigram(pieces, unk_id=0)).save(path)
    return path


def test_nbest_option(run: Run, unigram: Path) -> None:
    printed = run("encode", unigram, "--nbest", 2, "--tokens", stdin="ab\naba\n").out
    assert printed == "-1.5\tab\n-3\ta b\n-2.5\tab a\n-3\taba\n"
    assert run("encode", unigram, "--nbest", 2, stdin="ab\n").out == "-1.5\t3\n-3\t1 2\n"
    (line,) = run("encode", unigram, "--nbest", 5, "--json", stdin="ab\n").out.splitlines()
    assert json.loads(line) == [
        {"score": -1.5, "ids": [3], "tokens": ["ab"], "offsets": [[0, 2]]},
        {"score": -3.0, "ids": [1, 2], "tokens": ["a", "b"], "offsets": [[0, 1], [1, 2]]},
    ]


def test_sample_option(run: Run, unigram: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tok, lines = pw.Tokenizer.from_file(unigram), ["ababa"] * 30
    for given, call in {
        ("--sample", "--alpha", "0.1", "--seed", "1"): {"alpha": 0.1, "seed": 1},
        ("--sample", "--seed", "0"): {"alpha": 1.0, "seed": 0},
        ("--sample", "--alpha", "0.2", "--nbest-size", "4", "--seed", "2"): {
            "alpha": 0.2,
            "nbest_size": 4,
            "seed": 2,
        },
    }.items():
        wanted = tok.encode_batch(lines, sampling=pw.Sampling(**call)).to_list()
        for batch in (1000, 7):
            monkeypatch.setattr(texts, "_BATCH_BYTES", batch)
            out = run("encode", unigram, *given, stdin="\n".join(lines)).out
            assert ids_of(out) == wanted, given
        assert len(set(map(tuple, wanted))) > 3
    # Runs without a seed differ; two runs of 30 lines are equal with probability 10^-15.
    drawn = {run("encode", unigram, "--sample", stdin="\n".join(lines)).out for _ in range(3)}
    assert len(drawn) > 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--alpha", "0.1"), "--alpha: requires --sample"),
        (("--nbest-size", "3"), "--nbest-size: requires --sample"),
        (("--sample", "--nbest-size", "0"), "--nbest-size"),
        (("--sample", "--alpha", "-1"), "--alpha"),
        (("--sample", "--alpha", "x"), "--alpha"),
        (("--sample", "--seed", "-1"), "--seed"),
        (("--dropout", "1.5"), "--dropout"),
        (("--seed", "1"), "--seed: requires --sample, --dropout, or a model with"),
        (("--nbest", "2", "--sample"), "cannot be combined with --pair"),
        (("--nbest", "2", "--pair"), "--nbest: cannot be combined with"),
        (("--nbest", "0"), "--nbest"),
    ],
)
def test_sampling_options_without_effect_are_refused(
    run: Run, unigram: Path, given: tuple[str, ...], message: str
) -> None:
    ended = run("encode", unigram, *given, stdin="a\n")
    assert (ended.code, ended.out) == (2, "")
    assert message in " ".join(ended.err.split())


def test_dropout_and_seed_options(run: Run, tok: pw.Tokenizer, tok_file: Path) -> None:
    lines = ["the cats sat"] * 20
    wanted = tok.encode_batch(lines, sampling=pw.Sampling(dropout=0.4, seed=3)).to_list()
    given = ("--dropout", "0.4", "--seed", "3")
    assert ids_of(run("encode", tok_file, *given, stdin="\n".join(lines)).out) == wanted
    assert len(set(map(tuple, wanted))) > 3


def test_likeliest_segmentation_requires_counts(run: Run, vocab_file: Path) -> None:
    ended = run("encode", vocab_file, "--segmentation", "likeliest", stdin="cats")
    assert (ended.code, ended.out) == (2, "")
    assert "needs token counts, and the tokenizer has none; load" in ended.err


def test_seed_option_applies_to_models_with_dropout(run: Run, tmp_path: Path) -> None:
    model = pw.models.BPE(["a", "b", "ab", "abab"], [("a", "b"), ("ab", "ab")], dropout=0.5)
    pw.Tokenizer(model).save(tmp_path / "drops.json")
    pw.Tokenizer(pw.models.BPE(["a"], [])).save(tmp_path / "plain.json")
    outs = {
        run("encode", tmp_path / "drops.json", "--seed", 3, stdin="abab\n" * 9).out for _ in "12"
    }
    assert len(outs) == 1
    refused = run("encode", tmp_path / "plain.json", "--seed", 3, stdin="a\n")
    assert refused.code == 2
    assert "--seed: requires --sample, --dropout" in refused.err


def test_nbest_and_sampling_with_likeliest_wordpiece(
    run: Run, tok: pw.Tokenizer, tok_file: Path, tmp_path: Path
) -> None:
    likeliest, path = tok.replace(segmentation="likeliest"), tmp_path / "likeliest.json"
    likeliest.save(path)
    asked = run("encode", tok_file, "--segmentation", "likeliest", "--tokens", stdin="cats").out
    assert asked.split() == likeliest.encode("cats").tokens
    found = likeliest.lm.nbest("cats", 3)
    rows = [f"{score:.6g}\t{' '.join(encoding.tokens)}" for encoding, score in found]
    assert run("encode", path, "--nbest", 3, "--tokens", stdin="cats").out.splitlines() == rows
    wanted = likeliest.encode_batch(["cats"] * 9, sampling=pw.Sampling(alpha=0.1, seed=3)).to_list()
    given = ("--sample", "--alpha", "0.1", "--seed", "3")
    assert ids_of(run("encode", path, *given, stdin="cats\n" * 9).out) == wanted


def test_nbest_option_requires_probabilities(run: Run, tok_file: Path) -> None:
    ended = run("encode", tok_file, "--nbest", 2, stdin="a\n")
    assert (ended.code, ended.out) == (2, "")
    assert "has no probabilities of segmentations" in ended.err
    assert run("encode", tok_file, "--sample", stdin="a\n").code == 2


def test_control_symbols_are_text_by_default(run: Run, tmp_path: Path) -> None:
    pieces = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), *((c, -1.0, 1) for c in "▁ab<s>")]
    (tmp_path / "m.model").write_bytes(live_unigram.model_of(pieces))
    text, matched = [3, 5, 6, 7], [3, 1]
    for specials, wanted in ((None, text), ("text", text), ("match", matched)):
        flags = ["--specials", specials] if specials else []
        ended = run("encode", tmp_path / "m.model", *flags, stdin="a<s>")
        assert (ended.code, ids_of(ended.out)) == (0, [wanted])
        counted = run("count", tmp_path / "m.model", *flags, "--json", stdin="a<s>")
        assert f'"tokens": {len(wanted)},' in counted.out
    found = run("inspect", tmp_path / "m.model", "--json").out
    assert json.loads(found)["control_symbols"] == ["<s>"]


def test_the_ids_of_added_tokens_are_chosen(run: Run, tok_file: Path, text_file: Path) -> None:
    tree = json.loads(tok_file.read_text(encoding="utf-8"))
    flags = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized", "special"], False)
    tree["added_tokens"].append({"id": 999, "content": "<x>", **flags})
    tok_file.write_text(json.dumps(tree), encoding="utf-8")
    text_file.write_text("<x>\n", encoding="utf-8")
    assert "--added-token-ids file" in run("encode", tok_file, text_file).err
    counted = pw.Tokenizer.from_file(tok_file, added_token_ids="tokenizers").token_to_id("<x>")
    for choice, number in (("file", 999), ("tokenizers", counted)):
        ended = run("encode", tok_file, text_file, "--added-token-ids", choice)
        assert number in ids_of(ended.out)[0]
