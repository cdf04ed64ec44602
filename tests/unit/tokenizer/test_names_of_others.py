"""Names of other libraries, which the errors replace."""

from collections.abc import Callable

import pytest

import piecework as pw
from piecework.tokenizer._other_names import METHODS, OPTIONS

TOK = pw.Tokenizer.from_str("[UNK]\n[CLS]\n[SEP]\nhug\n##s\n")


@pytest.mark.parametrize("name", METHODS)
def test_an_attribute_of_another_library_has_advice(name: str) -> None:
    with pytest.raises(
        AttributeError, match=rf"^'Tokenizer' object has no attribute '{name}'; \w"
    ) as caught:
        getattr(TOK, name)
    assert METHODS[name] in str(caught.value)
    assert caught.value.name == name


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_of_another_library_has_advice(name: str) -> None:
    with pytest.raises(TypeError) as caught:
        TOK.encode("hugs", **{name: 1})
    assert OPTIONS[name] in str(caught.value)


def test_other_names_have_no_advice() -> None:
    with pytest.raises(AttributeError, match=r"^'Tokenizer' object has no attribute 'nothing'$"):
        _ = TOK.nothing  # type: ignore[attr-defined]
    assert not hasattr(TOK, "__array__")


def test_symbols_in_brackets_with_a_comma_raise_a_warning() -> None:
    trainer = pw.WordPieceTrainer(30, user_defined_symbols=["<a>,<b>", "1,000", ","])
    with pytest.warns(pw.errors.PieceworkWarning, match=r"'<a>,<b>' is one symbol") as caught:
        pw.train(["hug"], trainer, normalizer=None, pre_tokenizer=None)
    assert len([each for each in caught if "comma" in str(each.message)]) == 1


def test_tokens_with_flags_may_be_made_special() -> None:
    tokens = [pw.AddedToken("<user>", lstrip=True), "<bot>"]
    tok = TOK.with_added_tokens(tokens, special=True)
    added = {token.content: token for token in tok.added_tokens.values()}
    user, bot = added["<user>"], added["<bot>"]
    assert (user.special, user.lstrip, user.normalized) == (True, True, False)
    assert (bot.special, bot.normalized) == (True, False)
    assert tok.encode_ids("<user>", specials="text") == TOK.encode_ids("<user>")


HABITS: dict[str, tuple[Callable[[], object], str]] = {
    "several texts": (
        lambda: TOK.encode(["hug", "hugs"]),
        "found list; pass several texts to encode_batch",
    ),  # type: ignore[arg-type]
    "several texts, ids": (lambda: TOK.encode_ids(("hug",)), "found tuple; pass several"),  # type: ignore[arg-type]
    "tokens": (lambda: TOK.decode(["hug", "##s"]), "token_to_id returns the id"),  # type: ignore[list-item]
    "several lists": (lambda: TOK.decode([[3], [4]]), "pass several lists to decode_batch"),  # type: ignore[list-item]
    "sampling": (lambda: TOK.encode("hug", sampling=0.1), r"pass piecework\.Sampling"),  # type: ignore[arg-type]
    "normalizer": (
        lambda: TOK.replace(normalizer="nfkc"),
        r"pass piecework\.normalizers\.NFKC\(\)",
    ),  # type: ignore[arg-type]
    "rules": (
        lambda: pw.train(["hug"], pw.WordPieceTrainer(20), normalizer="nmt_nfkc"),  # type: ignore[arg-type]
        r"pass piecework\.normalizers\.SentencePiece\.of\('nmt_nfkc'\)",
    ),
    "post-processor": (
        lambda: TOK.replace(post_processor="byte-level"),
        r"pass piecework\.processors\.ByteLevel\(\)",
    ),  # type: ignore[arg-type]
    "no stage": (lambda: TOK.replace(normalizer="no"), r"piecework\.normalizers, not 'no'$"),  # type: ignore[arg-type]
    "special tokens": (
        lambda: pw.WordPieceTrainer(20, special_tokens=[pw.AddedToken("<a>")]),  # type: ignore[list-item]
        r"special_tokens\[0\]: expected a string, found an AddedToken; pass '<a>'",
    ),
    "symbols": (
        lambda: pw.UnigramTrainer(20, user_defined_symbols="<a>,<b>"),
        r"found one string; pass \['<a>', '<b>'\]",
    ),
    "a typing error": (
        lambda: pw.WordPieceTrainer(vocab_szie=20),
        "'vocab_szie'; did you mean 'vocab_size'",
    ),  # type: ignore[call-arg]
    "another case": (lambda: pw.pre_tokenizers.Jieba(HMM=False), "did you mean 'hmm'"),  # type: ignore[call-arg]
    "a training of SentencePiece": (
        lambda: pw.UnigramTrainer(20, input="a.txt"),  # type: ignore[call-arg]
        r"'input'; pass the files to piecework\.train",
    ),
    "a class of SentencePiece": (
        lambda: pw.SentencePieceTrainer,  # type: ignore[attr-defined]
        r"'SentencePieceTrainer'; call piecework\.train with",
    ),
    "no argument": (lambda: pw.UnigramTrainer(20, zzz=1), "argument 'zzz'$"),  # type: ignore[call-arg]
    "roles": (lambda: TOK.save_folder("folder", eos="[SEP]"), "did you mean 'eos_token'"),  # type: ignore[call-arg]
    "vocab_size": (
        lambda: pw.train(["hug"], pw.UnigramTrainer(4000)),
        "at most; lower `vocab_size`, or pass more text",
    ),
}


@pytest.mark.parametrize("name", HABITS)
def test_a_habit_from_another_library_has_advice(name: str) -> None:
    call, advice = HABITS[name]
    with pytest.raises((AttributeError, TypeError, pw.errors.ConfigError), match=advice):
        call()


@pytest.mark.parametrize("module", ["normalizers", "pre_tokenizers", "processors", "decoders"])
def test_the_advised_stage_can_be_made(module: str) -> None:
    stages = getattr(pw, module)
    name = "post_processor" if module == "processors" else module.removesuffix("s")
    for kind in stages.__all__:
        if not hasattr(getattr(stages, kind), "type_name"):
            continue  # a base, or a setting of a stage
        spelled = "".join(f"_{c}" if c.isupper() else c for c in kind).removeprefix("_").lower()
        with pytest.raises(TypeError) as caught:
            TOK.replace(**{name: spelled})
        advice = str(caught.value).partition("; pass ")[2]
        assert advice.startswith(f"piecework.{module}.{kind}("), (kind, str(caught.value))
        if not advice.endswith("(...)"):
            assert eval(advice, {"piecework": pw}) is not None
