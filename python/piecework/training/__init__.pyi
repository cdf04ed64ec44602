"""Trains tokenizers, and records trainings step by step."""

from piecework.training._tracing import (
    EXAMPLES as EXAMPLES,
    Candidate as Candidate,
    CriteriaTrace as CriteriaTrace,
    MergeTrace as MergeTrace,
    MergeTraceStep as MergeTraceStep,
    ScoredPiece as ScoredPiece,
    Trace as Trace,
    TracedWord as TracedWord,
    UnigramTrace as UnigramTrace,
    UnigramTraceStep as UnigramTraceStep,
    WordTrace as WordTrace,
    example as example,
    trace as trace,
    trace_criteria as trace_criteria,
)
from piecework.training._train import train as train
