"""Turns corpora of any size into files of tokens, and reads these files."""

from piecework._settings.choices import CorpusLayout as CorpusLayout
from piecework.corpus._dataset import Dataset as Dataset
from piecework.corpus._manifest import (
    Manifest as Manifest,
    ShardRecord as ShardRecord,
    SourceRecord as SourceRecord,
)
from piecework.corpus._progress import CorpusProgress as CorpusProgress
from piecework.corpus._tokenize import tokenize as tokenize
from piecework.corpus._verify import Finding as Finding, verify as verify
