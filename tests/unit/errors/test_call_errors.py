"""Calls with impossible settings, wrong types or lone surrogates raise piecework's errors."""

import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import piecework as pw

TRAINER = pw.WordPieceTrainer(vocab_size=60)
TEXT = "the cat sat on the mat"
TOKENIZER = pw.train([TEXT], TRAINER)
COUNTS = pw.WordCounts.from_texts([TEXT])
UNIGRAM = pw.Tokenizer(pw.models.Unigram([("a", -1.0)]))
LONE = "a\ud800b"

# Lone surrogates

SURROGATES: dict[str, Callable[[], object]] = {
    "encode": lambda: TOKENIZER.encode(LONE),
    "encode, pair": lambda: TOKENIZER.encode("a", LONE),
    "encode, specials": lambda: TOKENIZER.encode("a", specials={LONE}),
    "encode_ids": lambda: TOKENIZER.encode_ids(LONE),
    "encode_ids, pair": lambda: TOKENIZER.encode_ids("a", LONE),
    "encode_batch": lambda: TOKENIZER.encode_batch(["a", LONE]),
    "tokenize": lambda: TOKENIZER.tokenize(LONE),
    "count": lambda: TOKENIZER.count(LONE),
    "count, several": lambda: TOKENIZER.count(["a", LONE]),
    "lm.log_likelihood": lambda: TOKENIZER.lm.log_likelihood(LONE),
    "explain": lambda: TOKENIZER.explain(LONE),
    "train": lambda: pw.train(["a", LONE], TRAINER),
    "train, mapping": lambda: pw.train({LONE: 1}, TRAINER),
    "WordCounts": lambda: pw.WordCounts({LONE: 1}),
    "from_texts": lambda: pw.WordCounts.from_texts(iter([LONE])),
    "normalize_str": lambda: pw.normalizers.BertNormalizer().normalize_str(LONE),
    "pre_tokenize_str": lambda: pw.pre_tokenizers.WhitespaceSplit().pre_tokenize_str(LONE),
    "from_str": lambda: pw.Tokenizer.from_str(f"[UNK]\n{LONE}\n"),
    "from_str, json": lambda: pw.Tokenizer.from_str('{"model": "\ud800"}'),
    "from_str, unk_token": lambda: pw.Tokenizer.from_str("[UNK]\n", unk_token=LONE),
    "from_str, prefix": lambda: pw.Tokenizer.from_str("[UNK]\n", continuing_subword_prefix=LONE),
    "replace, settings": lambda: TOKENIZER.replace(unk_token=LONE),
    "special_tokens": lambda: pw.WordPieceTrainer(60, special_tokens=[LONE]),
    "user_defined_symbols": lambda: pw.WordPieceTrainer(60, user_defined_symbols=[LONE]),
    "initial_alphabet": lambda: pw.WordPieceTrainer(60, initial_alphabet=["\ud800"]),
    "prefix": lambda: pw.WordPieceTrainer(60, continuing_subword_prefix=LONE),
    "required_chars": lambda: pw.UnigramTrainer(60, required_chars=["a", "\ud800"]),
    "lm.nbest": lambda: UNIGRAM.lm.nbest(LONE, 2),
    "lm.marginal_log_likelihood": lambda: UNIGRAM.lm.marginal_log_likelihood(LONE),
    "lm.score": lambda: UNIGRAM.lm.score([LONE]),
    "rules": lambda: pw.normalizers.Precompiled.of({"a": LONE}),
    "name of rules": lambda: pw.normalizers.SentencePiece.of(LONE),
}


@pytest.mark.parametrize("name", SURROGATES)
def test_lone_surrogates_raise(name: str) -> None:
    with pytest.raises(pw.PieceworkError) as caught:
        SURROGATES[name]()
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("name", ["encode", "encode_batch", "train", "WordCounts", "from_str"])
def test_surrogate_error_is_a_unicode_error(name: str) -> None:
    with pytest.raises(pw.errors.SurrogateError, match=r"U\+D800") as caught:
        SURROGATES[name]()
    assert isinstance(caught.value, UnicodeEncodeError)


def test_surrogate_error_names_the_setting() -> None:
    for name, where in [
        ("special_tokens", r"special_tokens\[0\]"),
        ("required_chars", r"_chars\[1\]"),
    ]:
        with pytest.raises(pw.errors.SurrogateError, match=rf"{where}: .* at character \d"):
            SURROGATES[name]()


def test_missing_words_and_tokens() -> None:
    assert 3 not in COUNTS
    assert TOKENIZER.token_to_id("no such token") is None
    for missing in ("no such word", LONE):
        with pytest.raises((KeyError, pw.PieceworkError)):
            COUNTS[missing]
        with pytest.raises((KeyError, pw.PieceworkError)):
            COUNTS.first_occurrence(missing)


# Ids


@pytest.mark.parametrize("number", [60, -1, 2**31, 2**32, 2**64, -(2**63)])
def test_missing_ids_raise(number: int) -> None:
    with pytest.raises(pw.errors.TokenIdError, match=r"(negative or over|ids end at)") as caught:
        TOKENIZER.decode([0, number])
    assert isinstance(caught.value, IndexError)
    assert isinstance(caught.value, ValueError)
    with pytest.raises(pw.errors.TokenIdError):
        TOKENIZER.decode_batch([[0], [number]])
    assert TOKENIZER.id_to_token(number) is None


# Settings


@pytest.mark.parametrize(
    "settings",
    [
        {"vocab_size": 0},
        {"vocab_size": -5},
        {"vocab_size": 1.5},
        {"vocab_size": "big"},
        {"vocab_size": None},
        {"vocab_size": True},
        {"vocab_size": 2**64},
        {"criterion": "likelyhood"},
        {"criterion": None},
        {"criterion": len},
        {"ties": "random"},
        {"min_frequency": 0},
        {"min_frequency": -1},
        {"min_word_frequency": 0},
        {"max_merges": -1},
        {"max_merges": 2.0},
        {"stop_at_pair_frequency": -1},
        {"stop_without_gain": "yes"},
        {"special_tokens": "[UNK]"},
        {"special_tokens": ["[UNK]", "[UNK]"]},
        {"special_tokens": [""]},
        {"special_tokens": [3]},
        {"special_tokens": 3},
        {"special_tokens_first": 1},
        {"user_defined_symbols": "ab"},
        {"user_defined_symbols": [""]},
        {"user_defined_symbols": ["ab", "c", "ab"]},
        {"user_defined_symbols": ["[CLS]"]},
        {"user_defined_symbols": [3]},
        {"user_defined_symbols": 3},
        {"initial_alphabet": ["ab"]},
        {"initial_alphabet": [""]},
        {"initial_alphabet": [3]},
        {"initial_alphabet": 3},
        {"limit_alphabet": 0},
        {"limit_alphabet": -3},
        {"continuing_subword_prefix": None},
        {"continuing_subword_prefix": 3},
        {"max_token_length": 0},
        {"prune_unused": None},
    ],
    ids=str,
)
def test_impossible_trainers_raise(settings: dict[str, Any]) -> None:
    with pytest.raises(
        (pw.PieceworkError, TypeError), match=next(iter(settings)).rstrip("s").replace("_", ".")
    ) as caught:
        pw.train([TEXT], pw.WordPieceTrainer(**{"vocab_size": 60} | settings))
    assert isinstance(caught.value, ValueError | TypeError)


def test_misspelled_criterion_gets_a_hint() -> None:
    with pytest.raises(pw.errors.PieceworkError, match="likelihood"):
        pw.WordPieceTrainer(60, criterion="likelyhood")


@pytest.mark.parametrize("criterion", ["likelihood", "pmi", "sum", "frequency"])
def test_smallest_vocab_size_in_error_message_suffices(criterion: Any) -> None:
    with pytest.raises(pw.errors.ConfigError, match=r"at least (\d+)") as caught:
        pw.train([TEXT], pw.WordPieceTrainer(vocab_size=5, criterion=criterion))
    smallest = int(str(caught.value).split("at least ")[1].split()[0].rstrip(".,;)"))
    tokenizer = pw.train([TEXT], pw.WordPieceTrainer(vocab_size=smallest, criterion=criterion))
    assert len(tokenizer) == smallest
    with pytest.raises(pw.errors.ConfigError):
        pw.train([TEXT], pw.WordPieceTrainer(vocab_size=smallest - 1, criterion=criterion))


@pytest.mark.parametrize(
    "call",
    [
        'TOKENIZER.encode("a", specials="nonsense")',
        'TOKENIZER.encode("a", specials={"[NO]"})',
        'TOKENIZER.encode_batch(["a"], specials="nonsense")',
        'TOKENIZER.encode_batch([], specials="nonsense")',
        'TOKENIZER.encode_batch(["a"], threads=0)',
        'TOKENIZER.encode_batch(["a"], threads=-1)',
        'pw.WordCounts.from_texts(["a"], threads=0)',
        'pw.WordCounts.from_texts(["a"], threads=-1)',
        'pw.WordCounts.from_texts(["a"], first_document=-1)',
        "pw.train([TEXT], TRAINER, threads=0)",
        'TOKENIZER.replace(unknown="line")',
        'TOKENIZER.replace(unk_token="[NO]")',
        "TOKENIZER.replace(max_input_chars_per_word=-1)",
        "TOKENIZER.replace(max_input_chars_per_word=True)",
        "TOKENIZER.replace(max_input_chars_per_word=2**64)",
        'pw.Tokenizer.from_str("[UNK]\\n", unknown="line")',
        'pw.Tokenizer.from_str("[UNK]\\n", lowercase="yes")',
        "pw.normalizers.BertNormalizer(lowercase=3)",
        'TOKENIZER.encode_batch(["a"]).padded(length=0)',
        'TOKENIZER.encode_batch(["a"]).padded(side="middle")',
    ],
)
def test_impossible_arguments_raise(call: str) -> None:
    with pytest.raises(pw.PieceworkError) as caught:
        eval(call)
    assert isinstance(caught.value, ValueError)
    assert str(caught.value)


@pytest.mark.parametrize(
    "call",
    [
        "pw.train(TEXT, TRAINER)",
        'pw.train([b"bytes"], TRAINER)',
        "pw.train([3], TRAINER)",
        "pw.train(3, TRAINER)",
        "pw.train([TEXT], 60)",
        'pw.train([TEXT], {"vocab_size": 60})',
        'pw.train({b"a": 1}, TRAINER)',
        "pw.Corpus(3)",
        'pw.WordCounts([("a", 1)])',
        "pw.WordCounts.from_texts(TEXT)",
        'COUNTS + {"a": 1}',
        "pw.Tokenizer()",
        'pw.Tokenizer.from_str(b"[UNK]")',
        'pw.Tokenizer.from_bytes("[UNK]")',
        "TOKENIZER.encode(3)",
        "TOKENIZER.encode(None)",
        'TOKENIZER.encode(["a"])',
        'TOKENIZER.encode("a", 3)',
        'TOKENIZER.encode("a", specials=3)',
        'TOKENIZER.encode_batch("text")',
        "TOKENIZER.encode_batch([None])",
        "TOKENIZER.encode_batch(3)",
        'TOKENIZER.encode_batch(b"bytes")',
        'TOKENIZER.decode("text")',
        "TOKENIZER.decode([1.5])",
        "TOKENIZER.decode(3)",
        "TOKENIZER.count(3)",
        "TOKENIZER.token_to_id(3)",
        "TOKENIZER.lm.log_likelihood(3)",
    ],
)
def test_wrong_types_raise(call: str) -> None:
    with pytest.raises(TypeError) as caught:
        eval(call)
    assert str(caught.value)


@pytest.mark.parametrize(
    "call",
    [
        "pw.train([TEXT], TRAINER, **more)",
        "pw.Corpus(__file__, **more)",
        "pw.WordPieceTrainer(60, **more)",
        "pw.WordCounts({}, **more)",
        "pw.WordCounts.from_texts([], **more)",
        "pw.count_words([], **more)",
        'pw.WordCounts.count_to_file([], "x", **more)',
        "pw.Tokenizer.from_file(__file__, **more)",
        'pw.Tokenizer.from_str("[UNK]", **more)',
        'pw.Tokenizer.from_bytes(b"[UNK]", **more)',
        "TOKENIZER.replace(**more)",
        'TOKENIZER.encode("a", **more)',
        'TOKENIZER.encode_ids("a", **more)',
        "TOKENIZER.encode_batch([], **more)",
        "TOKENIZER.encode_batch([]).padded(**more)",
        "TOKENIZER.decode([], **more)",
        "TOKENIZER.decode_batch([], **more)",
        'TOKENIZER.tokenize("a", **more)',
        'TOKENIZER.count("a", **more)',
        'TOKENIZER.lm.log_likelihood("a", **more)',
        'TOKENIZER.explain("a", **more)',
        'TOKENIZER.save("x", **more)',
        "pw.normalizers.BertNormalizer(**more)",
        "pw.pre_tokenizers.BertPreTokenizer(**more)",
    ],
)
def test_unknown_keyword_arguments_raise(call: str) -> None:
    with pytest.raises(TypeError, match="no_such_setting"):
        eval(call, globals(), {"more": {"no_such_setting": 1}})


def test_misspelled_setting_gets_a_hint() -> None:
    with pytest.raises(TypeError, match="did you mean 'lowercase'"):
        pw.Tokenizer.from_str("[UNK]\n", lower_case=True)  # type: ignore[call-arg]


# Special tokens in text


def test_untrusted_text_gives_no_special_tokens() -> None:
    cls = TOKENIZER.vocab["[CLS]"]
    assert cls in TOKENIZER.encode_ids("a[CLS]", add_special_tokens=False)
    for text in ("[CLS]", "the[CLS]the", "[MASK] [SEP]"):
        ids = TOKENIZER.encode_ids(text, add_special_tokens=False, specials="text")
        special = set(TOKENIZER.special_tokens.values()) - {TOKENIZER.vocab["[UNK]"]}
        assert not special.intersection(ids)
        with pytest.raises(pw.errors.SpecialTokenError, match=r'specials="text".*"match"'):
            TOKENIZER.encode(text, specials="error")
    only = TOKENIZER.encode("[CLS][MASK]", add_special_tokens=False, specials={"[MASK]"})
    assert "[MASK]" in only.tokens
    assert "[CLS]" not in only.tokens


# Large inputs and threads


def test_threads_share_a_tokenizer() -> None:
    texts = [f"the {'mat cat '[: n % 9]} sat{n} [CLS]" for n in range(400)]
    wanted = [TOKENIZER.encode_ids(text) for text in texts]

    def work(number: int) -> bool:
        same = [TOKENIZER.encode(text).ids for text in texts] == wanted
        some = TOKENIZER.encode_batch(texts, threads=number % 3 + 1).to_list() == wanted
        reloaded = TOKENIZER.replace(unknown="char").decode_batch(wanted)
        return same and some and reloaded == TOKENIZER.decode_batch(wanted)

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(work, range(32)))


@pytest.mark.slow
@pytest.mark.parametrize("unknown", ["word", "run", "char"])
@pytest.mark.parametrize("limit", [None, 100, 2 * 10**6])
def test_word_of_a_million_characters_is_encoded(unknown: Any, limit: int | None) -> None:
    tokenizer = pw.Tokenizer.from_str("[UNK]\na\n##a\n##aa\n##aaab\n").replace(
        unknown=unknown, max_input_chars_per_word=limit
    )
    for word in ("a" * 10**6, "a" * 10**6 + "é", "b" * 10**6, "aab" * 333_333):
        encoding = tokenizer.encode(word)
        assert encoding.ids == tokenizer.encode_ids(word)
        assert encoding.offsets[0][0] == 0
        assert encoding.offsets[-1][1] == len(word)
        assert tokenizer.count(word) == len(encoding)


def test_text_of_a_million_combining_marks_is_encoded() -> None:
    for text in ("a" + "\u0301" * 10**6, "a" + "\u0323\u0301" * 10**5, "\u0f71\u0f72" * 10**5):
        for flags in ({"lowercase": True}, {"lowercase": False}, {"strip_accents": False}):
            tokenizer = pw.Tokenizer.from_str("[UNK]\na\n", **flags)
            assert len(tokenizer.encode(text)) <= 1


def test_long_word_is_explained() -> None:
    tokenizer = pw.train([TEXT], TRAINER).replace(max_input_chars_per_word=None)
    explained = tokenizer.explain("thecatsat" * 2000, max_characters=None)
    assert len(str(explained)) > 0
    assert len(explained.pieces) == tokenizer.count("thecatsat" * 2000, add_special_tokens=False)


def test_training_on_one_long_word_works() -> None:
    word = "ab" * 50_000
    tokenizer = pw.train({word: 1}, pw.WordPieceTrainer(vocab_size=40))
    assert tokenizer.history


# Exceptions


def every_class() -> list[type]:
    found = [value for value in vars(pw.errors).values() if isinstance(value, type)]
    return [c for c in found if issubclass(c, pw.PieceworkError) and c is not pw.PieceworkError]


@pytest.mark.parametrize("kind", every_class(), ids=lambda kind: kind.__name__)
def test_every_exception_derives_from_a_builtin(kind: type) -> None:
    kinds = (ValueError, OSError, OverflowError, TypeError, LookupError, ImportError, RuntimeError)
    assert issubclass(kind, kinds)
    assert kind.__doc__


@pytest.mark.parametrize(
    "call",
    [
        "TOKENIZER.encode(LONE)",
        "TOKENIZER.decode([999])",
        'pw.Tokenizer.from_file("no such file")',
        'pw.Tokenizer.from_str("{}")',
        'pw.Tokenizer.from_str(\'{"model": {"type": "BPE"}}\')',
        'TOKENIZER.encode("[CLS]", specials="error")',
        "pw.WordPieceTrainer(0)",
        "pw.train([], TRAINER)",
        'pw.WordCounts({"a": 2**64 - 1, "b": 1})',
    ],
)
def test_exceptions_survive_pickling(call: str) -> None:
    with pytest.raises(pw.PieceworkError) as caught:
        eval(call)
    reloaded = pickle.loads(pickle.dumps(caught.value))
    assert type(reloaded) is type(caught.value)
    assert str(reloaded) == str(caught.value)
