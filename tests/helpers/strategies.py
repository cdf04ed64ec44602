"""Hypothesis strategies: texts with delicate normalization, vocabularies, tables, settings."""

import unicodedata

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy, composite

# Combining marks of many classes; characters that decompose, are dropped, padded, lowercased or split.
DELICATE = (
    "\u0301\u0307\u0323\u0327\u0334\u0344\u0345\u0f71\u0f72\u0f73\u0fb2\u20dd\u3099\u05b0\u0e48"
    "\u1e0b\u1e69\u1ed9\u0130\u1e9e\u03a3\u03c2\u212a\u212b\ufb01\uac00\ud55c\u1100\u1161\u11a8"
    "\u0958\u0929\u0b4b\u0dde\u1025\u1026\u30ac\uf900\U0002f800\U0001d15e\U000110ab\U0001109a"
    "\0\x01\x0b\x0c\x85\xad\u200b\u200d\ufeff\ufffd\u2028\u3000\xa0 \t\r\n.,!'$#[]\u2013\u2e52"
    "\U0002b820\U0002b920\u0378\ue000\U000e0001\u4e2d\u6587\u1ac1\u166d"
)
PIECES = ("[CLS]", "[MASK]", "[UNK]", "[SEP]", "##", "##a", "un", "able", "ab", "ba", "aab", "  ")

plain = st.sampled_from("ab")
anything = st.characters(exclude_categories=["Cs"])
pieces: SearchStrategy[str] = st.one_of(
    plain, st.sampled_from(DELICATE), st.sampled_from(PIECES), anything
)
texts: SearchStrategy[str] = st.lists(pieces, max_size=30).map("".join)
corpora: SearchStrategy[list[str]] = st.lists(texts, max_size=12)


def without_newer_characters(text: str) -> str:
    """Removes characters that versions of Unicode treat differently: the reference has that of Python."""
    old = unicodedata.ucd_3_2_0.category
    return "".join(c for c in text if old(c) == unicodedata.category(c) != "Cn")


stable_texts: SearchStrategy[str] = texts.map(without_newer_characters)
stable_corpora: SearchStrategy[list[str]] = st.lists(stable_texts, max_size=12)

# Few letters make many ties and many repetitions; a literal # can collide with the prefix.
words: SearchStrategy[str] = st.text("ab", min_size=1, max_size=9) | st.text(
    "abc#é中", min_size=1, max_size=7
)
tables: SearchStrategy[dict[str, int]] = st.dictionaries(
    words, st.integers(0, 4) | st.integers(1, 10**6), min_size=1, max_size=10
)

prefixes = st.sampled_from(["##", "", "#", "_", "ab"])


@composite
def trainers(draw: DrawFn) -> dict[str, object]:
    """Draws settings of a trainer, most of them at their defaults."""
    settings: dict[str, object] = {
        "vocab_size": draw(st.integers(1, 60)),
        "criterion": draw(st.sampled_from(["likelihood", "pmi", "sum", "frequency"])),
        "ties": draw(st.sampled_from(["lex", "first", "hf"])),
    }
    options: dict[str, SearchStrategy[object]] = {
        "min_frequency": st.integers(1, 5),
        "min_word_frequency": st.integers(1, 3),
        "max_merges": st.integers(0, 12),
        "stop_at_pair_frequency": st.integers(0, 5),
        "stop_without_gain": st.just(value=True),
        "special_tokens": st.sampled_from([(), ("[UNK]",), ("ab", "##b", "[UNK]"), ("a",)]),
        "special_tokens_first": st.just(value=False),
        "user_defined_symbols": st.sampled_from(
            [("ab",), ("ba", "aab", "bb"), ("b", "##a", "aaa"), ("##ab", "中文"), ("c", "abab")]
        )
        | st.lists(words, max_size=3).map(tuple),
        "initial_alphabet": st.sampled_from([("z",), ("b", "z", "#"), ("中", "a")]),
        "limit_alphabet": st.integers(1, 4),
        "continuing_subword_prefix": prefixes,
        "max_token_length": st.integers(1, 5),
        "prune_unused": st.just(value=True),
    }
    for name in draw(st.sets(st.sampled_from(sorted(options)), max_size=6)):
        settings[name] = draw(options[name])
    return settings


# Few letters and few different counts: many gains of different counts are equal, but not as floats.
tied_tables = st.sampled_from([(1,), (1, 2), (5, 10), (3, 6, 12), (2**56 - 1, 2**56)]).flatmap(
    lambda counts: st.dictionaries(
        st.text("abcdel", min_size=1, max_size=8), st.sampled_from(counts), min_size=1, max_size=9
    )
)
tied_trainers = st.fixed_dictionaries(
    {
        "vocab_size": st.just(200),
        "criterion": st.just("likelihood"),
        "ties": st.sampled_from(["lex", "first", "hf"]),
        "stop_without_gain": st.booleans(),
        "continuing_subword_prefix": st.sampled_from(["##", ""]),
    }
)


@composite
def bpe_trainers(draw: DrawFn) -> dict[str, object]:
    """Draws settings of a trainer of BPE, most of them at their defaults."""
    choices: dict[str, SearchStrategy[object]] = {
        "vocab_size": st.sampled_from([6, 10, 20, 40, 400]),
        "max_merges": st.integers(0, 12),
        "min_frequency": st.integers(1, 4),
        "min_word_frequency": st.integers(1, 3),
        "stop_at_pair_frequency": st.integers(0, 4),
        "ties": st.sampled_from(["lex", "first", "hf", "sentencepiece"]),
        "special_tokens": st.sampled_from([["<s>"], ["a"], ["ab", "b", "</w>"], ["aa", "ba"]]),
        "special_tokens_first": st.booleans(),
        "unk_token": st.sampled_from([None, "<s>", "?", "a", "ab", "aab"]),
        "user_defined_symbols": st.sampled_from([["ab"], ["b", "aab"], ["abc", "é"]]),
        "initial_alphabet": st.sampled_from([["x"], ["a", "#", "a"], [">"]]),
        "limit_alphabet": st.integers(1, 5),
        "continuing_subword_prefix": st.sampled_from(["##", "#", "a"]),
        "end_of_word_suffix": st.sampled_from(["</w>", "b", "#"]),
        "suffix_style": st.sampled_from(["attached", "separate"]),
        "max_token_length": st.integers(1, 5),
    }
    return {name: draw(choice) for name, choice in choices.items() if draw(st.integers(0, 3)) == 0}


unigram_words = st.text("ab", min_size=1, max_size=12) | st.text(
    "▁ab1,é中かб０\u0301<>x", min_size=1, max_size=9
)
unigram_counts = st.integers(0, 4) | st.integers(1, 10**6) | st.sampled_from([2**53 + 1, 2**58])
unigram_tables = st.dictionaries(unigram_words, unigram_counts, min_size=1, max_size=14)


@composite
def unigram_trainers(draw: DrawFn) -> dict[str, object]:
    """Draws settings of a trainer of Unigram, most of them at their defaults."""
    choices: dict[str, SearchStrategy[object]] = {
        "seed_size": st.integers(0, 12),
        "shrinking_factor": st.sampled_from([0.1, 0.5, 0.9, 0.99]),
        "em_steps": st.integers(1, 4),
        "max_piece_length": st.integers(1, 6),
        "min_frequency": st.integers(1, 5),
        "min_word_frequency": st.integers(1, 3),
        "special_tokens": st.sampled_from([["<unk>", "ab"], ["<unk>", "a", "<x>"], ["<unk>"]]),
        "special_tokens_first": st.just(value=False),
        "user_defined_symbols": st.sampled_from([["ab"], ["b", "aab"], ["▁a", "中", "aa"]]),
        "byte_fallback": st.just(value=True),
        "character_coverage": st.sampled_from([0.0, 0.5, 0.9, 1.0]),
        "required_chars": st.sampled_from([["z"], ["b", "z", "b"], ["中", "a"]]),
        "split_by_unicode_script": st.just(value=False),
        "split_by_number": st.just(value=False),
        "split_digits": st.just(value=True),
        "split_by_whitespace": st.just(value=False),
        "allow_whitespace_only_pieces": st.just(value=True),
        "treat_whitespace_as_suffix": st.just(value=True),
    }
    given = {name: draw(choice) for name, choice in choices.items() if draw(st.integers(0, 3)) == 0}
    byte_tokens = 256 if given.get("byte_fallback") else 0
    return given | {"vocab_size": draw(st.integers(1, 40)) + byte_tokens}


@composite
def vocabularies(draw: DrawFn, prefix: str) -> list[str]:
    """Draws a vocabulary that covers a part of `texts`."""
    letters = [*"abunle中文#é", *draw(st.lists(anything, max_size=4))]
    kept = draw(st.sets(st.sampled_from(letters), max_size=len(letters)))
    longer = draw(st.sets(st.text("abunle#", min_size=2, max_size=5), max_size=8))
    specials = draw(st.sets(st.sampled_from(["[PAD]", "[CLS]", "[SEP]", "[MASK]"])))
    texts_of = sorted(kept | longer)
    entries = [
        "[UNK]",
        *sorted(specials),
        *(text for text in texts_of if draw(st.booleans())),
        *(prefix + text for text in texts_of if draw(st.booleans())),
    ]
    return list(dict.fromkeys(entries))


@composite
def pipelines(draw: DrawFn) -> dict[str, object]:
    """Draws settings of normalization and pre-tokenization, as in `spec/cases`."""
    return {
        "normalizer": draw(st.sampled_from(["bert", "bert", None])),
        "clean_text": draw(st.booleans()),
        "handle_chinese_chars": draw(st.booleans()),
        "strip_accents": draw(st.sampled_from([None, True, False])),
        "lowercase": draw(st.booleans()),
        "pre_tokenizer": draw(st.sampled_from(["bert", "whitespace", None])),
    }


@composite
def encoders(draw: DrawFn) -> tuple[list[str], dict[str, object]]:
    """Draws a vocabulary and all settings of a tokenizer."""
    settings = draw(pipelines()) | {
        "unknown": draw(st.sampled_from(["word", "run", "char"])),
        "prefix": draw(prefixes),
        "max_input_chars_per_word": draw(st.sampled_from([None, 0, 3, 100])),
    }
    return draw(vocabularies(str(settings["prefix"]))), settings


specials = st.sampled_from(["match", "text"]) | st.just(["[UNK]"])
