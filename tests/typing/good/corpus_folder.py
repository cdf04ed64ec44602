"""Tokenizes a folder, and reads the rows."""

import tempfile
from pathlib import Path
from typing import assert_type

import numpy as np
import numpy.typing as npt

import piecework as pw

tok = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n")

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    (folder / "a.txt").write_text("hugs\nhug\n", encoding="utf-8")
    corpus = pw.Corpus(folder / "a.txt")
    manifest = pw.corpus.tokenize(tok, corpus, folder / "ids", layout="npy")
    assert_type(manifest, pw.corpus.Manifest)
    assert_type(manifest.tokens, int)
    dataset = pw.corpus.Dataset(folder / "ids")
    assert_type(len(dataset), int)
    assert_type(dataset[0], npt.NDArray[np.uint16 | np.uint32 | np.int32])
    assert_type([tok.decode(row) for row in dataset], list[str])
    assert_type(pw.corpus.verify(folder / "ids", tok), list[pw.corpus.Finding])
    del dataset
