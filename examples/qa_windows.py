"""Answers in long texts: overlapping windows, and the map from tokens to the text.

A question-answering model reads a limited number of tokens: a question and a part of the text. The text is cut into
overlapping windows, the model returns the first and the last token of its answer in one of them, and the offsets give the
characters. Instead of a model this program searches for known words. Run it with `python examples/qa_windows.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import piecework as pw

if TYPE_CHECKING:
    from piecework import Encoding

TEXT = """\
The lighthouse of Övreby was built in 1871. Its keeper, Åsa Lind, wrote down the weather every morning for forty-one \
years. In the winter of 1902 the harbour froze, and no ship came for seven weeks. The people burned driftwood and old \
nets. When the first ship arrived, on the ninth of March, it brought coal, flour, letters and a piano."""
QUESTIONS = {
    "Who kept the lighthouse?": "åsa lind",
    "When did the first ship arrive?": "on the ninth of march",
    "What did it bring?": "coal, flour, letters and a piano",
}
WINDOWS = pw.Truncation(40, stride=12, strategy="only_second")
"""At most 40 tokens, the question and special tokens included; only the text is cut, and windows overlap by 12 tokens."""


def main() -> None:
    """Runs the demonstration."""
    tok = pw.train([TEXT, *QUESTIONS], pw.WordPieceTrainer(160))
    for question, words in QUESTIONS.items():
        encoding = tok.encode(question, TEXT, truncation=WINDOWS)
        windows = [encoding, *encoding.overflowing]
        answer = tok.encode_ids(words, add_special_tokens=False)
        print(question)
        for number, window in enumerate(windows, 1):
            found = model(window, answer)
            if found:
                start, end = characters(window, *found)
                print(
                    f"  window {number} of {len(windows)}, characters {start} to {end}: {TEXT[start:end]}"
                )


def model(window: Encoding, answer: list[int]) -> tuple[int, int] | None:
    """Returns the first and the last token of the answer, if it is in the window, in place of a real model."""
    ids = window.ids
    for first in range(len(ids) - len(answer) + 1):
        if ids[first : first + len(answer)] == answer and window.token_to_sequence(first) == 1:
            return first, first + len(answer) - 1
    return None


def characters(window: Encoding, first: int, last: int) -> tuple[int, int]:
    """Returns the characters of the text that the tokens cover."""
    begins, ends = window.token_to_chars(first), window.token_to_chars(last)
    if begins is None or ends is None:
        raise ValueError("an added special token has no characters")
    return begins[0], ends[1]


if __name__ == "__main__":
    main()
