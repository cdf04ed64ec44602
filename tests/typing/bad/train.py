"""Trains with wrong arguments."""

import piecework as pw

WORDS = {"hug": 10}

pw.BpeTrainer(300, alphabet="bytes")  # E: arg-type | reportArgumentType
pw.BpeTrainer(300, vocabulary=3)  # E: call-arg | reportCallIssue
pw.WordPieceTrainer()  # E: call-arg | reportCallIssue
pw.WordPieceTrainer("20")  # E: arg-type | reportArgumentType
trainer = pw.WordPieceTrainer(vocab_size=20)
trainer.vocab_size = 30  # E: misc | reportAttributeAccessIssue

pw.train([WORDS], trainer)  # E: list-item | reportArgumentType
pw.train(["hug"], trainer, normaliser=None)  # E: call-arg | reportCallIssue
pw.train(["hug"], trainer, normalizer="nfc")  # E: arg-type | reportArgumentType
pw.train(["hug"], pw.BpeTrainer)  # E: arg-type | reportArgumentType
pw.WordCounts({"hug": "10"})  # E: dict-item | reportArgumentType
pw.WordCounts.from_texts(["hug"], lowercase=True)  # E: call-arg | reportCallIssue
pw.trace(WORDS, trainer, tops=3)  # E: call-overload | reportCallIssue
trainer.added_token  # E: attr-defined | reportAttributeAccessIssue


def report(done: int) -> None:
    """Takes a number in place of a `Progress`."""


pw.train(WORDS, trainer, progress=report)  # E: arg-type | reportArgumentType
