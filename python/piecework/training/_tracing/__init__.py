"""Records trainings step by step: the candidates of each merge with their scores, and the steps of Unigram.

:func:`trace` trains and records, :func:`trace_criteria` does so with each criterion of WordPiece on the same counts, and
:func:`example` returns the small examples that tutorials work through.
"""

from piecework.training._tracing.base import Trace
from piecework.training._tracing.criteria import CriteriaTrace, trace_criteria
from piecework.training._tracing.examples import EXAMPLES, example
from piecework.training._tracing.merges import MergeTrace
from piecework.training._tracing.record import trace
from piecework.training._tracing.steps import Candidate, MergeTraceStep, TracedWord, WordTrace
from piecework.training._tracing.unigram import ScoredPiece, UnigramTrace, UnigramTraceStep

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
