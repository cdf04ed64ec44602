"""Trains tokenizers, and records trainings step by step."""

from piecework import _lazy

__getattr__, __dir__, __all__ = _lazy.lazily(
    __name__,
    {
        "_train": "train",
        "_tracing": "EXAMPLES Candidate CriteriaTrace MergeTrace MergeTraceStep ScoredPiece Trace TracedWord UnigramTrace "
        "UnigramTraceStep WordTrace example trace trace_criteria",
    },
)
