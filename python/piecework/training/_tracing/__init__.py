"""Records trainings step by step: the candidates of each merge with their scores, and the steps of Unigram.

:func:`trace` trains and records, :func:`trace_criteria` does so with each criterion of WordPiece on the same counts, and
:func:`example` returns the small examples that tutorials work through.
"""
