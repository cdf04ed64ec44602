"""`piecework.hf.Tokenizer` and that of `tokenizers`: the same calls give the same results."""

import asyncio
import copy
import gc
import inspect
import json
import pickle
import threading
from pathlib import Path
from typing import Any

import pytest

from hf_peers import OURS, THEIRS, check_encodings, check_maps, check_same, evaluated

WORDS = "{'[UNK]': 0, '[CLS]': 1, '[SEP]': 2, 'a': 3, 'b': 4, 'hug': 5, '##s': 6, 'é': 7}"
BUILD = (
    f"k = Tokenizer(models.WordPiece({WORDS})); k.pre_tokenizer = pre_tokenizers.Whitespace(); "
    "k.normalizer = normalizers.Lowercase(); k.decoder = decoders.WordPiece(); "
)
BERT = BUILD + "k.post_processor = processors.BertProcessing(('[SEP]', 2), ('[CLS]', 1)); "

CALLS = """\
k.encode("Hugs a b zz")
k.encode("Hugs a", "b é")
k.encode("")
k.encode("", "")
k.encode("hugs", add_special_tokens=False)
k.encode(["hugs a", "b"], is_pretokenized=True)
k.encode(("hugs a", "b"), ["é"], is_pretokenized=True)
k.encode([], is_pretokenized=True)
k.encode(3)
k.encode(None)
k.encode(["a", "b"])
k.encode(b"a")
k.encode("a", 3)
k.encode("a", is_pretokenized=True)
k.encode(["a", 3], is_pretokenized=True)
k.encode("a", foo=1)
k.encode_batch(["a", "hugs b", ""])
k.encode_batch([])
k.encode_batch(["a", ("a", "b"), ["b", "a"]])
k.encode_batch([["a", "b"], ("a",), (["a"], ["b", "b"]), [["a"], ["b"]]], is_pretokenized=True)
k.encode_batch("ab")
k.encode_batch(["ab", 3])
k.encode_batch([["a", "b", "c"]])
k.encode_batch(3)
k.encode_batch({"a": 1})
k.encode_batch(("a", "b"))
k.encode_batch(["a", None])
k.encode_batch_fast(["a", "hugs b", "xyz"])
k.decode([5, 6, 3])
k.decode([1, 5, 6, 2])
k.decode([1, 5, 6, 2], skip_special_tokens=False)
k.decode([5, 99, 6])
k.decode([])
k.decode([-1])
k.decode("x")
k.decode(3)
k.decode([2 ** 32])
k.decode(["a"])
k.decode_batch([[5, 6], [3], []])
k.decode_batch([3])
k.decode_batch(3)
k.token_to_id("hug")
k.token_to_id("zz")
k.token_to_id(3)
k.id_to_token(5)
k.id_to_token(99)
k.id_to_token(-1)
k.id_to_token("a")
k.get_vocab_size(), k.get_vocab_size(False), k.get_vocab(), k.get_vocab(with_added_tokens=False)
k.num_special_tokens_to_add(True), k.num_special_tokens_to_add(is_pair=False)
k.get_added_tokens_decoder()
(k.truncation, k.padding, k.encode_special_tokens)
k.to_str()
k.to_str(pretty=True)
json.loads(k.__getstate__())
repr(k)
str(k)
(k.model, k.normalizer, k.pre_tokenizer, k.post_processor, k.decoder)
k.add_tokens(["hug"]), k.add_tokens(["hug"]), k.add_tokens(["c", "c"]), k.add_tokens([AddedToken("c", lstrip=True)]), k.add_tokens([""]), k.add_special_tokens(["c"]), k.get_added_tokens_decoder()
k.add_tokens([3])
k.add_tokens("x")
k.add_tokens(["ok", 3])
k.add_special_tokens([AddedToken("x"), AddedToken("y", normalized=True), AddedToken("z", special=False)]), k.get_added_tokens_decoder(), k.encode("x Y y Z z")
k.add_tokens(["Foo", AddedToken("Bar", normalized=False), AddedToken("baz", single_word=True), AddedToken("Q", lstrip=True, rstrip=True)]), k.encode("foo Foo BAR Bar baz bazz a q a Q b"), k.to_str()
k.add_tokens(["Foo"]); k.add_special_tokens(["[X]"]); k.decode([8, 9, 3]), k.decode([8, 9, 3], False), k.get_vocab()
k.add_special_tokens(["[SEP]"]); k.encode_special_tokens = True; k.encode("a[SEP]b"), k.encode_special_tokens
k.add_special_tokens(["[SEP]"]); k.encode("a[SEP]b")
k.add_tokens(["ab"]); k.normalizer = None; k.encode("AB ab")
k.add_tokens(["été"]); k.normalizer = normalizers.NFD(); k.encode("été")
k.enable_truncation(3); k.truncation
k.enable_truncation(3, stride=1, strategy="only_first", direction="left"); k.truncation, k.to_str()
k.enable_truncation(4); k.encode("a b a b a b")
k.enable_truncation(4, stride=1); k.encode("a b a b a b")
k.enable_truncation(5, stride=1); k.encode("a b a b a b", "b b b")
k.enable_truncation(5, strategy="only_second"); k.encode("a", "b b b b b")
k.enable_truncation(5, strategy="only_first"); k.encode("a b a b a", "b")
k.enable_truncation(5, strategy="only_second"); k.encode("a b a b a")
k.enable_truncation(5, strategy="only_first"); k.encode("a", "b b b b b b")
k.enable_truncation(4, direction="left"); k.encode("hugs a b")
k.enable_truncation(2); k.encode("hugs")
k.enable_truncation(3); k.no_truncation(); k.truncation
k.enable_truncation(3, strategy="x")
k.enable_truncation(3, direction="x")
k.enable_truncation(-1)
k.enable_truncation(4, stride=3)
k.enable_truncation(4, stride=4)
k.enable_truncation(4, foo=4); k.truncation
k.enable_truncation(1, stride=3); k.truncation
k.enable_truncation()
k.enable_truncation("x")
k.enable_padding(); k.padding
k.enable_padding(pad_id=3, pad_token="zz", length=5, pad_to_multiple_of=8, direction="left", pad_type_id=1); k.padding, k.to_str(), k.encode("hugs")
k.enable_padding(); k.encode_batch(["hugs a b", "a", ("a", "b")])
k.enable_padding(direction="left"); k.encode_batch(["hugs a b", "a"])
k.enable_padding(length=3); k.encode_batch(["hugs a b", "a"])
k.enable_padding(pad_to_multiple_of=4); k.encode_batch(["hugs a b", "a"]), k.encode("a")
k.enable_padding(); k.enable_truncation(4, stride=1); k.encode_batch(["a b a b a b", "a"]), k.encode_batch_fast(["a b a b a b", "a"])
k.enable_padding(); k.no_padding(); k.padding
k.enable_padding(direction="x")
k.enable_padding(3)
k.enable_padding(pad_id=-1)
k.enable_padding(max_length=3); k.padding
k.enable_padding(max_length=3, length=4); k.padding
k.enable_padding(foo=3); k.padding
k.post_process(k.encode("hugs", add_special_tokens=False))
k.post_process(k.encode("hugs", add_special_tokens=False), k.encode("a", add_special_tokens=False))
k.enable_truncation(4); k.enable_padding(length=6); e = Tokenizer(k.model); e.pre_tokenizer = pre_tokenizers.Whitespace(); k.post_process(e.encode("a b a b a"), e.encode("b"), True), k.post_process(e.encode("a b a b a"), None, False)
k.post_process(3)
k.normalizer = normalizers.BertNormalizer(lowercase=False); k.normalizer.lowercase = True; k.encode("HUG")
k.pre_tokenizer = None; k.encode("hugs hug")
k.decoder = None; k.decode([5, 6])
k.post_processor = None; k.encode("a", "b"), k.num_special_tokens_to_add(True)
n = normalizers.Strip(); k.normalizer = n; n.left = False; k.normalizer
k.normalizer = normalizers.Sequence([normalizers.NFC()]); k.normalizer[0] = normalizers.Lowercase(); k.encode("HUG")
k.model.unk_token = "a"; k.encode("zz"), k.model
k.model = models.WordLevel({"[UNK]": 0, "a": 1}, "[UNK]"); k.encode("a b"), k.get_vocab(), k.model
x = models.WordPiece({'[UNK]': 0, 'q': 1}); k.model = x; k.encode("q"), k.get_vocab_size(), k.model
x = models.WordLevel({'[UNK]': 0, 'q': 1}, "[UNK]"); k.model = x; x.unk_token = "q"; k.encode("zz")
k.normalizer = 3
k.normalizer = pre_tokenizers.Digits()
k.pre_tokenizer = normalizers.NFC()
k.decoder = 3
k.post_processor = "x"
k.model = None
k.model = 3
k.padding = {}
k.truncation = {}
k.encode_special_tokens = 3
Tokenizer()
Tokenizer(3)
Tokenizer.from_str("{}")
Tokenizer.from_str("{")
Tokenizer.from_str(3)
Tokenizer.from_buffer(b"{")
Tokenizer.from_buffer("{}")
Tokenizer.from_buffer(k.to_str().encode()).to_str()
Tokenizer.from_str(k.to_str(True)).to_str()
Tokenizer.from_file("/missing")
k.save("/missing/folder/file")
d = decoders.DecodeStream(); [d.step(k, i) for i in [5, 6, 3, 99, 7]]
d = decoders.DecodeStream([5, 6]); [d.step(k, 3), d.step(k, [4, 5])]
d = decoders.DecodeStream(skip_special_tokens=True); k.add_special_tokens(["[SEP]"]); [d.step(k, i) for i in [5, 2, 3]]
d = decoders.DecodeStream(); d.step(k, -1)
d = decoders.DecodeStream(); d.step(3, 1)
decoders.DecodeStream(3)""".splitlines()


@pytest.mark.parametrize("build", [BUILD, BERT], ids=["plain", "bert"])
@pytest.mark.parametrize("call", CALLS)
def test_calls_are_equal(build: str, call: str) -> None:
    *statements, last = call.split("; ")
    target = last.split(" = ")[0]
    if " = " in last and "(" not in target and '"' not in target:
        statements, last = [*statements, last], "None"
    check_same(build + "; ".join([*statements, last]))


ADDED = """\
AddedToken("a")
str(AddedToken("a"))
AddedToken()
AddedToken("a", special=True)
AddedToken("a", special=True, normalized=True)
AddedToken("a", lstrip=True, rstrip=True, single_word=True).__getstate__()
AddedToken("a") == AddedToken("a")
AddedToken("a") == AddedToken("a", lstrip=True)
AddedToken("a") != AddedToken("b")
AddedToken("a") == 3
AddedToken("a") < AddedToken("b")
AddedToken("a") < 3
t = AddedToken("a"); t.content = "b"; t.special = True; (t.content, t.special, t.normalized, repr(t))
t = AddedToken("a"); t.lstrip = True; t
t = AddedToken("a"); (t.single_word, t.lstrip, t.rstrip, t.normalized, t.special)
AddedToken(3)
AddedToken("a", lstrip=3)
AddedToken("a", 3)
import pickle; pickle.loads(pickle.dumps(AddedToken("a", lstrip=True)))
{AddedToken("a"): 1}[AddedToken("a")]""".splitlines()


@pytest.mark.parametrize("expression", ADDED)
def test_added_tokens_are_equal(expression: str) -> None:
    *statements, last = expression.split("; ")
    if last == "t.lstrip = True":
        statements, last = [*statements, last], "t"
    check_same("; ".join([*statements, last]))


ENCODINGS = """\
Encoding()
e = Encoding(); e.pad(3); e
e = k.encode("a b a b"); e.truncate(2); e
e = k.encode("a b a b"); e.truncate(3, 1); e
e = k.encode("a b a b"); e.truncate(2, 0, "left"); e
e = k.encode("a b a b"); e.truncate(9); e
e = k.encode("a b a b"); e.truncate(0); e
e = k.encode("a b a b"); e.truncate(2, direction="x")
e = k.encode("a b a b"); e.truncate(-1)
e = k.encode("a b"); e.pad(4); e
e = k.encode("a b"); e.pad(4, direction="left", pad_id=3, pad_type_id=7, pad_token="P"); e
e = k.encode("a b"); e.pad(1); e
e = k.encode("a b a b"); e.truncate(3); e.pad(4); e
e = k.encode("a b"); e.pad(4, direction="x")
e = k.encode("a b"); e.pad(-1)
e = k.encode("a b"); e.set_sequence_id(1); (e, e.sequence_ids, e.n_sequences, e.token_to_sequence(0))
Encoding.merge([k.encode("a b"), k.encode("b")])
Encoding.merge([k.encode("a b"), k.encode("b")], False)
Encoding.merge([])
Encoding.merge([3])
a = k.encode("a b a"); a.truncate(2); b = k.encode("b b b"); b.truncate(1); Encoding.merge([a, b])
a = k.encode("a b"); a.set_sequence_id(0); b = k.encode("b"); b.set_sequence_id(1); e = Encoding.merge([a, b], False); (e, e.sequence_ids, e.n_sequences)
len(k.encode("a b"))
repr(k.encode("a b"))
k.encode("a b").words
e = Encoding(); e.__setstate__(k.encode("a b").__getstate__()); e
import pickle; pickle.loads(pickle.dumps(k.encode("a b", "b")))
k.encode("a b").char_to_token(-1)
k.encode("a b").char_to_token("x")
k.encode("a b").word_to_tokens(2 ** 33)
k.encode("a b").ids.append(3)
k.encode("a b").foo""".splitlines()


@pytest.mark.parametrize("build", [BUILD, BERT], ids=["plain", "bert"])
@pytest.mark.parametrize("expression", ENCODINGS)
def test_encodings_are_equal(build: str, expression: str) -> None:
    *statements, last = expression.split("; ")
    check_same(build + "; ".join([*statements, last]))


@pytest.mark.parametrize("pair", [None, "b hugs"])
def test_maps_between_characters_and_tokens(pair: str | None) -> None:
    theirs, ours = (evaluated(module, BERT + "k") for module in (THEIRS, OURS))
    check_maps(theirs.encode("hugs é b", pair), ours.encode("hugs é b", pair), 9)


# State


def made() -> Any:
    return evaluated(OURS, BERT + "k.add_tokens(['x y']); k.enable_truncation(9); k")


def test_pickles_and_copies_are_independent() -> None:
    tok = made()
    tok.enable_padding(length=4)
    for other in (pickle.loads(pickle.dumps(tok)), copy.deepcopy(tok), copy.copy(tok)):
        assert other.to_str() == tok.to_str()
        other.add_tokens(["new"])
        other.no_padding()
        other.normalizer = None
        other.model.unk_token = "a"
        assert tok.token_to_id("new") is None
        assert tok.padding is not None
        assert tok.normalizer is not None
        assert tok.model.unk_token == "[UNK]"
        assert tok.encode("HUG x y").tokens == ["[CLS]", "hug", "x y", "[SEP]"]


def test_a_deep_copy_shares_the_vocabulary() -> None:
    tok = made()
    assert copy.deepcopy(tok)._ready() is tok._ready()


def test_adding_tokens_one_by_one_makes_one_tokenizer() -> None:
    tok = made()
    before = tok._ready()
    for number in range(5000):
        assert tok.add_tokens([f"<{number}>"]) == 1
    assert tok._applied.core is before
    assert tok.token_to_id("<4999>") == tok.get_vocab_size() - 1


@pytest.mark.parametrize("size", [1, 2, 5, 20])
def test_a_model_of_another_size_keeps_added_tokens(size: int) -> None:
    tok = made()
    tok.add_tokens(["pq", "rs"])
    vocab = {"[UNK]": 0} | {f"w{number}": number for number in range(1, size)}
    tok.model, tok.post_processor = OURS.models.WordLevel(vocab, "[UNK]"), None
    assert tok.get_vocab_size() == size + 3
    assert [token.content for token in tok.get_added_tokens_decoder().values()] == [
        "x y",
        "pq",
        "rs",
    ]
    assert tok.encode("rs x y pq").tokens == ["rs", "x y", "pq"]


def test_an_added_token_takes_the_id_0_of_a_new_model() -> None:
    """The id 0 of the new model is not taken for a token without id."""
    tok = OURS.Tokenizer(OURS.models.WordLevel({"x": 0, "a": 1, "b": 2}, "a"))
    tok.add_tokens(["x", "b"])
    tok.model = OURS.models.WordLevel({"b": 0, "c": 1}, "c")
    assert tok.get_vocab() == {"b": 0, "c": 1, "x": 2}
    assert tok.encode("bxy").ids == [0, 2, 1]


def test_awaited_calls_are_futures() -> None:
    """They start at once, and may be awaited or not."""

    async def kinds(module: Any) -> list[bool]:
        tok = module.Tokenizer(module.models.WordLevel({"a": 0}, "a"))
        calls = (
            tok.async_encode("a"),
            tok.async_encode_batch(["a"]),
            tok.async_encode_batch_fast(["a"]),
            tok.async_decode_batch([[0]]),
        )
        done, pending = await asyncio.wait(calls)
        return [len(done) == len(calls), not pending, all(map(asyncio.isfuture, calls))]

    assert asyncio.run(kinds(OURS)) == asyncio.run(kinds(THEIRS)) == [True] * 3
    for module in (OURS, THEIRS):
        with pytest.raises(RuntimeError):
            module.Tokenizer(module.models.BPE()).async_encode("a")


def test_save_and_load(tmp_path: Path) -> None:
    tok, path = made(), tmp_path / "tokenizer.json"
    for pretty in (True, False):
        tok.save(str(path), pretty=pretty)
        assert path.read_text(encoding="utf-8") == tok.to_str(pretty=pretty)
        assert OURS.Tokenizer.from_file(str(path)).to_str() == tok.to_str()
        assert THEIRS.Tokenizer.from_file(str(path)).to_str() == tok.to_str()


def test_components_of_tokenizers_are_accepted() -> None:
    tok, theirs = made(), evaluated(THEIRS, BERT + "k")
    tok.normalizer = THEIRS.normalizers.Sequence([THEIRS.normalizers.NFD()])
    tok.pre_tokenizer = THEIRS.pre_tokenizers.Digits()
    tok.post_processor = THEIRS.processors.TemplateProcessing(
        "[CLS] $A", special_tokens=[("[CLS]", 1)]
    )
    tok.decoder = THEIRS.decoders.Fuse()
    tok.model = theirs.model
    tok.add_tokens([THEIRS.AddedToken("<t>", lstrip=True)])
    tok.add_special_tokens([THEIRS.AddedToken("<s>")])
    theirs.normalizer = THEIRS.normalizers.Sequence([THEIRS.normalizers.NFD()])
    theirs.pre_tokenizer = THEIRS.pre_tokenizers.Digits()
    theirs.post_processor = THEIRS.processors.TemplateProcessing(
        "[CLS] $A", special_tokens=[("[CLS]", 1)]
    )
    theirs.decoder = THEIRS.decoders.Fuse()
    theirs.add_tokens(["x y", THEIRS.AddedToken("<t>", lstrip=True)])
    theirs.add_special_tokens([THEIRS.AddedToken("<s>")])
    tok.no_truncation()
    assert tok.to_str() == theirs.to_str()
    assert (
        OURS.normalizers.Sequence([THEIRS.normalizers.NFC()])[0].__getstate__() == b'{"type":"NFC"}'
    )


SIGNATURES = (
    "Tokenizer.enable_truncation",
    "Tokenizer.enable_padding",
    "Tokenizer.encode",
    "Tokenizer.encode_batch",
    "Encoding.pad",
    "Encoding.truncate",
    "AddedToken",
    "models.BPE",
    "models.WordPiece",
    "trainers.BpeTrainer",
    "trainers.WordPieceTrainer",
    "trainers.WordLevelTrainer",
    "trainers.UnigramTrainer",
)


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_have_the_same_names_and_defaults(name: str) -> None:
    theirs, ours = (
        {
            name: parameter.default
            for name, parameter in inspect.signature(evaluated(module, name)).parameters.items()
            if name not in {"self", "kwargs"}
        }
        for module in (THEIRS, OURS)
    )
    extra = ours.keys() - theirs.keys()
    assert extra <= {"criterion", "seed_size"}
    for parameter, default in theirs.items():
        # Theirs shows a list that is empty; the default of `normalized` depends on `special`.
        if parameter != "normalized":
            assert ours[parameter] == (None if default == [] else default), parameter


def test_regexes_of_tokenizers_are_accepted() -> None:
    regex = THEIRS.Regex("a+")
    assert OURS.normalizers.Replace(regex, "x").normalize_str("baab") == "bxb"
    assert len(OURS.pre_tokenizers.Split(regex, "removed").pre_tokenize_str("baab")) == 2
    assert len(OURS.NormalizedString("baab").split(regex, "isolated")) == 3


def test_dropout_draws_again_in_each_call() -> None:
    model = OURS.models.BPE({"a": 0, "aa": 1, "aaaa": 2}, [("a", "a"), ("aa", "aa")], dropout=0.5)
    tok = OURS.Tokenizer(model)
    assert len({tuple(tok.encode("a" * 64).ids) for _ in range(9)}) > 1
    tok.model.dropout = None
    assert tok.encode("aaaa").ids == [2]


def test_sampling_of_unigram() -> None:
    vocab = [("<unk>", 0.0), ("a", -1.0), ("aa", -1.5), ("aaa", -2.0)]
    tok = OURS.Tokenizer(OURS.models.Unigram(vocab, 0, alpha=0.1, nbest_size=8))
    assert len({tuple(tok.encode("a" * 9).ids) for _ in range(30)}) > 1


def test_awaited_calls() -> None:
    tok = made()

    async def calls() -> list[Any]:
        return await asyncio.gather(
            tok.async_encode("hugs"),
            tok.async_encode_batch(["hugs", "a"]),
            tok.async_encode_batch_fast(["hugs", "a"]),
            tok.async_decode_batch([[5, 6], [3]]),
        )

    one, many, fast, texts = asyncio.run(calls())
    assert one.ids == many[0].ids == fast[0].ids == tok.encode("hugs").ids
    assert texts == ["hugs", "a"]


# Threads


def test_threads_share_a_tokenizer_with_settings_of_their_own() -> None:
    tok = made()
    tok.no_truncation()
    text = "hugs a b é hug " * 20
    whole = tok.encode(text).ids
    failures: list[str] = []

    def work(number: int) -> None:
        own = copy.deepcopy(tok)
        own.enable_truncation(10 + number)
        own.enable_padding(length=30)
        for _ in range(50):
            ids = own.encode(text).ids
            if len(ids) != 30 or ids[: 9 + number] != whole[: 9 + number]:
                failures.append(f"thread {number}: {ids}")
            if tok.encode_batch([text, "a"])[0].ids != whole:
                failures.append(f"thread {number}: the shared one")

    threads = [threading.Thread(target=work, args=[number]) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_threads_may_change_a_tokenizer() -> None:
    tok = made()

    def work(number: int) -> None:
        for place in range(20):
            tok.add_tokens([f"<{number}-{place}>"])
            tok.encode("hugs a b")
            tok.enable_padding(length=number)
            tok.normalizer = OURS.normalizers.Lowercase()

    threads = [threading.Thread(target=work, args=[number]) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    added = {token.content for token in tok.get_added_tokens_decoder().values()}
    assert {f"<{number}-{place}>" for number in range(16) for place in range(20)} <= added


def test_objects_are_freed() -> None:
    import weakref

    tok = made()
    found = weakref.ref(tok)
    del tok
    gc.collect()
    assert found() is None


def test_training_survives_a_file(tmp_path: Path) -> None:
    tok = OURS.Tokenizer(OURS.models.BPE())
    tok.pre_tokenizer = OURS.pre_tokenizers.Whitespace()
    tok.train_from_iterator(["hug hugs"] * 3, OURS.trainers.BpeTrainer(show_progress=False))
    model = json.loads(tok.to_str())["model"]
    assert [merge[2] for merge in model["piecework"]["training"]["history"]] == [
        "hu",
        "hug",
        "hugs",
    ]
    assert pickle.loads(pickle.dumps(tok)).to_str() == tok.to_str()
    assert (
        check_encodings(THEIRS.Tokenizer.from_str(tok.to_str()).encode("hugs"), tok.encode("hugs"))
        is None
    )
