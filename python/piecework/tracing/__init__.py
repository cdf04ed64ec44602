"""Records trainings step by step: the candidates of each merge with their scores, and the steps of Unigram.

:func:`trace` trains and records, :func:`trace_criteria` does so with each criterion of WordPiece on the same counts, and
:func:`example` returns the small examples that tutorials work through.
"""

from piecework.tracing.base import Trace
from piecework.tracing.criteria import CriteriaTrace, trace_criteria
from piecework.tracing.examples import EXAMPLES, example
from piecework.tracing.merges import MergeTrace
from piecework.tracing.record import trace
from piecework.tracing.steps import Candidate, MergeTraceStep, TracedWord, WordTrace
from piecework.tracing.unigram import ScoredPiece, UnigramTrace, UnigramTraceStep

__all__ = [
    "EXAMPLES",
    "Candidate",
    "CriteriaTrace",
    "MergeTrace",
    "MergeTraceStep",
    "ScoredPiece",
    "Trace",
    "TracedWord",
    "UnigramTrace",
    "UnigramTraceStep",
    "WordTrace",
    "example",
    "trace",
    "trace_criteria",
]
