"""Explains, evaluates, compares and lints tokenizers."""

from typing import assert_type

import piecework as pw

WORDS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
tok = pw.train(WORDS, pw.WordPieceTrainer(20))
other = tok.with_added_tokens(["[SEP2]"])

explanation = tok.explain("hugs pun", span=(0, 4))
assert_type([word.text for word in explanation.words], list[str])
assert_type([piece.display_token for piece in explanation.pieces], list[str])
assert_type(explanation.ids, list[int])
assert_type([step.token for step in tok.history], list[str])
assert_type(str(tok.lineage("hugs")), str)

evaluation = pw.evaluate({"old": tok, "new": other}, ["hugs", "pun"], threads=1)
assert_type(evaluation, pw.analysis.Evaluation)
assert_type(evaluation.tokenizers, tuple[pw.analysis.TokenizerResult, ...])
assert_type(evaluation.check(fail_over={"fertility": 9.0}), list[pw.analysis.FailedLimit])
by_language = {"en": ["hugs"], "de": ["pun"]}
assert_type(pw.evaluate(tok, by_language, parallel=True), pw.analysis.Evaluation)

comparison = pw.compare({"old": tok, "new": other}, "hugs")
assert_type(list(comparison.lines(width=80)), list[str])

difference = pw.diff(tok, other, ["hugs [SEP2]"], examples=3)
assert_type(bool(difference), bool)
assert_type(str(difference), str)

report = pw.lint(tok, ignore=["note"])
assert_type(len(report), int)
assert_type([finding.rule for finding in report.findings], list[str])
assert_type([finding.id for finding in report.findings], list[int | None])
