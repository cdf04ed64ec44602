"""Chinese words: one text trained by characters and by jieba's words, with a domain dictionary.

Shows how each splits a sentence, that a phrase of the dictionary stays whole, and that the offsets of the tokens cover
the text. Run it with `python examples/chinese.py`.
"""

from __future__ import annotations

import piecework as pw
from piecework import normalizers, pre_tokenizers

TEXTS = [
    "自然语言处理的第一步是分词，分词的好坏影响后面的每一步。",
    "中文的词和词之间没有空格，机器要自己找出词的边界。",
    "结巴分词先查词典，再用隐马尔可夫模型猜测词典里没有的词。",
    "子词分词器把常见的词作为整体，把罕见的词拆成片段。",
    "同样的词典、同样的语料，每次训练都得到同样的词表。",
    "领域词典里的词条始终保持完整，例如隐马尔可夫模型。",
]
PHRASES = ["自然语言处理", "隐马尔可夫模型", "子词分词器"]
SENTENCE = "自然语言处理用隐马尔可夫模型找出词的边界。"

NORMALIZER = normalizers.BertNormalizer(handle_chinese_chars=False)
WAYS: dict[str, pre_tokenizers.PreTokenizer] = {
    "BERT": pre_tokenizers.BertPreTokenizer(),
    "jieba": pre_tokenizers.Jieba(),
    "dictionary and jieba": pre_tokenizers.Sequence(
        [pre_tokenizers.Dictionary(PHRASES), pre_tokenizers.Jieba()]
    ),
}


def main() -> None:
    """Runs the demonstration."""
    for name, way in WAYS.items():
        words = [word for word, _ in way.pre_tokenize_str(SENTENCE)]
        print(f"{name}\n  words   {' '.join(words)}")
        tok = trained(way, PHRASES if "dictionary" in name else [])
        print(f"  tokens  {' '.join(tok.tokenize(SENTENCE))}")
        check(tok)


def trained(way: pre_tokenizers.PreTokenizer, symbols: list[str]) -> pw.Tokenizer:
    """Trains on the texts, without a prefix for tokens inside a word, since Chinese words have no spaces between them."""
    trainer = pw.WordPieceTrainer(
        400, continuing_subword_prefix="", min_frequency=2, user_defined_symbols=symbols
    )
    return pw.train(TEXTS, trainer, normalizer=NORMALIZER, pre_tokenizer=way)


def check(tok: pw.Tokenizer) -> None:
    """Checks that the tokens tile the sentence and that a saved tokenizer is equal when loaded."""
    encoding = tok.encode(SENTENCE, add_special_tokens=False)
    assert "".join(SENTENCE[start:end] for start, end in encoding.offsets) == SENTENCE
    assert pw.Tokenizer.from_str(tok.to_str()) == tok


if __name__ == "__main__":
    main()
