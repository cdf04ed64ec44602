"""Views for untrusted texts, compared with a plain model of what added tokens such texts may spell."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import assume, given, strategies as st

import piecework as pw
from piecework import models as m, normalizers as n, pre_tokenizers as p
from piecework.errors import ConfigError, SpecialTokenError, SurrogateError
from profiles import examples

pytestmark = pytest.mark.smoke

ALONE: Any = {"add_special_tokens": False}
CONTENTS = [
    "<t>",
    "</t>",
    "<t></t>",
    "[S]",
    "ab",
    "AB",
    "a b",
    "b",
    "é",
    "<0x41>",
    "  ",
    "\n\n",
    "\t",
    "a  ",
]
"""Added tokens of the random tests: markers, words, characters, a byte, and white space."""
LETTERS = ["a", "b", "c", "<", ">", "/", "t", "[", "]", "S", "A", "B", "é", "▁", " ", "\n"]
ENTRIES = [*LETTERS, *CONTENTS, "ab", "abc", "▁a", "▁ab", "t>", "<t"]
VOCAB = ["[UNK]", *dict.fromkeys(ENTRIES)]
TEXTS = st.lists(st.sampled_from([*CONTENTS, *LETTERS, "abc", "É", "<T>"]), max_size=8).map("".join)


# --- the plain model ------------------------------------------------------------------------


def is_allowed(token: pw.AddedToken, keep: tuple[str, ...] = ()) -> bool:
    """Returns whether untrusted text may spell an added token."""
    return token.content in keep or all(c.isspace() or c == "▁" for c in token.content)


def is_character(token: pw.AddedToken) -> bool:
    """Returns whether a token is a character or a byte, which is itself as a token and as text."""
    is_byte = len(token.content) == 6 and token.content.startswith("<0x")
    return not token.special and (len(token.content) == 1 or is_byte)


def forbidden_ids(tok: pw.Tokenizer, keep: tuple[str, ...] = ()) -> set[int]:
    """Returns the ids that no untrusted text is encoded to."""
    added = tok.added_tokens.items()
    return {i for i, token in added if not is_allowed(token, keep) and not is_character(token)}


def renamed(entry: str, tokens: list[pw.AddedToken], keep: tuple[str, ...]) -> str:
    """Returns an entry, or a name that no text has for one that untrusted text must not become."""
    for token in tokens:
        if token.content == entry and not is_allowed(token, keep) and not is_character(token):
            return "".join(chr(0xE000 + ord(c) % 0x1000) for c in entry)
    return entry


def model_of(kind: str, vocab: list[str]) -> m.Model:
    """Returns a model of a kind with these entries."""
    if kind == "WordLevel":
        return m.WordLevel(vocab, unk_token="[UNK]")
    if kind == "Unigram":
        pieces = [(entry, -1.0 - 0.25 * number) for number, entry in enumerate(vocab)]
        return m.Unigram(pieces, unk_id=0)
    unknown: Any = kind.partition(" ")[2] or "word"
    return m.WordPiece(vocab, continuing_subword_prefix="", unknown=unknown)


def byte_level_bpe() -> m.BPE:
    """Returns a BPE model of bytes that merges the letters of some added tokens."""
    letters = pw.train(["a"], pw.BpeTrainer(256, alphabet="byte")).vocab
    merges = [
        ("<", "t"),
        ("<t", ">"),
        ("a", "b"),
        ("[", "S"),
        ("[S", "]"),
        ("Ġ", "Ġ"),
        ("ab", "<t>"),
    ]
    vocab = dict.fromkeys([*letters, *(left + right for left, right in merges)])
    return m.BPE([*vocab], merges)


NORMALIZERS: list[n.Normalizer | None] = [
    None,
    n.Lowercase(),
    n.Sequence([n.NFKC(), n.Lowercase()]),
]
SPLITTERS: list[p.PreTokenizer | None] = [
    None,
    p.BertPreTokenizer(),
    p.WhitespaceSplit(),
    p.Metaspace(),
    p.Metaspace(prepend_scheme="first"),
]
FLAGS = st.fixed_dictionaries(
    dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), st.booleans())
)
TOKENS = st.lists(
    st.builds(
        lambda content, flags: pw.AddedToken(content, **flags), st.sampled_from(CONTENTS), FLAGS
    ),
    unique_by=lambda token: token.content,
    max_size=6,
)
KINDS = st.sampled_from(["WordPiece", "WordPiece run", "WordPiece char", "WordLevel", "Unigram"])


@st.composite
def tokenizers(draw: st.DrawFn) -> pw.Tokenizer:
    """Draws a tokenizer of any model, whose added tokens may be entries of the model."""
    tokens = draw(TOKENS)
    if draw(st.integers(0, 4)) == 0:
        splitter: p.PreTokenizer | None = p.ByteLevel(add_prefix_space=draw(st.booleans()))
        return pw.Tokenizer(byte_level_bpe(), pre_tokenizer=splitter, added_tokens=tokens)
    vocab = [entry for entry in VOCAB if entry not in CONTENTS or draw(st.booleans())]
    return pw.Tokenizer(
        model_of(draw(KINDS), vocab),
        normalizer=draw(st.sampled_from(NORMALIZERS)),
        pre_tokenizer=draw(st.sampled_from(SPLITTERS)),
        added_tokens=tokens,
    )


def generic(tok: pw.Tokenizer, text: str, **given: Any) -> pw.Encoding:
    """Returns the encoding of the generic path."""
    return tok._core.encode(text, None, False, tok._new_options(given, path="generic"))


def outcome(call: Any, *given: Any, **options: Any) -> Any:
    """Returns the result of a call, or the message of its error."""
    try:
        return call(*given, **options)
    except SpecialTokenError as error:
        return str(error)


# --- random tests ---------------------------------------------------------------------------


@given(tokenizers(), TEXTS, st.data())
@examples(700)
def test_untrusted_text_gives_no_untrusted_token(tok: pw.Tokenizer, text: str, data: Any) -> None:
    keep = tuple(token.content for token in tok.added_tokens.values() if data.draw(st.booleans()))
    view, forbidden = tok.untrusted(keep), forbidden_ids(tok, keep)
    encoding = view.encode(text)
    for ids in (
        encoding.ids,
        view.encode_ids(text, "a" + text),
        view.encode_ids(text.split(" "), is_pretokenized=True),
        view.encode_segments([(text, False)]).ids,
        view.encode_segments([(text[:2], False), (text[2:], False)]).ids,
    ):
        assert not forbidden.intersection(ids)
    assert generic(view, text) == encoding
    assert view.encode_segments([(text, False)]) == encoding
    assert view.encode_ids(text) == encoding.ids == generic(view, text, **ALONE).ids
    assert view.count(text) == len(encoding)
    assert view.encode_batch([text, "a"], offsets=True)[0] == encoding
    assert tok.encode_segments([(text, False)]) == tok.untrusted().encode(text)
    assert tok.encode(text, specials="text-all") == tok.untrusted().encode(text)
    assert view.encode(text, specials="match") == tok.encode(text, specials="match")


STAGES = st.fixed_dictionaries(
    {"normalizer": st.sampled_from(NORMALIZERS), "pre_tokenizer": st.sampled_from(SPLITTERS)}
)


@given(TOKENS, KINDS, STAGES, TEXTS, st.data())
@examples(700)
def test_a_view_equals_a_tokenizer_without_the_tokens(
    tokens: list[pw.AddedToken], kind: str, stages: Any, text: str, data: Any
) -> None:
    """The naive twin: other added tokens are not there, and their entries are ones that no text has."""
    keep = tuple(token.content for token in tokens if data.draw(st.booleans()))
    vocab = [entry for entry in VOCAB if entry not in CONTENTS or data.draw(st.booleans())]
    tok = pw.Tokenizer(model_of(kind, vocab), added_tokens=tokens, **stages)
    allowed = [token for token in tokens if is_allowed(token, keep)]
    others = model_of(kind, [renamed(entry, tokens, keep) for entry in vocab])
    twin = pw.Tokenizer(others, added_tokens=allowed, **stages)
    found, wanted = tok.untrusted(keep).encode(text), twin.encode(text)
    assert (found.tokens, found.offsets) == (wanted.tokens, wanted.offsets)


@given(tokenizers(), TEXTS)
@examples(300)
def test_texts_without_added_tokens_are_encoded_as_ever(tok: pw.Tokenizer, text: str) -> None:
    contents = [token.content.lower() for token in tok.added_tokens.values()]
    assume(not any(content in text.lower() for content in contents))
    assert (
        tok.untrusted().encode(text) == tok.untrusted(refuse=True).encode(text) == tok.encode(text)
    )


@given(tokenizers(), TEXTS)
@examples(500)
def test_refusing_raises_exactly_where_a_token_is_matched(tok: pw.Tokenizer, text: str) -> None:
    matched = [
        piece.id
        for word in tok.explain(text, specials="match").words
        if word.kind != "text"
        for piece in word.pieces
    ]
    untrusted = {i for i, token in tok.added_tokens.items() if not is_allowed(token)}
    view = tok.untrusted(refuse=True)
    found = outcome(view.encode, text)
    assert isinstance(found, str) == bool(untrusted.intersection(matched))
    assert found == outcome(generic, view, text) == outcome(tok.encode, text, specials="error-all")
    if not isinstance(found, str):
        assert not forbidden_ids(tok).intersection(found.ids)
    if tok.added_tokens:
        allowed = tok.untrusted().encode(
            text, specials={t.content for t in tok.added_tokens.values()}
        )
        assert allowed == tok.encode(text, specials="match") or forbidden_ids(tok)


SEGMENTS = st.lists(st.tuples(TEXTS, st.booleans()), max_size=4)


@given(tokenizers(), st.lists(SEGMENTS, max_size=4), st.sampled_from([None, "text", "text-all"]))
@examples(150)
def test_batches_of_segments_equal_single_texts(
    tok: pw.Tokenizer, rows: list[Any], specials: Any
) -> None:
    for each in (tok, tok.untrusted()):
        batch = each.encode_segments_batch(iter(map(iter, rows)), specials=specials)
        single = [each.encode_segments(row, specials=specials) for row in rows]
        assert list(batch) == single == list(pickle.loads(pickle.dumps(batch)))
        assert batch.to_list() == [encoding.ids for encoding in single]
        offsets = [list(span) for encoding in single for span in encoding.offsets]
        assert batch.offsets.tolist() == offsets
        eager = each.encode_segments_batch(rows, offsets=True, threads=1, specials=specials)
        assert eager == batch
        assert eager.word_ids.tolist() == batch.word_ids.tolist()


# --- the view ---------------------------------------------------------------------------------


def made() -> pw.Tokenizer:
    tok = pw.Tokenizer.from_str("[UNK]\n[SEP]\nhug\n##s\n")
    return tok.with_added_tokens(["<call>", "<name>", "  "])


UNKNOWN = ["[UNK]"] * 3


def test_words_of_specials_in_a_view_are_for_all_untrusted_tokens() -> None:
    tok = made()
    view, text = tok.untrusted(keep=["<name>"]), "hug<call><name>[SEP]"
    assert view.tokenize(text) == ["hug", *UNKNOWN, "<name>", *UNKNOWN]
    for word in ("text", "text-all", set(), frozenset(), []):
        assert view.tokenize(text, specials=word) == view.tokenize(text)
    assert view.tokenize(text, specials="match") == tok.tokenize(text)
    assert view.tokenize(text, specials={"<call>"}) == ["hug", "<call>", "<name>", *UNKNOWN]
    for word in ("error", "error-all"):
        with pytest.raises(
            SpecialTokenError, match=r'added token "<call>" at character 3; .*text-all'
        ):
            view.encode("hug<call><name>", specials=word)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="not among the added tokens"):
        view.encode(text, specials={"hug"})


def test_words_of_specials_of_an_ordinary_tokenizer() -> None:
    tok, text = made(), "hug<call>  [SEP]"
    assert tok.tokenize(text) == tok.tokenize(text, specials="match")
    assert tok.tokenize(text, specials="text") == ["hug", "<call>", "  ", *UNKNOWN]
    assert tok.tokenize(text, specials="text-all") == ["hug", *UNKNOWN, "  ", *UNKNOWN]
    assert tok.tokenize("hug<call>", specials="error") == ["hug", "<call>"]
    with pytest.raises(SpecialTokenError, match=r'special token "\[SEP\]".*specials="text"'):
        tok.encode("[SEP]<call>", specials="error-all")
    assert tok.encode("hug  hug", specials="error-all") == tok.encode("hug  hug")


def test_white_space_is_no_danger_even_if_it_is_flagged_special() -> None:
    blank = [pw.AddedToken("\t", special=True), pw.AddedToken("\n", normalized=False)]
    tok = made().with_added_tokens(blank)
    assert tok.untrusted().tokenize("hug\t\nhug") == ["hug", "\t", "\n", "hug"]
    assert tok.tokenize("hug\t\nhug", specials="text") == ["hug", "\n", "hug"]


def test_a_view_keeps_class_and_settings() -> None:
    class Own(pw.Tokenizer):
        pass

    tok = Own.from_str(made().to_str())
    view = tok.untrusted(keep=["<name>"], refuse=True)
    again = pickle.loads(pickle.dumps(made().untrusted(keep=["<name>"], refuse=True)))
    added = view.with_added_tokens(["<new>"])
    for each in (view, copy.copy(view), copy.deepcopy(view), view.replace(truncation=9), added):
        assert isinstance(each, Own)
        assert each.is_untrusted
    assert again == made().untrusted(keep=["<name>"], refuse=True)
    for each in (view, again, added, view.replace(unknown="char")):
        assert each.tokenize("<name>") == ["<name>"]
        with pytest.raises(SpecialTokenError):
            each.encode("<call>")
    with pytest.raises(SpecialTokenError):
        added.encode("<new>")
    assert not tok.is_untrusted
    assert tok.untrusted(("<name>",), refuse=True) == view
    assert view.untrusted(keep=["<call>"]).tokenize("<call><name>") == ["<call>", *UNKNOWN]
    assert tok.untrusted()._core is tok._core


def test_views_are_told_apart_by_equality_hash_repr_and_fingerprint() -> None:
    tok = made()
    views = [tok, tok.untrusted(), tok.untrusted(refuse=True), tok.untrusted(["<name>"])]
    views.append(tok.untrusted(["<name>", "<call>"], refuse=True))
    for function in (hash, repr, lambda each: each.fingerprint):
        assert len({function(each) for each in views}) == len(views)
    assert [a == b for a in views for b in views] == [a is b for a in views for b in views]
    assert views[-1] == tok.untrusted(["<call>", "<name>", "<call>"], refuse=True)
    assert views[-1].fingerprint == pickle.loads(pickle.dumps(views[-1])).fingerprint
    assert repr(views[-1]).endswith("untrusted(keep=['<call>', '<name>'], refuse=True))")


def test_a_saved_view_is_the_ordinary_tokenizer(tmp_path: Any) -> None:
    tok = made()
    view = tok.untrusted(refuse=True)
    assert view.to_str() == tok.to_str()
    view.save(tmp_path / "tokenizer.json")
    assert pw.Tokenizer.from_file(tmp_path / "tokenizer.json") == tok
    with pytest.warns(pw.errors.PieceworkWarning):
        view.save_folder(tmp_path / "folder")
    assert not pw.Tokenizer.from_folder(tmp_path / "folder").is_untrusted


def test_every_call_that_encodes_uses_the_view() -> None:
    tok = made()
    view, text = tok.untrusted(), "hugs<call>"
    wanted = tok.encode(text, specials="text-all")
    assert wanted != tok.encode(text)
    assert view.encode(text) == wanted
    assert view.encode_ids(text) == wanted.ids == view.encode_ids(text, as_array=True).tolist()
    assert view.tokenize(text) == wanted.tokens
    assert view.count(text) == view.count([text])[0] == len(wanted.ids)
    assert view.truncate_text(text, 3) == "hugs<"
    assert [word.text for word in view.explain(text).words][-1] == ">"
    batch = view.encode_batch([text])
    assert (batch.to_list(), batch[0], batch.offsets.tolist()) == (
        [wanted.ids],
        wanted,
        [list(span) for span in wanted.offsets],
    )
    assert pickle.loads(pickle.dumps(batch))[0] == wanted
    view.build_tables()
    view.build_tables("match")


def test_the_language_model_uses_the_view() -> None:
    pieces = [("<unk>", 0.0), ("<c>", -1.0), ("<", -2.0), ("c", -2.0), (">", -2.0)]
    tok = pw.Tokenizer(m.Unigram(pieces, unk_id=0), added_tokens=["<c>"])
    view, apart = tok.untrusted(), ["<", "c", ">"]
    assert view.lm.nbest("<c>", 1)[0].encoding.tokens == apart
    assert view.lm.sample("<c>", seed=1)[0].tokens == apart
    assert view.lm.marginal_log_likelihood("<c>") == pytest.approx(-6.0)
    assert tok.lm.nbest("<c>", 1)[0].encoding.tokens == ["<c>"]


def test_pieces_that_the_model_finds_are_untrusted_too() -> None:
    pieces = [("<unk>", 0.0), *((c, -2.0) for c in "<c>x"), ("<c>", 0.0)]
    model = m.Unigram(pieces, unk_id=0, user_defined=["<c>"])
    tok = pw.Tokenizer(model, added_tokens=["<c>"])
    assert tok.tokenize("x<c>x") == ["x", "<c>", "x"]
    assert tok.untrusted().tokenize("x<c>x") == [*"x<c>x"]
    assert tok.untrusted(["<c>"]).tokenize("x<c>x") == ["x", "<c>", "x"]
    assert tok.untrusted().tokenize("x<c>x", specials={"<c>"}) == ["x", "<c>", "x"]
    with pytest.raises(SpecialTokenError, match='"<c>" at character 1'):
        tok.untrusted(refuse=True).encode("x<c>x")


def test_subword_nmt_text_uses_the_view() -> None:
    model = m.BPE(["<", "a", ">", "<a>"], [], unk_token=None)
    tok = pw.Tokenizer(model, pre_tokenizer=p.WhitespaceSplit(), added_tokens=["<a>"])
    assert tok.to_subword_nmt("<a>") == "<a>"
    assert tok.untrusted().to_subword_nmt("<a>") == "<@@ a@@ >"


@pytest.mark.parametrize("keep", ["<name>", 3, None, [3], ["<nam>"], ["hug"], [""]], ids=repr)
def test_wrong_names_of_kept_tokens(keep: Any) -> None:
    with pytest.raises((TypeError, ConfigError), match=r"^keep: "):
        made().untrusted(keep)


def test_messages_about_kept_tokens() -> None:
    with pytest.raises(ConfigError, match="did you mean '<name>'"):
        made().untrusted(["<nam>"])
    with pytest.raises(TypeError, match=r"pass \['<name>'\]"):
        made().untrusted("<name>")
    with pytest.raises(SurrogateError):
        made().untrusted(["\ud800"])
    with pytest.raises(TypeError, match="refuse"):
        made().untrusted(refuse=1)  # type: ignore[arg-type]


def test_threads_share_a_view() -> None:
    tok = made()
    views = [tok, tok.untrusted(), tok.untrusted(["<call>"])]
    text = "hugs <call> <name>[SEP] " * 200
    wanted = [view.encode_ids(text) for view in views]
    assert len({tuple(ids) for ids in wanted}) == 3
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda number: views[number % 3].encode_ids(text), range(60)))
    assert found == [wanted[number % 3] for number in range(60)]


# --- segments -----------------------------------------------------------------------------------


def test_untrusted_segments_spell_no_added_token() -> None:
    tok = made()
    parts = [("<call>[SEP]  ", True), ("<call>[SEP]  <name>", False)]
    trusted = ["<call>", "[SEP]", "  "]
    assert tok.encode_segments(parts).tokens == [*trusted, *UNKNOWN * 2, "  ", *UNKNOWN]
    kept = tok.untrusted(["<name>"]).encode_segments(parts)
    assert kept.tokens == [*trusted, *UNKNOWN * 2, "  ", "<name>"]
    flagged = tok.encode_segments(parts, specials="text")
    assert flagged.tokens == [*trusted, "<call>", *UNKNOWN, "  ", "<name>"]


def test_untrusted_segments_are_refused() -> None:
    tok = made()
    parts = [("<call>[SEP]", True), ("hug<name>", False)]
    assert tok.encode_segments(parts, specials="error").tokens[-1] == "<name>"
    for call in (
        lambda: tok.encode_segments(parts, specials="error-all"),
        lambda: tok.untrusted(refuse=True).encode_segments(parts),
        lambda: tok.untrusted(refuse=True).encode_segments_batch([[], parts]),
    ):
        with pytest.raises(
            SpecialTokenError, match=r'"<name>" at character 14; .*segment as trusted'
        ) as caught:
            call()
        assert "match" not in str(caught.value.hint)
    assert tok.untrusted(["<name>"], refuse=True).encode_segments(parts).tokens[-1] == "<name>"


@pytest.mark.parametrize("specials", ["match", {"<call>"}, 3, "txt"], ids=repr)
def test_segments_take_four_words(specials: Any) -> None:
    for call in (made().encode_segments, made().encode_segments_batch):
        with pytest.raises(ConfigError, match=r'^specials: expected "text", .*"error-all", found'):
            call([], specials=specials)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (3, "rows: expected an iterable of texts"),
        ([[], 3], "text 1: segments: expected an iterable of pairs"),
        ([[("a", True)], [("a", 1)]], "text 1: segments"),
        ([("a", True)], "text 0: segments"),
        (["a"], "text 0: segments"),
    ],
    ids=repr,
)
def test_wrong_rows_are_named(rows: Any, message: str) -> None:
    with pytest.raises(TypeError, match=f"^{message}"):
        made().encode_segments_batch(rows)
    with pytest.raises(SurrogateError, match="text 1: "):
        made().encode_segments_batch([[], [("\ud800", True)]])


def test_batches_of_segments_are_padded_and_truncated() -> None:
    tok = made().with_added_tokens([pw.AddedToken("[PAD]", special=True)])
    rows: Any = [[("hugs", True), ("hug", False)], [], [("[SEP]", True)]]
    batch = tok.encode_segments_batch(rows, padding=pw.Padding(), truncation=2)
    assert {len(encoding.ids) for encoding in batch} == {2}
    assert batch.padded(pad_id=0).ids.shape == (3, 2)
    assert [len(encoding.overflowing) for encoding in batch] == [1, 0, 0]
    assert tok.encode_segments_batch([]).to_list() == []


def test_segments_are_sampled_with_the_seed_of_the_batch() -> None:
    pieces = [("<unk>", 0.0), ("a", -1.0), ("aa", -2.0), ("aaa", -3.0)]
    tok = pw.Tokenizer(m.Unigram(pieces, unk_id=0))
    rows: Any = [[("aaaa", False), ("aaa", True)]] * 20
    batch = tok.encode_segments_batch(rows, sampling=pw.Sampling(alpha=0.5))
    assert len({tuple(ids) for ids in batch.to_list()}) > 1
    assert [encoding.ids for encoding in batch] == batch.to_list()
    batch.offsets  # noqa: B018  # computes the columns with the same seed
    assert len(batch.word_ids) == len(batch.ids)


# --- what takes tokenizers --------------------------------------------------------------------


def test_columns_of_data_frames_use_the_view() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"text": ["hug<call>", None, "hug"]})
    view = made().untrusted()
    encode = pickle.loads(pickle.dumps(view.arrow_udf("text")))
    assert encode.tokenizer == view
    assert encode(table)["ids"].to_pylist() == [view.encode_ids("hug<call>"), None, [2]]
    assert view.count(table.column("text").drop_null()) == [4, 1]


def test_runs_with_workers_use_the_view(tmp_path: Any) -> None:
    tok, path = made(), tmp_path / "texts.txt"
    path.write_text("hug<call>\nhug\n")
    view = tok.untrusted()
    settings: Any = {"engine": pw.engines.Local(2), "part_bytes": 1}
    manifest = pw.corpus.tokenize(view, pw.Corpus(path), tmp_path / "out", **settings)
    assert (manifest.tokens, manifest.fingerprint) == (5, view.fingerprint)
    assert pw.corpus.tokenize(tok, pw.Corpus(path), tmp_path / "ordinary", **settings).tokens == 3
    pw.corpus.verify(tmp_path / "out", view)
    with pytest.raises(pw.errors.PieceworkError):
        pw.corpus.tokenize(tok, pw.Corpus(path), tmp_path / "out", **settings)
    found = pw.evaluate(view, pw.Corpus(path), engine=pw.engines.Local(2)).to_dict()
    wanted = pw.evaluate(tok, pw.Corpus(path), specials="text-all").to_dict()
    for report in (found, wanted):
        report["tokenizers"][0].pop("fingerprint")
    assert found == wanted


def test_changed_vocabularies_keep_the_view() -> None:
    view = made().untrusted(["<name>"], refuse=True)
    for each in (
        pw.extend(view, {"hugs": 9}, new_tokens=1).tokenizer,
        pw.prune(view, {"hug": 9}, vocab_size=6, keep_alphabet=False).tokenizer,
    ):
        assert each.is_untrusted
        assert each.tokenize("<name>") == ["<name>"]
        with pytest.raises(SpecialTokenError):
            each.encode("<call>")


def test_diff_names_a_view() -> None:
    changes = pw.diff(made(), made().untrusted(["<name>"])).settings
    assert [change.path for change in changes] == ["$.untrusted"]
    assert not pw.diff(made().untrusted(), made().untrusted()).settings


def test_a_cut_within_a_refused_token_is_an_error() -> None:
    view, text = made().untrusted(refuse=True), "hug hug <call> hug"
    assert view.truncate_text(text, 2) == "hug hug "
    with pytest.raises(SpecialTokenError, match="character 8"):
        view.truncate_text(text, 3)
    assert made().untrusted().truncate_text(text, 3) == "hug hug <"
