"""`piecework train` and `piecework count-words`."""

import dataclasses
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework import pre_tokenizers
from piecework.cli.verbs.train import TrainerOptions

Run = Callable[..., Any]


def test_train_equals_the_call(run: Run, text_file: Path, tmp_path: Path) -> None:
    target, vocab = tmp_path / "t.json", tmp_path / "v.txt"
    ended = run("train", text_file, "-o", target, "--vocab-size", 50, "--vocab-txt", vocab)
    assert (ended.code, ended.out) == (0, "")
    expected = pw.train(pw.Corpus(text_file), pw.WordPieceTrainer(50))
    assert pw.Tokenizer.from_file(target) == expected
    assert vocab.read_text(encoding="utf-8").splitlines() == list(expected.vocab)
    assert f"{target}: {len(expected)} tokens" in ended.err.replace(" of 50 requested", "")


TRAINERS = (pw.WordPieceTrainer, pw.BpeTrainer, pw.UnigramTrainer, pw.WordLevelTrainer)


@pytest.mark.parametrize("kind", TRAINERS)
def test_options_cover_trainer_settings(kind: Any) -> None:
    ours = {field.name: field.default for field in dataclasses.fields(TrainerOptions)}
    theirs = {field.name: field.default for field in dataclasses.fields(kind) if field.name != "_"}
    assert theirs.keys() <= ours.keys()
    lists = {"special_tokens", "user_defined_symbols", "initial_alphabet", "required_chars"}
    for name in theirs.keys() - lists:
        assert ours[name] in (None, theirs[name]), name


def test_every_option_is_a_trainer_setting() -> None:
    settings = {field.name for kind in TRAINERS for field in dataclasses.fields(kind)}
    assert {field.name for field in dataclasses.fields(TrainerOptions)} == settings - {"_"} | {
        "model"
    }


@pytest.mark.parametrize("name", ["t.model", "t.tiktoken", "t.txt", "merges.txt", "t.vocab"])
def test_output_name_of_another_format_is_refused_first(
    run: Run, tmp_path: Path, name: str
) -> None:
    absent, target = tmp_path / "absent", tmp_path / name
    ended = run("train", absent, "-o", target, "--vocab-size", 50)
    assert (ended.code, ended.out, target.exists()) == (2, "", False)
    assert name in ended.err
    assert "absent" not in ended.err


@pytest.mark.parametrize("model", ["wordpiece", "unigram"])
@pytest.mark.parametrize("name", ["t.model", "v.txt"])
def test_the_remedy_for_another_format_works(
    run: Run, text_file: Path, tmp_path: Path, model: str, name: str
) -> None:
    size = 18 if model == "unigram" else 30
    train = ["train", text_file, "--vocab-size", size, "--model", model, "-o"]
    ended = run(*train, tmp_path / name)
    remedy = ended.err.partition("; ")[2]
    output = tmp_path / "tokenizer.json"
    if name == "v.txt":
        assert f"pass `--vocab-txt {tmp_path / name}`" in remedy
        ended = run(*train, output, "--vocab-txt", tmp_path / name)
    else:
        assert run(*train, output).code == 0
        advised = ["--approximate"] if "--approximate" in remedy else []
        ended = run("convert", output, tmp_path / name, *advised)
        if model == "wordpiece":
            assert "SentencePiece" in ended.err
            return
    assert ended.code == 0, ended.err
    assert (tmp_path / name).exists()


def option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def options_of(settings: dict[str, Any]) -> list[Any]:
    return [word for name, value in settings.items() for word in (option(name), value)]


def test_bpe_options_reach_the_trainer(run: Run, text_file: Path, tmp_path: Path) -> None:
    settings: dict[str, Any] = {
        "min_frequency": 2, "min_word_frequency": 2, "max_merges": 9, "stop_at_pair_frequency": 1,
        "ties": "sentencepiece", "initial_alphabet": "xyz", "limit_alphabet": 12, "continuing_subword_prefix": "@",
        "end_of_word_suffix": "$", "suffix_style": "attached", "max_token_length": 3, "unk_token": "?",
    }  # fmt: skip
    target = tmp_path / "t.json"
    words = ("train", text_file, "-o", target, "--model", "bpe", "--special-tokens-last")
    assert run(*words, *options_of(settings), "--special-token", "<unk>").code == 0
    trainer = pw.BpeTrainer(**settings, special_tokens=["<unk>"], special_tokens_first=False)
    assert pw.Tokenizer.from_file(target) == pw.train(pw.Corpus(text_file), trainer)


def test_bpe_unk_token_option(run: Run, text_file: Path, tmp_path: Path) -> None:
    target = tmp_path / "t.json"
    words = ("train", text_file, "-o", target, "--model", "bpe", "--max-merges", 3)
    assert "warning" not in run(*words).err
    with_token = pw.Tokenizer.from_file(target)
    assert with_token.token_to_id("<unk>") == 0
    ended = run(*words, "--unk-token", "")
    assert (ended.code, ended.err.count("warning")) == (0, 1)
    assert "encoding drops characters" in ended.err
    assert list(pw.Tokenizer.from_file(target).vocab) == list(with_token.vocab)[1:]


def test_unigram_options_reach_the_trainer(run: Run, text_file: Path, tmp_path: Path) -> None:
    settings: dict[str, Any] = {
        "vocab_size": 268, "seed_size": 60, "shrinking_factor": 0.6, "em_steps": 2, "max_piece_length": 5,
        "min_frequency": 3, "min_word_frequency": 2, "unk_token": "[UNK]", "character_coverage": 0.99,
        "required_chars": "xyz",
    }  # fmt: skip
    yes = (
        "byte_fallback",
        "split_digits",
        "allow_whitespace_only_pieces",
        "treat_whitespace_as_suffix",
    )
    no = ("split_by_unicode_script", "split_by_number", "split_by_whitespace")
    flags = [option(name) for name in yes] + [option(f"no_{name}") for name in no]
    target = tmp_path / "t.json"
    words = ("train", text_file, "-o", target, "--model", "unigram", "--special-tokens-last")
    named = ("--special-token", "[UNK]", "--user-defined-symbol", "sat")
    assert run(*words, *options_of(settings), *flags, *named).code == 0
    switches = dict.fromkeys(yes, True) | dict.fromkeys(no, False)
    trainer = pw.UnigramTrainer(
        **settings,
        **switches,
        special_tokens=["[UNK]"],
        special_tokens_first=False,
        user_defined_symbols=["sat"],
    )
    assert pw.Tokenizer.from_file(target) == pw.train(pw.Corpus(text_file), trainer)
    named_too = {"special_tokens", "special_tokens_first", "user_defined_symbols"}
    everything = {field.name for field in dataclasses.fields(trainer)}
    assert settings.keys() | switches.keys() | named_too == everything


def test_word_level_options_reach_the_trainer(run: Run, text_file: Path, tmp_path: Path) -> None:
    target = tmp_path / "t.json"
    words = ("train", text_file, "-o", target, "--model", "wordlevel", "--vocab-size", 20)
    assert run(*words).code == 0
    assert pw.Tokenizer.from_file(target) == pw.train(pw.Corpus(text_file), pw.WordLevelTrainer(20))
    named = ("--min-frequency", 2, "--special-token", "?", "--special-token", "!")
    ended = run(*words, *named, "--unk-token", "?", "--json")
    trainer = pw.WordLevelTrainer(20, min_frequency=2, special_tokens=["?", "!"], unk_token="?")
    assert (ended.code, json.loads(ended.out)["vocab_size"]) == (
        0,
        len(pw.train(pw.Corpus(text_file), trainer)),
    )
    assert pw.Tokenizer.from_file(target) == pw.train(pw.Corpus(text_file), trainer)
    assert run(*words, "--trace").out == ""
    without = run("train", text_file, "-o", target, "--model", "wordlevel")
    assert (without.code, "--vocab-size: required" in " ".join(without.err.split())) == (2, True)


@pytest.mark.slow
def test_unigram_trains_from_counts(run: Run, text_file: Path, tmp_path: Path) -> None:
    table, target = tmp_path / "counts.txt", tmp_path / "t.json"
    splitting = ("--normalizer", "nmt_nfkc", "--pre-tokenizer", "metaspace")
    assert run("count-words", text_file, "-o", table, *splitting).code == 0
    words = ("-o", target, "--model", "unigram", "--vocab-size", 18)
    assert run("train", "--counts", table, *words).code == 0
    rules = pw.normalizers.Precompiled.of("nmt_nfkc")
    trained = pw.train(pw.Corpus(text_file), pw.UnigramTrainer(18), normalizer=rules)
    assert pw.Tokenizer.from_file(target) == trained
    assert run("train", text_file, *words, "--normalizer", "nmt_nfkc").code == 0
    assert pw.Tokenizer.from_file(target) == trained


def test_normalizer_of_sentencepiece(run: Run, tmp_path: Path) -> None:
    text, target = tmp_path / "text.txt", tmp_path / "t.json"
    text.write_text("the  ﬁve cats sat\na dog and the <x> cat \n" * 9, encoding="utf-8")
    options = ("--model", "unigram", "--vocab-size", 24, "--user-defined-symbol", "<x>")
    assert run("train", text, "-o", target, *options, "--normalizer", "sentencepiece").code == 0
    expected = pw.train(
        pw.Corpus(text),
        pw.UnigramTrainer(24, user_defined_symbols=["<x>"]),
        normalizer=pw.normalizers.SentencePiece.of("nmt_nfkc", user_defined_symbols=["<x>"]),
    )
    assert pw.Tokenizer.from_file(target) == expected
    assert expected.tokenize("  the   cat ") == expected.tokenize("the cat")


WORD_FILES = {
    "dictionary": ["--dictionary"],
    "jieba": ["--pre-tokenizer", "jieba", "--no-handle-chinese-chars", "--jieba-dictionary"],
    "symbols": ["--user-defined-symbols-file"],
}


@pytest.mark.parametrize("name", WORD_FILES)
def test_files_of_words_are_utf8(run: Run, tmp_path: Path, name: str) -> None:
    text, words, target = tmp_path / "text.txt", tmp_path / "w.txt", tmp_path / "t.json"
    text.write_text("跑跑卡丁车和地下城\n" * 9, encoding="utf-8")
    train = ("train", text, "-o", target, "--vocab-size", 40, *WORD_FILES[name], words)
    words.write_text("跑跑卡丁车\n地下城\n", encoding="utf-8-sig")
    assert run(*train).code == 0
    saved = target.read_text(encoding="utf-8")
    assert "跑跑卡丁车" in saved
    assert "\ufeff" not in saved
    words.write_text("跑跑卡丁车\n地下城\n", encoding="gb18030")
    ended = run(*train)
    assert ended.code == 2
    assert "w.txt: " in ended.err
    assert "write it in UTF-8, for example by: iconv -f GB18030 -t UTF-8" in ended.err


def test_unigram_with_white_space_as_suffix(run: Run, tmp_path: Path) -> None:
    text, target = tmp_path / "text.txt", tmp_path / "t.json"
    text.write_text("the ﬁve cats sat\na dog and the cat\n" * 9, encoding="utf-8")
    options = ("--treat-whitespace-as-suffix", "--normalizer", "nmt_nfkc", "--vocab-size", 22)
    ended = run("train", text, "-o", target, "--model", "unigram", *options)
    assert (ended.code, "warning" in ended.err) == (0, False)
    tok = pw.Tokenizer.from_file(target)
    assert not [piece for piece, _ in tok.model.vocab if "▁" in piece[:-1]]
    assert tok.decode(tok.encode_ids("ﬁve dogs and a cat")) == "five dogs and a cat "


def test_unigram_trace_prints_steps(run: Run, text_file: Path, tmp_path: Path) -> None:
    words = ("train", text_file, "-o", tmp_path / "t.json", "--model", "unigram")
    words += ("--vocab-size", 13, "--special-token", "", "--unk-token", "")
    trainer = pw.UnigramTrainer(13, special_tokens=[], unk_token=None)
    steps = pw.train(pw.Corpus(text_file), trainer).training.steps
    assert {step.log_likelihood is None for step in steps} == {True, False}
    lines = run(*words, "--trace").out.splitlines()
    assert len(lines) == len(steps)
    assert lines[0].startswith(f"1\t{steps[0].pieces} pieces\tlog-likelihood -")
    objects = [json.loads(line) for line in run(*words, "--trace", "--json").out.splitlines()]
    assert [
        pw.UnigramStep(**o | {"removed": tuple(o["removed"])}) for o in map(without_step, objects)
    ] == list(steps)
    assert json.loads(run(*words, "--json").out)["steps"] == len(steps)


def without_step(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "step"}


def test_split_pattern_option(run: Run, text_file: Path, tmp_path: Path) -> None:
    target = tmp_path / "t.json"
    words = ("train", text_file, "-o", target, "--model", "bpe", "--vocab-size", 280)
    assert run(*words, "--alphabet", "byte", "--split-pattern", "cl100k").code == 0
    trainer = pw.BpeTrainer(280, alphabet="byte")
    split = pre_tokenizers.ByteLevel.split_by("cl100k")
    assert pw.Tokenizer.from_file(target) == pw.train(
        pw.Corpus(text_file), trainer, pre_tokenizer=split
    )


def test_bpe_trains_from_counts(run: Run, text_file: Path, tmp_path: Path) -> None:
    table, target = tmp_path / "counts.txt", tmp_path / "t.json"
    how = ("--normalizer", "none", "--pre-tokenizer", "byte-level", "--keep-line-ends")
    assert run("count-words", text_file, "-o", table, *how).code == 0
    words = ("train", "--counts", table, "-o", target, "--model", "bpe", "--vocab-size", 280)
    assert run(*words, "--alphabet", "byte").code == 0
    expected = pw.train(pw.Corpus(text_file), pw.BpeTrainer(280, alphabet="byte"))
    assert pw.Tokenizer.from_file(target) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model", "bpe", "--criterion", "pmi"], "--criterion: has no effect with --model bpe"),
        (["--alphabet", "byte"], "--alphabet: has no effect with --model wordpiece"),
        (["--ties", "sentencepiece"], "ties"),
        (["--seed-size", "9"], "--seed-size: has no effect with --model wordpiece"),
        (["--model", "unigram", "--ties", "lex"], "--ties: has no effect with --model unigram"),
        (
            ["--model", "unigram", "--shrinking-factor", "1"],
            "--shrinking-factor: expected a number between 0 and 1",
        ),
        (
            ["--model", "unigram", "--character-coverage", "2"],
            "--character-coverage: expected a number",
        ),
        (
            ["--model", "unigram", "--unk-token", "?"],
            "is not a special token; add it to --special-token",
        ),
        (["--model", "unigram", "--em-steps", "0"], "--em-steps"),
        (["--model", "bpe", "--byte-fallback"], "--byte-fallback: has no effect with --model bpe"),
        (["--treat-whitespace-as-suffix"], "has no effect with --model wordpiece"),
        (
            ["--model", "unigram", "--special-token", "<unk>", "--user-defined-symbol", "<unk>"],
            "<unk>",
        ),
        (["--model", "wordlevel", "--max-merges", "3"], "--max-merges: has no effect"),
        (
            ["--model", "wordlevel", "--user-defined-symbol", "a"],
            "--user-defined-symbol: has no effect with --model wordlevel",
        ),
        (
            ["--model", "wordlevel", "--min-word-frequency", "2"],
            "--min-word-frequency: has no effect",
        ),
        (["--pre-tokenizer", "bert", "--split-pattern", "gpt2"], "--pre-tokenizer byte-level"),
    ],
)
def test_options_of_other_models_are_refused(
    run: Run, text_file: Path, tmp_path: Path, options: list[str], message: str
) -> None:
    ended = run("train", text_file, "-o", tmp_path / "t.json", "--vocab-size", 50, *options)
    assert ended.code == 2
    assert message in " ".join(ended.err.split())


def test_wordpiece_options_reach_the_trainer(run: Run, text_file: Path, tmp_path: Path) -> None:
    settings: dict[str, Any] = {
        "criterion": "pmi", "min_frequency": 2, "min_word_frequency": 2, "max_merges": 9, "stop_at_pair_frequency": 1,
        "ties": "first", "initial_alphabet": "xyz", "limit_alphabet": 12, "continuing_subword_prefix": "@",
        "max_token_length": 3,
    }  # fmt: skip
    flags = (
        "--stop-without-gain",
        "--special-tokens-last",
        "--prune-unused",
        "--no-lowercase",
        "--pre-tokenizer",
        "whitespace-split",
    )
    specials = ("--special-token", "[UNK]", "--special-token", "<x>")
    symbols = ("--user-defined-symbol", "cat", "--user-defined-symbol", "dog")
    target = tmp_path / "t.json"
    words = ("train", text_file, "-o", target, "--vocab-size", 50)
    assert run(*words, *options_of(settings), *flags, *specials, *symbols).code == 0
    trainer = pw.WordPieceTrainer(
        50,
        **settings,
        stop_without_gain=True,
        special_tokens=("[UNK]", "<x>"),
        special_tokens_first=False,
        user_defined_symbols=("cat", "dog"),
        prune_unused=True,
    )
    expected = pw.train(
        pw.Corpus(text_file),
        trainer,
        normalizer=pw.normalizers.BertNormalizer(lowercase=False),
        pre_tokenizer=pw.pre_tokenizers.WhitespaceSplit(),
    )
    assert pw.Tokenizer.from_file(target) == expected


def test_training_without_pipeline_and_special_tokens(
    run: Run, text_file: Path, tmp_path: Path
) -> None:
    target = tmp_path / "t.json"
    none = ("--normalizer", "none", "--pre-tokenizer", "none", "--special-token", "")
    assert run("train", text_file, "-o", target, "--vocab-size", 60, *none).code == 0
    made = json.loads(target.read_text(encoding="utf-8"))
    assert (made["normalizer"], made["pre_tokenizer"], made["added_tokens"]) == (None, None, [])


@pytest.mark.parametrize("source", ["words.txt", "-"])
def test_user_defined_symbols_file_option(
    run: Run, text_file: Path, tmp_path: Path, source: str
) -> None:
    target, listed = tmp_path / "t.json", "mats\r\n\nthe hat\ncats"
    (tmp_path / "words.txt").write_bytes(listed.encode())
    file = source if source == "-" else tmp_path / source
    options = ("--user-defined-symbol", "dog", "--user-defined-symbols-file", file)
    words = ("train", text_file, "-o", target, "--vocab-size", 50, *options)
    ended = run(*words, stdin=listed)
    assert ended.code == 0
    assert ended.err.startswith("warning: ")
    assert "['the hat']" in ended.err
    symbols = ["dog", "mats", "the hat", "cats"]
    with pytest.warns(UserWarning, match="the hat"):
        expected = pw.train(
            pw.Corpus(text_file), pw.WordPieceTrainer(50, user_defined_symbols=symbols)
        )
    assert pw.Tokenizer.from_file(target) == expected
    assert list(expected.vocab)[5:9] == symbols


@pytest.mark.parametrize("files", [[], ["-"]])
def test_training_from_standard_input_equals_file(
    run: Run, text_file: Path, tmp_path: Path, files: list[str]
) -> None:
    ours, theirs = tmp_path / "a.json", tmp_path / "b.json"
    assert (
        run("train", *files, "-o", ours, "--vocab-size", 50, stdin=text_file.read_bytes()).code == 0
    )
    assert run("train", text_file, "-o", theirs, "--vocab-size", 50).code == 0
    assert ours.read_bytes() == theirs.read_bytes()


def test_standard_input_keeps_its_position_among_files(
    run: Run, text_file: Path, tmp_path: Path
) -> None:
    more = tmp_path / "more.txt"
    more.write_text("a dog\n", encoding="utf-8")
    assert (
        run("count-words", more, "-", "-o", tmp_path / "a", stdin=text_file.read_bytes()).code == 0
    )
    assert run("count-words", more, text_file, "-o", tmp_path / "b").code == 0
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("codec", ["utf-16", "gbk"])
def test_encoding_option(run: Run, tmp_path: Path, codec: str) -> None:
    words = "自然语言处理是人工智能的一个分支。\n我们都知道。\n"
    file = tmp_path / "text"
    file.write_bytes(words.encode(codec))
    expected = pw.WordCounts.from_texts(words.splitlines())
    for arguments in (
        ["-", "--encoding", codec],
        [file, "--encoding", codec],
        [file, "--encoding", "auto"],
        ["-", "--encoding", "auto"],
    ):
        ended = run("count-words", *arguments, "-o", tmp_path / "counts", stdin=file.read_bytes())
        assert ended.code == 0, ended.err
        assert pw.WordCounts.load(tmp_path / "counts") == expected


def test_training_from_counts_equals_training_from_text(
    run: Run, text_file: Path, tmp_path: Path
) -> None:
    counts, target, direct = tmp_path / "c.txt", tmp_path / "t.json", tmp_path / "d.json"
    summary = run("count-words", text_file, "-o", counts, "--json")
    assert (
        json.loads(summary.out)["counts_sha256"]
        == pw.WordCounts.from_texts(pw.Corpus(text_file)).fingerprint
    )
    table = run("count-words", text_file)
    assert table.out.encode() == counts.read_bytes()
    ended = run("train", "--counts", counts, "-", "-o", target, "--vocab-size", 50, stdin=table.out)
    assert ended.code == 0, ended.err
    assert run("train", text_file, text_file, "-o", direct, "--vocab-size", 50).code == 0
    assert pw.Tokenizer.from_file(target).history == pw.Tokenizer.from_file(direct).history


def test_counts_are_cut_at_the_tokens_of_the_options(run: Run, tmp_path: Path) -> None:
    text, table, target = tmp_path / "chat.txt", tmp_path / "c.txt", tmp_path / "t.json"
    text.write_text("<a>user: hi there<s><a>bot: hello there<s>\n" * 5, encoding="utf-8")
    cut = ("--special-token", "<s>", "--user-defined-symbol", "<a>")
    splitting = ("--normalizer", "none", "--pre-tokenizer", "whitespace-split")
    assert run("count-words", text, "-o", table, *cut, *splitting).code == 0
    tokens = [pw.AddedToken("<s>", special=True), "<a>"]
    counts = pw.WordCounts.load(table)
    assert counts == pw.WordCounts.from_texts(
        pw.Corpus(text),
        normalizer=None,
        pre_tokenizer=pre_tokenizers.WhitespaceSplit(),
        added_tokens=tokens,
    )
    assert [token.content for token in counts.added_tokens] == ["<a>", "<s>"]
    assert {word for word in counts if "<" in word} == {"<a>", "<s>"}

    words = ("-o", target, "--model", "bpe", "--vocab-size", 40, *cut)
    assert run("train", "--counts", table, *words).code == 0
    trainer = pw.BpeTrainer(40, special_tokens=["<s>"], user_defined_symbols=["<a>"])
    assert pw.Tokenizer.from_file(target) == pw.train(counts, trainer)
    assert run("train", text, *words, *splitting).code == 0
    assert pw.Tokenizer.from_file(target) == pw.train(counts, trainer)


def test_counts_of_other_settings_are_refused(run: Run, text_file: Path, tmp_path: Path) -> None:
    counts = tmp_path / "c.txt"
    run("count-words", text_file, "-o", counts)
    ended = run(
        "train", "--counts", counts, "-o", tmp_path / "t", "--vocab-size", 50, "--no-lowercase"
    )
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: ")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bert", pre_tokenizers.BertPreTokenizer()),
        ("whitespace", pre_tokenizers.Whitespace()),
        ("whitespace-split", pre_tokenizers.WhitespaceSplit()),
        ("unicode-scripts", pre_tokenizers.UnicodeScripts()),
        ("none", None),
    ],
)
def test_pre_tokenizer_option(
    run: Run, text_file: Path, tmp_path: Path, name: str, expected: object
) -> None:
    counts = tmp_path / "c.txt"
    assert run("count-words", text_file, "-o", counts, "--pre-tokenizer", name).code == 0
    assert pw.WordCounts.load(counts) == pw.WordCounts.from_texts(
        pw.Corpus(text_file), pre_tokenizer=expected
    )


def test_phrases_option(run: Run, text_file: Path, tmp_path: Path) -> None:
    phrases, target = tmp_path / "p.txt", tmp_path / "t.json"
    phrases.write_text("the cat\n\non the mat\n", encoding="utf-8")
    dictionary = pre_tokenizers.Dictionary(["the cat", "on the mat"])
    bert = pre_tokenizers.BertPreTokenizer()
    for more, expected in (
        ([], pre_tokenizers.Sequence([dictionary, bert])),
        (["--pre-tokenizer", "none"], dictionary),
    ):
        words = ("train", text_file, "-o", target, "--vocab-size", 60, "--dictionary", phrases)
        assert run(*words, "--user-defined-symbols-file", phrases, *more).code == 0
        made = pw.Tokenizer.from_file(target)
        assert made.pre_tokenizer == expected
        assert made.tokenize("the cat") == ["the cat"]


def test_jieba_options(run: Run, tmp_path: Path) -> None:
    text, words, target = tmp_path / "zh.txt", tmp_path / "w.txt", tmp_path / "t.json"
    text.write_text("我来到北京清华大学\n", encoding="utf-8")
    words.write_text("来到北京 1000000 v\n", encoding="utf-8")
    train = ("train", text, "-o", target, "--vocab-size", 60, "--pre-tokenizer", "jieba")
    refused = run(*train)
    assert refused.code == 2
    assert "pass --no-handle-chinese-chars\n" in refused.err
    for more, expected in (
        ([], pre_tokenizers.Jieba()),
        (
            ["--jieba-dictionary", words],
            pre_tokenizers.Jieba(user_words=[("来到北京", 10**6, "v")]),
        ),
    ):
        assert run(*train, "--no-handle-chinese-chars", *more).code == 0
        assert pw.Tokenizer.from_file(target).pre_tokenizer == expected


def test_trace_prints_merges(run: Run, text_file: Path, tmp_path: Path) -> None:
    words = ("train", text_file, "-o", tmp_path / "t.json", "--vocab-size", 50, "--trace")
    history = pw.train(pw.Corpus(text_file), pw.WordPieceTrainer(50)).history
    lines = run(*words).out.splitlines()
    assert len(lines) == len(history)
    first = history[0]
    assert lines[0].startswith(f"1\t{first.left} + {first.right} -> {first.token}\tscore ")
    objects = [json.loads(line) for line in run(*words, "--json").out.splitlines()]
    assert objects == [
        {"step": step, **dataclasses.asdict(merge)} for step, merge in enumerate(history, 1)
    ]


def test_json_prints_a_summary(run: Run, text_file: Path, tmp_path: Path) -> None:
    target = tmp_path / "t.json"
    summary = json.loads(run("train", text_file, "-o", target, "--vocab-size", 50, "--json").out)
    made = pw.Tokenizer.from_file(target)
    assert summary["output"] == str(target)
    assert summary["vocab_size"] == len(made)
    assert summary["counts_sha256"] == made.training.counts_sha256


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nope.txt", "-o", "t.json"], "nope.txt: no such file or folder"),
        (["no*.txt", "-o", "t.json"], "no*.txt: no file matches this pattern"),
        (["text.txt", "-o", "no/t.json"], "no: no such folder"),
        (["text.txt", "-o", "no/no/t.json"], "no/no: no such folder"),
        (["text.txt", "-o", "text.txt/t.json"], "text.txt: is a file; expected a folder"),
        (["text.txt", "-o", "text.txt/no/t.json"], "text.txt: is a file; expected a folder"),
        (
            ["text.txt", "-o", "t.json", "--vocab-txt", "text.txt/v.txt"],
            "text.txt: is a file; expected a folder",
        ),
        (["text.txt", "-o", "."], ".: is a folder; expected a file"),
        (["text.txt", "-o", "text.txt"], "is also an input"),
        (["text.txt", "-o", "/dev/null"], "not a regular file"),
        (["text.txt", "-o", "t.json", "--vocab-txt", "t.json"], "expected another file than that of --output"),
        (["text.txt", "-o", "t.json", "--vocab-txt", "no/v.txt"], "no: no such folder"),
        (["text.txt", "-o", "t.json", "--vocab-size", "8"], "--vocab-size: 8 is too small"),
        (["text.txt", "-o", "t.json", "--model", "unigram", "--vocab-size", "8"], "too small"),
        (["text.txt", "-o", "t.json", "--model", "unigram", "--vocab-size", "99999"], "too large"),
        (["text.txt", "-o", "t.json", "--encoding", "klingon"], "klingon"),
        (["text.txt", "-o", "t.json", "--threads", "0"], "--threads"),
        (["text.txt", "-o", "t.json", "--criterion", "luck"], "luck"),
        (["text.txt", "-o", "t.json", "--no-such-option"], "--no-such-option"),
        (["text.txt", "-o", "t.json", "--normalizer", "none", "--no-lowercase"], "--no-lowercase"),
        (["text.txt", "-o", "t.json", "--special-token", "a", "--special-token", "a"], "'a'"),
        (["text.txt", "-o", "t.json", "--user-defined-symbol", "[SEP]"], "--user-defined-symbol: '[SEP]'"),
        (["text.txt", "-o", "t.json", "--user-defined-symbols-file", "nope.txt"], "nope.txt"),
        (["-", "-o", "t.json", "--user-defined-symbols-file", "-"], "once"),
        (["-", "-o", "text.txt", "--user-defined-symbols-file", "text.txt"], "also an input"),
        (["-", "-", "-o", "t.json"], "once"),
        (["-", "-o", "t.json", "--dictionary", "nope.txt"], "nope.txt: no such file"),
        (["-", "-o", "t.json", "--dictionary", "/dev/null"], "found none; write a phrase"),
        (["-", "-o", "text.txt", "--dictionary", "text.txt"], "also an input"),
        (["-", "-o", "t.json", "--jieba-dictionary", "text.txt"], "requires --pre-tokenizer jieba"),
        (["-", "-o", "t.json"], "empty corpus"),
        (["--counts", "text.txt", "-o", "t.json"], "text.txt"),
        (["text.txt"], "--output"),
        (["text.txt", "-o", "-"], "expected a file, found -"),
        (["vocab_size.txt", "-o", "t.json"], "vocab_size.txt"),
    ],
)  # fmt: skip
def test_invalid_options_are_refused(
    run: Run, text_file: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(text_file.parent)
    size = [] if "--vocab-size" in words else ["--vocab-size", "50"]
    ended = run("train", *words, *size)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert sorted(path.name for path in text_file.parent.iterdir()) == ["text.txt"]


def test_invalid_utf8_is_refused(run: Run, tmp_path: Path) -> None:
    file, target = tmp_path / "bad.txt", tmp_path / "t.json"
    file.write_bytes(b"a fine line\nnot \xff one\n")
    for source, data in ((file, b""), ("-", file.read_bytes())):
        ended = run("train", source, "-o", target, "--vocab-size", 40, stdin=data)
        assert (ended.code, ended.out) == (2, "")
        assert "line 2 at byte 16" in ended.err
        assert "--errors replace" in ended.err
        assert not target.exists()
        assert (
            run(
                "train", source, "-o", target, "--vocab-size", 40, "--errors", "replace", stdin=data
            ).code
            == 0
        )
        target.unlink()


def test_failed_training_keeps_the_old_file(run: Run, text_file: Path, tmp_path: Path) -> None:
    target = tmp_path / "t.json"
    target.write_text("mine", encoding="utf-8")
    assert run("train", text_file, "-o", target, "--vocab-size", 3).code == 2
    assert target.read_text(encoding="utf-8") == "mine"


def test_missing_folder_of_an_output_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("low lower\n")
    Path("link.json").symlink_to(tmp_path / "no" / "t.json")
    Path("folder").symlink_to(tmp_path / "none")
    Path("file.json").symlink_to("text.txt/t.json")
    for target, message in (
        ("no/t.json", "no: no such folder"),
        ("link.json", f"{tmp_path / 'no'}: no such folder"),
        ("folder/t.json", f"{tmp_path / 'none'}: no such folder"),
        ("text.txt/t.json", "text.txt: is a file; expected a folder"),
        ("text.txt/a/t.json", "text.txt: is a file; expected a folder"),
        ("file.json", f"{tmp_path / 'text.txt'}: is a file; expected a folder"),
    ):
        for command in (
            ("train", "text.txt", "-o", target, "--vocab-size", 30),
            ("count-words", "text.txt", "-o", target),
        ):
            assert run(*command) == (2, "", f"error: {message}\n")


@pytest.mark.parametrize("token", ["<s>,</s>", "<s>, </s>", "[PAD],[UNK],[CLS]"])
def test_comma_in_a_special_token_raises_a_warning(
    run: Run, text_file: Path, tmp_path: Path, token: str
) -> None:
    out = tmp_path / "t.json"
    words = ["train", text_file, "-o", out, "--vocab-size", 50, "--special-token"]
    ended = run(*words, token)
    assert ended.code == 0
    several = " ".join(f"--special-token {shlex.quote(part.strip())}" for part in token.split(","))
    assert (
        f"warning: --special-token: '{token}' is one special token that contains a comma"
        in ended.err
    )
    assert several in ended.err
    assert list(pw.Tokenizer.from_file(out).special_tokens) == [token]
    for fine in ("<s>", ",", "", ",,"):
        assert "that contains a comma" not in run(*words, fine).err
