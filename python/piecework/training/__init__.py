"""Trains tokenizers, and records trainings step by step."""

from piecework import _lazy

__getattr__, __dir__, __all__ = _lazy.lazily(
    __name__,
    {
        "_train": "train",
        "_tracing.examples": "EXAMPLES example",
        "_tracing.steps": "Candidate MergeTraceStep TracedWord WordTrace",
        "_tracing.criteria": "CriteriaTrace",
        "_tracing.merges": "MergeTrace",
        "_tracing.unigram": "ScoredPiece UnigramTrace UnigramTraceStep",
        "_tracing.base": "Trace",
        "_tracing.record": "trace trace_criteria",
    },
)
