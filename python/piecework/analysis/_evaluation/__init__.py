r"""Computes what tokenizers do to texts: lengths, whole words, use of the vocabulary, languages, round trips.

`docs/evaluation.md` defines each metric and names its source.

>>> import piecework as pw
>>> tok = pw.train(["hug pug pun bun hugs"] * 3, pw.WordPieceTrainer(vocab_size=17))
>>> evaluation = pw.evaluate(tok, ["hug pugs", "a bun"])
>>> evaluation["fertility"], evaluation["changed_texts"]
(1.5, 1)
"""
