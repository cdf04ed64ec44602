"""Components of `piecework.hf` and of `tokenizers`: the same expressions have the same values."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from hf_peers import OURS, check_same

TEXTS = [
    "",
    "Héllo  Wörld!",
    " a\tb\n\nc ",
    "你好 ab",
    "ﬁ ½ Ⅷ",
    "I'll 'quote' 12345 x2",
    "e\u0301\u0000\u200dx",
]

NORMALIZERS = """\
normalizers.BertNormalizer()
normalizers.BertNormalizer(False, False, True, False)
normalizers.BertNormalizer(strip_accents=False)
normalizers.ByteLevel()
normalizers.Lowercase()
normalizers.NFC()
normalizers.NFD()
normalizers.NFKC()
normalizers.NFKD()
normalizers.Nmt()
normalizers.Prepend("▁")
normalizers.Prepend()
normalizers.Replace("l", "LL")
normalizers.Replace(Regex("[aeiou]"), "")
normalizers.Sequence([])
normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()])
normalizers.Strip()
normalizers.Strip(left=False)
normalizers.StripAccents()""".splitlines()

PRE_TOKENIZERS = """\
pre_tokenizers.BertPreTokenizer()
pre_tokenizers.ByteLevel()
pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
pre_tokenizers.CharDelimiterSplit("l")
pre_tokenizers.Digits()
pre_tokenizers.Digits(individual_digits=True)
pre_tokenizers.FixedLength(2)
pre_tokenizers.Metaspace()
pre_tokenizers.Metaspace("_", "never", split=False)
pre_tokenizers.Metaspace(prepend_scheme="first")
pre_tokenizers.Punctuation()
pre_tokenizers.Punctuation("merged_with_previous")
pre_tokenizers.Sequence([])
pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Digits(True)])
pre_tokenizers.Sequence([pre_tokenizers.Punctuation(), pre_tokenizers.ByteLevel(False)])
pre_tokenizers.Sequence([pre_tokenizers.Digits(), pre_tokenizers.Metaspace(prepend_scheme="first")])
pre_tokenizers.Split(" ", "removed")
pre_tokenizers.Split(Regex("[lo]+"), "isolated")
pre_tokenizers.Split(Regex("l"), "contiguous", invert=True)
pre_tokenizers.UnicodeScripts()
pre_tokenizers.Whitespace()
pre_tokenizers.WhitespaceSplit()""".splitlines()

DECODERS = """\
decoders.BPEDecoder()
decoders.BPEDecoder("@")
decoders.ByteFallback()
decoders.ByteLevel()
decoders.CTC()
decoders.CTC("a", "b", False)
decoders.Fuse()
decoders.Metaspace()
decoders.Metaspace("_", "never", False)
decoders.Replace("a", "b")
decoders.Replace(Regex("[ab]"), "")
decoders.Sequence([])
decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
decoders.Strip()
decoders.Strip("a", 1, 2)
decoders.WordPiece()
decoders.WordPiece("@", cleanup=False)""".splitlines()

PROCESSORS = """\
processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
processors.ByteLevel()
processors.ByteLevel(trim_offsets=False)
processors.RobertaProcessing(("</s>", 2), ("<s>", 1))
processors.RobertaProcessing(("</s>", 2), ("<s>", 1), False, False)
processors.Sequence([processors.ByteLevel(), processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))])
processors.TemplateProcessing()
processors.TemplateProcessing("<s> $A", "$B:1 <s>:2 $A", [("<s>", 5)])
processors.TemplateProcessing(["$0", "x"], special_tokens=[(3, "x")])
processors.TemplateProcessing("$1 q", special_tokens=[{"id": "q", "ids": [1, 2], "tokens": ["a", "b"]}])""".splitlines()

MODELS = """\
models.BPE()
models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")], dropout=0.1, unk_token="a", fuse_unk=True)
models.BPE({"a": 0, "b</w>": 1, "ab</w>": 2}, [("a", "b</w>")], end_of_word_suffix="</w>")
models.Model()
models.Unigram()
models.Unigram([("<unk>", 0.0), ("a", -1.25), ("é", -3.0)], 0, True)
models.WordLevel()
models.WordLevel({"a": 0, "b": 1}, "a")
models.WordPiece()
models.WordPiece({"[UNK]": 0, "a": 1, "##b": 2}, max_input_chars_per_word=5)""".splitlines()

TRAINERS = """\
trainers.BpeTrainer()
trainers.BpeTrainer(vocab_size=5, special_tokens=["a", AddedToken("b", lstrip=True)], max_token_length=3)
trainers.BpeTrainer(initial_alphabet=["b"], end_of_word_suffix="</w>", progress_format="silent")
trainers.UnigramTrainer()
trainers.UnigramTrainer(unk_token="<unk>", shrinking_factor=0.5, n_sub_iterations=1, max_piece_length=3)
trainers.WordLevelTrainer()
trainers.WordLevelTrainer(min_frequency=3, show_progress=False, special_tokens=["x"])
trainers.WordPieceTrainer()
trainers.WordPieceTrainer(continuing_subword_prefix="@", limit_alphabet=3)""".splitlines()

COMPONENTS = NORMALIZERS + PRE_TOKENIZERS + DECODERS + PROCESSORS + MODELS


@pytest.mark.parametrize("component", COMPONENTS + TRAINERS)
@pytest.mark.parametrize("form", ["repr(c)", "str(c)", "c.__getstate__()"])
def test_states_are_equal(component: str, form: str) -> None:
    check_same(f"c = {component}; {form}")


@pytest.mark.parametrize("component", COMPONENTS + TRAINERS)
def test_components_survive_pickles_and_copies(component: str) -> None:
    from hf_peers import OURS, evaluated

    for copy in ("pickle.loads(pickle.dumps(c))", "copy.deepcopy(c)", "copy.copy(c)"):
        made = f"import copy, pickle; c = {component}; d = {copy}; (repr(c), repr(d), type(d) is type(c))"
        first, second, same = evaluated(OURS, made)
        assert first == second
        assert same


@pytest.mark.parametrize("component", NORMALIZERS)
@pytest.mark.parametrize("text", TEXTS)
def test_normalizers_are_equal(component: str, text: str) -> None:
    check_same(f"{component}.normalize_str({text!r})")
    check_same(
        f"n = NormalizedString({text!r}); {component}.normalize(n); "
        "(n.original, n.normalized, [(n[i].original, n[i].normalized) for i in range(len(n.normalized))])"
    )


@pytest.mark.parametrize("component", PRE_TOKENIZERS)
@pytest.mark.parametrize("text", TEXTS)
def test_pre_tokenizers_are_equal(component: str, text: str) -> None:
    check_same(f"{component}.pre_tokenize_str({text!r})")
    check_same(
        f"p = PreTokenizedString({text!r}); p.normalize(lambda n: n.nfd()); p.normalize(lambda n: n.replace('l', '')); "
        f"{component}.pre_tokenize(p); p.get_splits()"
    )


TOKENS = [
    [],
    ["a</w>", "b@", "c"],
    ["▁he", "llo", "▁w", "▁"],
    ["_a", "_b"],
    ["<0xE4>", "<0xBD>", "<0xA0>", "x", "<0xE4>"],
    ["Ġna", "Ã", "¯", "ve"],
    ["[CLS]", "it", "##s", "do", "n", "'", "t", ",", "."],
    ["<pad>", "h", "h", "<pad>", "h", "|", "a"],
]


@pytest.mark.parametrize("component", DECODERS)
@pytest.mark.parametrize("tokens", TOKENS, ids=str)
def test_decoders_are_equal(component: str, tokens: list[str]) -> None:
    check_same(f"{component}.decode({tokens!r})")


ENCODED = (
    "k = Tokenizer(models.WordLevel({'Ġa': 0, 'b': 1, 'u': 2, 'Ġ': 3}, 'u')); "
    "k.pre_tokenizer = pre_tokenizers.ByteLevel(); "
)


@pytest.mark.parametrize("component", PROCESSORS)
@pytest.mark.parametrize("pair", ["None", "k.encode('b a')"])
@pytest.mark.parametrize("special", [True, False])
def test_processors_are_equal(component: str, pair: str, special: bool) -> None:
    check_same(f"{ENCODED}{component}.process(k.encode('a  b'), {pair}, {special})")
    check_same(f"{component}.num_special_tokens_to_add({special})")
    check_same(f"{ENCODED}k.post_processor = {component}; k.encode('a  b', 'b')")


SETTINGS = """\
c = normalizers.BertNormalizer(); c.clean_text = False; c.strip_accents = True; c.lowercase = False; (c.lowercase, c.handle_chinese_chars, c.strip_accents, repr(c))
c = normalizers.BertNormalizer(); c.strip_accents = None; c.strip_accents
c = normalizers.BertNormalizer(); c.lowercase = 3
c = normalizers.Strip(); c.left = False; (c.left, c.right, repr(c))
c = normalizers.Prepend("a"); c.prepend = "b"; (c.prepend, repr(c))
c = normalizers.Replace("a", "b"); c.content = "c"; (c.content, repr(c))
normalizers.Replace("a", "b").pattern
c = normalizers.Replace("a", "b"); c.pattern = "c"
c = normalizers.Sequence([normalizers.NFC(), normalizers.Strip()]); c[1].left = False; (len(c), c[0], repr(c), list(c))
c = normalizers.Sequence([normalizers.NFC()]); c[0] = normalizers.NFD(); c
c = normalizers.Sequence([normalizers.NFC()]); c[1]
c = normalizers.Sequence([normalizers.NFC()]); c[-1]
a = normalizers.Strip(); c = normalizers.Sequence([a]); a.left = False; c
a = normalizers.Sequence([normalizers.Strip(), normalizers.Sequence([normalizers.NFC()])]); c = normalizers.Sequence([a, normalizers.NFD()]); a[0].left = False; (repr(c), len(c), c[1], c.__getstate__())
a = normalizers.Sequence([normalizers.Strip()]); c = normalizers.Sequence([a]); a[0] = normalizers.NFC(); (repr(c), c.normalize_str("e\\u0301"))
a = normalizers.Sequence([normalizers.Strip()]); c = normalizers.Sequence([normalizers.NFC(), a]); c[1] = normalizers.NFKC(); (repr(c), repr(a))
c = pre_tokenizers.Sequence([pre_tokenizers.Digits(), pre_tokenizers.Sequence([pre_tokenizers.Whitespace()])]); (repr(c), c.pre_tokenize_str("a 12b"))
c = processors.Sequence([processors.Sequence([processors.ByteLevel()]), processors.ByteLevel()]); (repr(c), c[1])
bool(normalizers.Sequence([])), bool(pre_tokenizers.Sequence([])), bool(normalizers.NFC())
k = Tokenizer(models.WordLevel({"a": 0}, "a")); k.normalizer = normalizers.Sequence([]); k.encode("a").ids
c = pre_tokenizers.ByteLevel(); c.add_prefix_space = False; c.use_regex = False; c.trim_offsets = False; (c.add_prefix_space, c.use_regex, c.trim_offsets, repr(c))
c = pre_tokenizers.CharDelimiterSplit("a"); c.delimiter = "b"; (c.delimiter, repr(c))
c = pre_tokenizers.CharDelimiterSplit("a"); c.delimiter = "bb"
c = pre_tokenizers.Digits(); c.individual_digits = True; (c.individual_digits, repr(c))
c = pre_tokenizers.FixedLength(); c.length = 3; (c.length, repr(c))
c = pre_tokenizers.Metaspace(); c.replacement = "_"; c.prepend_scheme = "never"; c.split = False; (c.replacement, c.prepend_scheme, c.split, repr(c))
c = pre_tokenizers.Metaspace(); c.prepend_scheme = "x"
c = pre_tokenizers.Punctuation(); c.behavior = "removed"; (c.behavior, repr(c))
c = pre_tokenizers.Split("a", "removed"); c.behavior = "merged_with_next"; c.invert = True; (c.behavior, c.invert, repr(c))
c = pre_tokenizers.Split("a", "removed"); c.behavior = "x"
pre_tokenizers.Split("a", "removed").pattern
c = pre_tokenizers.Sequence([pre_tokenizers.Digits()]); c[0] = pre_tokenizers.Whitespace(); (c[0], repr(c))
sorted(pre_tokenizers.ByteLevel.alphabet())
c = decoders.BPEDecoder(); c.suffix = "x"; (c.suffix, repr(c))
c = decoders.CTC(); c.pad_token = "x"; c.word_delimiter_token = "y"; c.cleanup = False; (c.pad_token, c.word_delimiter_token, c.cleanup)
c = decoders.Metaspace(); c.replacement = "_"; c.prepend_scheme = "never"; c.split = False; (c.replacement, c.prepend_scheme, c.split)
c = decoders.Strip(); c.content = "x"; c.start = 2; c.stop = 3; (c.content, c.start, c.stop, repr(c))
c = decoders.Strip(); c.content = "xy"
c = decoders.Strip(); c.start = -1
c = decoders.WordPiece(); c.prefix = "x"; c.cleanup = False; (c.prefix, c.cleanup, repr(c))
decoders.Sequence([decoders.Fuse()])[0]
c = processors.BertProcessing(("a", 1), ("b", 2)); c.sep = ("c", 3); c.cls = ("d", 4); (c.sep, c.cls, repr(c))
c = processors.BertProcessing(("a", 1), ("b", 2)); c.sep = ["c", 3]
c = processors.RobertaProcessing(("a", 1), ("b", 2)); c.trim_offsets = False; c.add_prefix_space = False; c.sep = ("x", 1); (c.sep, c.cls, c.trim_offsets, c.add_prefix_space)
c = processors.ByteLevel(); c.trim_offsets = False; c.add_prefix_space = False; c.use_regex = False; repr(c)
c = processors.Sequence([processors.ByteLevel()]); c[0] = processors.BertProcessing(("a", 1), ("b", 2)); (c[0], repr(c))
len(processors.Sequence([processors.ByteLevel()]))
c = processors.TemplateProcessing("x $A", special_tokens=[("x", 1)]); c.single = "$A x"; (c.single, repr(c))
c = models.BPE(); c.dropout = 0.1; c.unk_token = "a"; c.fuse_unk = True; c.byte_fallback = True; c.ignore_merges = True; (c.dropout, c.unk_token, c.fuse_unk, c.byte_fallback, c.ignore_merges, repr(c))
c = models.BPE(); c.continuing_subword_prefix = "#"; c.end_of_word_suffix = "@"; (c.continuing_subword_prefix, c.end_of_word_suffix)
c = models.BPE(dropout=0.5); c.dropout = None; c.dropout
c = models.BPE(); c.dropout = "x"
c = models.WordPiece(); c.unk_token = "a"; c.continuing_subword_prefix = "@"; c.max_input_chars_per_word = 3; (c.unk_token, c.continuing_subword_prefix, c.max_input_chars_per_word, repr(c))
c = models.WordLevel(); c.unk_token = "a"; (c.unk_token, repr(c))
c = models.Unigram(); c.alpha = 0.5; c.nbest_size = 3; (c.alpha, c.nbest_size)
c = models.Unigram([("a", -1.0)], alpha=0.25, nbest_size=2); (c.alpha, c.nbest_size)
c = trainers.BpeTrainer(); c.vocab_size = 3; c.min_frequency = 2; c.show_progress = False; c.limit_alphabet = 5; c.continuing_subword_prefix = "a"; c.end_of_word_suffix = "b"; c.max_token_length = 7; (c.vocab_size, c.min_frequency, c.show_progress, c.limit_alphabet, c.continuing_subword_prefix, c.end_of_word_suffix, c.max_token_length)
c = trainers.BpeTrainer(); c.special_tokens = ["a", AddedToken("b")]; (c.special_tokens, repr(c))
c = trainers.BpeTrainer(); c.initial_alphabet = ["ab", "c", ""]; sorted(c.initial_alphabet)
c = trainers.BpeTrainer(); c.progress_format = "silent"; c.progress_format
c = trainers.BpeTrainer(); c.vocab_size = -1
c = trainers.WordPieceTrainer(); c.vocab_size = 3; c.continuing_subword_prefix = None; (c.vocab_size, c.continuing_subword_prefix, repr(c))
c = trainers.WordLevelTrainer(); c.vocab_size = 3; c.min_frequency = 9; (c.vocab_size, c.min_frequency, repr(c))
c = trainers.UnigramTrainer(); c.vocab_size = 3; c.initial_alphabet = ["b"]; (c.vocab_size, c.initial_alphabet, repr(c))
c = trainers.BpeTrainer(); c.vocabsize = 3
trainers.BpeTrainer().get_word_count()""".splitlines()


@pytest.mark.parametrize("expression", SETTINGS)
def test_settings_can_be_changed(expression: str) -> None:
    *statements, last = expression.split("; ")
    if "= " in last.split("(")[0] and not last.startswith(("(", "repr")):
        statements, last = [*statements, last], "None"
    check_same("; ".join([*statements, last]))


ERRORS = """\
normalizers.Normalizer()
pre_tokenizers.PreTokenizer()
decoders.Decoder()
processors.PostProcessor()
trainers.Trainer()
normalizers.BertNormalizer(foo=1)
normalizers.Strip(left=3)
normalizers.Sequence([3])
normalizers.Sequence("x")
normalizers.Sequence([pre_tokenizers.Digits()])
normalizers.Replace("a")
normalizers.Replace(3, "a")
normalizers.Replace(Regex("["), "a")
normalizers.NFC().normalize_str(3)
normalizers.NFC().normalize("a")
normalizers.Precompiled(b"")
normalizers.Precompiled(2**40)
normalizers.Precompiled(None)
normalizers.Precompiled("x")
pre_tokenizers.Metaspace("ab")
pre_tokenizers.Metaspace(prepend_scheme="x")
pre_tokenizers.Metaspace(add_prefix_space=True)
pre_tokenizers.Split("a", "x")
pre_tokenizers.Split(3, "isolated")
pre_tokenizers.CharDelimiterSplit("ab")
pre_tokenizers.CharDelimiterSplit()
pre_tokenizers.Punctuation("x")
pre_tokenizers.FixedLength(-1)
pre_tokenizers.Digits().pre_tokenize_str(None)
pre_tokenizers.Digits().pre_tokenize("a")
decoders.Strip("ab")
decoders.Strip("a", -1)
decoders.BPEDecoder(3)
decoders.Fuse().decode("ab")
decoders.Fuse().decode([3])
decoders.Replace("a", "b").content
processors.BertProcessing(3, 4)
processors.BertProcessing(("a", -1), ("b", 2))
processors.BertProcessing(("a", "b"), ("b", 2))
processors.TemplateProcessing("[X] $A")
processors.TemplateProcessing("$A:x")
processors.TemplateProcessing("$Z")
processors.TemplateProcessing("a:b:c")
processors.TemplateProcessing(3)
processors.TemplateProcessing(pair="$A")
processors.TemplateProcessing(special_tokens=[3])
processors.TemplateProcessing(special_tokens=[{"id": "a"}])
processors.ByteLevel().process(3)
models.BPE({"a": 0})
models.BPE({"a": 0}, [("a", "b")])
models.BPE({"a": 0}, 3)
models.BPE({"a": 0, "b": 1, "ab": 2}, ["a b"])
models.BPE([("a", 0)], [])
models.BPE(dropout=2.0)
models.BPE({"a": -1}, [])
models.BPE({"a": 1.5}, [])
models.WordPiece({"a": 0}).tokenize("z")
models.WordLevel({"a": 0}, "z").tokenize("q")
models.Unigram([("a", -1.0)], 3)
models.Unigram([], 0)
models.Unigram([("a", "b")], 0)
models.BPE.read_file("/missing", "/missing")
models.BPE.from_file("/missing", "/missing")
models.WordPiece.read_file("/missing")
models.WordLevel.from_file("/missing")
models.BPE().id_to_token(-1)
models.BPE().token_to_id(3)
models.BPE().tokenize(3)
models.BPE().save("/missing/folder")
trainers.BpeTrainer(100)
trainers.BpeTrainer(special_tokens=[3])
trainers.BpeTrainer(special_tokens="x")
trainers.WordPieceTrainer(vocab_size=-1)
Regex("[")
Regex(3)
Regex("a").pattern
Token(-1, "a", (0, 1))
Token(1, 2, (0, 1))""".splitlines()


@pytest.mark.parametrize("expression", ERRORS)
def test_errors_are_of_the_same_kind(expression: str) -> None:
    check_same(expression)


MODEL_CALLS = """\
[t.as_tuple() for t in models.WordPiece({"[UNK]": 0, "a": 1, "##b": 2}).tokenize("abab")]
[t.as_tuple() for t in models.WordPiece({"[UNK]": 0, "a": 1, "##b": 2}).tokenize("abc")]
[t.as_tuple() for t in models.WordPiece({"[UNK]": 0, "a": 1}).tokenize("")]
[t.as_tuple() for t in models.BPE({"a": 0, "é": 1, "aé": 2}, [("a", "é")]).tokenize("aéa")]
[t.as_tuple() for t in models.BPE({"a": 0, "u": 1}, [], unk_token="u", fuse_unk=True).tokenize("axya")]
[t.as_tuple() for t in models.Unigram([("<unk>", 0.0), ("a", -1.0), ("ab", -1.5)], 0).tokenize("abzé")]
[t.as_tuple() for t in models.WordLevel({"a": 0, "é": 1}, "a").tokenize("é")]
[t.as_tuple() for t in models.BPE({"a": 0, "<0xC3>": 1, "<0xA9>": 2}, [], byte_fallback=True).tokenize("aéa")]
[t.as_tuple() for t in models.BPE({"a": 0, "<0xC3>": 1, "<0xA9>": 2, "<0xC3><0xA9>": 3}, [("<0xC3>", "<0xA9>")], byte_fallback=True).tokenize("éaé")]
[t.as_tuple() for t in models.Unigram([("<unk>", 0.0), ("a", -1.0), ("<0xC3>", -2.0), ("<0xA9>", -2.0)], 0, True).tokenize("aéa")]
models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]).token_to_id("ab")
models.BPE({"a": 0}, []).id_to_token(7)
models.BPE({"a": 0}, []).id_to_token(0)
models.BPE().get_trainer()
models.WordPiece().get_trainer()
models.WordLevel().get_trainer()
models.Unigram().get_trainer()
normalizers.unicode_normalizer_from_str("nfkd")
normalizers.unicode_normalizer_from_str("x")""".splitlines()


@pytest.mark.parametrize("expression", MODEL_CALLS)
def test_models_are_equal(expression: str) -> None:
    if "unicode_normalizer_from_str" in expression:
        expression = f"import importlib; n = importlib.import_module(m.__name__ + '.normalizers'); n.{expression.split('.', 1)[1]}"
    check_same(expression)


FILES = [
    'models.BPE({"b": 1, "a": 0, "ab": 2}, [("a", "b")])',
    'models.WordPiece({"[UNK]": 0, "é": 2, "##b": 1})',
    'models.WordLevel({"b": 1, "a": 0}, "a")',
    'models.Unigram([("<unk>", 0.0), ("é", -1.5)], 0)',
]


@pytest.mark.parametrize("model", FILES)
@pytest.mark.parametrize("prefix", ["None", "'x'"])
def test_saved_files_are_equal(model: str, prefix: str, tmp_path: object) -> None:
    check_same(
        f"names = {model}.save({str(tmp_path)!r}, {prefix}); [(name, open(name, encoding='utf-8').read()) for name in names]"
    )
    if "Unigram" not in model:
        kind = model.split("(", maxsplit=1)[0]
        check_same(f"names = {model}.save({str(tmp_path)!r}); {kind}.read_file(*names)")
        check_same(f"names = {model}.save({str(tmp_path)!r}); {kind}.from_file(*names)")


# Parts of lines that a reader may cut, split at or skip.
LINE_PARTS = [
    "a",
    "b",
    " ",
    "\r",
    "\n",
    "\r\n",
    "\t",
    "\x1c",
    "\x1f",
    "\x85",
    "\u2028",
    "\u200a",
    "\u200b",
    "#version",
    "é",
]


@given(text=st.lists(st.sampled_from(LINE_PARTS), max_size=8).map("".join))
def test_text_files_of_any_lines_are_read_equally(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file.txt")
        path.write_bytes(text.encode())
        vocab = Path(folder, "vocab.json")
        vocab.write_text('{"a": 0}')
        check_same(f"models.WordPiece.read_file({str(path)!r})")
        check_same(f"models.BPE.read_file({str(vocab)!r}, {str(path)!r})")


def test_a_sequence_cannot_contain_itself() -> None:
    inner = OURS.pre_tokenizers.Sequence([OURS.pre_tokenizers.Digits()])
    outer = OURS.pre_tokenizers.Sequence([inner])
    for sequence, value in ((inner, inner), (outer, inner), (inner, outer)):
        with pytest.raises(ValueError, match="its own components"):
            sequence[0] = value
    outer[0] = OURS.pre_tokenizers.Digits()
    assert outer.pre_tokenize_str("a1") == [("a", (0, 1)), ("1", (1, 2))]
