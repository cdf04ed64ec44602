"""`NormalizedString`, `PreTokenizedString` and components written in Python, as in `tokenizers`."""

import pytest

from hf_peers import OURS, THEIRS, check_same, outcome

NORMALIZED = """\
(repr(n), str(n), n.original, n.normalized)
n.nfd(); n.lowercase(); n.strip(); (repr(n), n[0], n[0:3], n.slice((1, 4)), n.slice(3), n[100], n[5:100], n[(2, 5)])
n.nfd(); (n[-3:], n[:2], n[2:])
n.uppercase(); repr(n)
n.nfkc(); repr(n)
n.nfkd(); n.nfc(); repr(n)
n.lstrip(); repr(n)
n.rstrip(); repr(n)
n.filter(lambda c: c != "l"); repr(n)
n.map(lambda c: c.upper()); repr(n)
n.map(lambda c: "ab"); repr(n)
n.filter(3)
n.map(3)
n.for_each(3)
l = []; n.for_each(l.append); l
n.replace("l", "00"); n.replace(Regex("[0-9]+"), "#"); (repr(n), n[2:5])
n.prepend("<<"); n.append(">>"); (repr(n), n[0:3], n[len(n.normalized) - 3:len(n.normalized)])
n.clear(); n.append("x"); n.prepend("y"); repr(n)
[(s.original, s.normalized) for s in n.split(" ", "isolated")]
[(s.original, s.normalized) for s in n.split(" ", "removed")]
[(s.original, s.normalized) for s in n.split(Regex("[A-Z]"), "merged_with_previous")]
[(s.original, s.normalized) for s in n.split(Regex("[A-Z]"), "merged_with_next")]
[(s.original, s.normalized) for s in n.split(Regex("[a-z]"), "contiguous")]
n.split(" ", "x")
n.split(3, "removed")
n["a"]
NormalizedString(3)
m = n[2:5]; m.prepend("zz"); (repr(m), repr(n))""".splitlines()


@pytest.mark.parametrize("call", NORMALIZED)
def test_normalized_strings_are_equal(call: str) -> None:
    check_same(f'n = NormalizedString("  Héllo  wOrld "); {call}')


PRE_TOKENIZED = """\
p.get_splits()
p.get_splits(offset_type="byte")
p.get_splits("original", "byte")
p.get_splits("normalized", "byte")
p.get_splits("x")
p.get_splits("original", "x")
p.split(lambda i, s: s.split(" ", "removed")); (p.get_splits(), p.get_splits("original", "byte"))
p.split(lambda i, s: s.split(" ", "isolated")); p.split(lambda i, s: [s] if i else s.split("l", "removed")); p.get_splits()
p.split(lambda i, s: s.split(" ", "removed")); p.normalize(lambda s: s.nfd()); p.normalize(lambda s: s.prepend("_")); (p.get_splits(), p.get_splits("normalized", "byte"))
p.split(lambda i, s: [s[0:2], s[2:4], s[4:100]]); p.get_splits()
p.split(lambda i, s: 3)
p.split(3)
p.normalize(3)
p.tokenize(3)
p.to_encoding()
p.tokenize(lambda s: [Token(0, s[:2], (0, 2)), Token(1, s[2:], (2, len(s.encode())))]); [(a, b, [t.as_tuple() for t in c]) for a, b, c in p.get_splits()]
p.split(lambda i, s: s.split(" ", "removed")); p.normalize(lambda s: s.nfd()); p.tokenize(lambda s: [Token(0, s[:1], (0, 1)), Token(1, s[1:], (1, len(s.encode())))]); p.to_encoding(1, 5)
p.split(lambda i, s: s.split(" ", "removed")); p.tokenize(lambda s: [Token(i, c, (i, i + 1)) for i, c in enumerate("abc")]); p.to_encoding()
PreTokenizedString(3)""".splitlines()


@pytest.mark.parametrize("call", PRE_TOKENIZED)
def test_pre_tokenized_strings_are_equal(call: str) -> None:
    check_same(f'p = PreTokenizedString("héllo world"); {call}')


CUSTOM = """
class Lower:
    def normalize(self, text):
        text.lowercase()
        text.replace("ß", "ss")

class Pairs:
    def pre_tokenize(self, text):
        text.split(self.split)
    def split(self, number, part):
        return [part[i:i + 2] for i in range(0, len(part.normalized), 2)]

class Shout:
    def decode_chain(self, tokens):
        return [token.upper() for token in tokens]
"""
VOCAB = "{'ab': 0, 'cd': 1, '[UNK]': 2, 'ss': 3, 'e': 4, '[CLS]': 5}"
BUILD = (
    f"exec({CUSTOM!r}, globals()); k = Tokenizer(models.WordLevel({VOCAB}, '[UNK]')); "
    "k.normalizer = normalizers.Normalizer.custom(Lower()); "
    "k.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(Pairs()); "
    "k.decoder = decoders.Decoder.custom(Shout()); "
    "k.post_processor = processors.TemplateProcessing('[CLS] $A', '[CLS] $A $B:1', [('[CLS]', 5)]); "
    "k.add_tokens(['Xyz', AddedToken('Q', lstrip=True, rstrip=True), AddedToken('W', single_word=True)]); "
    "k.add_special_tokens(['[S]']); "
)
CALLS = """\
k.encode("ABcdße")
k.encode("ab xyzCDe [S] q abW W w", add_special_tokens=False)
k.encode("[S]ab[S]")
k.add_tokens([AddedToken(' ', rstrip=True)]); k.encode("ab    cd")
k.encode("ab", "cde")
k.encode(["abcd", "e", ""], is_pretokenized=True)
k.encode_batch(["ab", ("abcd", "e")])
k.enable_padding(length=6); k.enable_truncation(4, stride=1); k.encode_batch(["abcdabcdabcd", "ab"])
k.enable_padding(direction="left", pad_to_multiple_of=4); k.encode_batch(["abcdabcdabcd", "ab"])
k.decode([0, 1, 5])
k.decode([0, 1, 5, 99], skip_special_tokens=False)
k.encode_special_tokens = True; k.encode("[S]ab")
k.normalizer.normalize_str("ABß")
k.pre_tokenizer.pre_tokenize_str("abcde")
k.to_str()
repr(k)
k.normalizer.__getstate__()
repr(k.pre_tokenizer)
k.decoder.__getstate__()
k.normalizer = normalizers.Sequence([normalizers.NFD(), k.normalizer]); k.encode("ABcd")
k.decoder = decoders.Sequence([k.decoder, decoders.Replace("AB", "x"), decoders.Fuse()]); k.decode([0, 1])
k.model = models.BPE(); k = Tokenizer(k.model); k.train_from_iterator(["ABab cd"], trainers.BpeTrainer(show_progress=False)); sorted(k.get_vocab().items())""".splitlines()


@pytest.mark.parametrize("call", CALLS)
def test_components_in_python_are_equal(call: str) -> None:
    check_same(BUILD + call)


BROKEN = (
    "exec('class Bad:\\n  def normalize(self): pass\\n  def pre_tokenize(self): pass\\n"
    "  def decode_chain(self): pass', globals()); "
)


@pytest.mark.parametrize(
    "call",
    [
        "normalizers.Normalizer.custom(Bad()).normalize_str('a')",
        "pre_tokenizers.PreTokenizer.custom(Bad()).pre_tokenize_str('a')",
        "decoders.Decoder.custom(Bad()).decode(['a'])",
    ],
)
def test_errors_of_components_in_python_are_named(call: str) -> None:
    theirs, ours = (outcome(module, BROKEN + call) for module in (THEIRS, OURS))
    assert isinstance(ours, Exception)
    assert str(ours) == str(theirs)


def test_components_in_python_survive_pickles() -> None:
    import pickle

    from hf_components_in_python import Split, Upper
    from piecework.hf import Tokenizer, models, normalizers, pre_tokenizers

    tok = Tokenizer(models.WordLevel({"A": 0, "B": 1}, "A"))
    tok.normalizer = normalizers.Normalizer.custom(Upper())
    tok.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(Split())
    assert pickle.loads(pickle.dumps(tok)).encode("a-b").tokens == ["A", "B"]
