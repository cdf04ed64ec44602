r"""Turns corpora of any size into files of tokens, and reads these files.

A run has a plan of parts, each part leaves a receipt, and a manifest comes last: a run that was stopped goes on where it was,
and its result does not depend on the number of workers or on interruptions.

>>> import json, os, tempfile
>>> import piecework as pw
>>> folder = tempfile.mkdtemp()
>>> with open(os.path.join(folder, "texts.jsonl"), "w") as file:
...     for text in ("low lower", "lowest"):
...         _ = file.write(json.dumps({"text": text}) + "\n")
>>> tok = pw.train(["low lower lowest"] * 3, pw.WordPieceTrainer(vocab_size=25))
>>> corpus = pw.Corpus(f"{folder}/*.jsonl")
>>> manifest = tokenize(tok, corpus, f"{folder}/tokens", end_of_document="[SEP]")
>>> manifest.documents, manifest.tokens
(2, 5)
>>> [tok.decode(row, skip_special_tokens=False) for row in Dataset(f"{folder}/tokens")]
['low lower [SEP]', 'lowest [SEP]']
>>> verify(f"{folder}/tokens")
[]
"""

from piecework import _lazy

__getattr__, __dir__, __all__ = _lazy.lazily(
    __name__,
    {
        "_dataset": "Dataset",
        "_manifest": "Manifest ShardRecord SourceRecord",
        "_progress": "CorpusProgress",
        "_plan": "CorpusLayout",
        "_tokenize": "tokenize",
        "_verify": "Finding verify",
    },
)
