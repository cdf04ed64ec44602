"""Answers in long texts: windows that overlap, and the way from a token back to the text.

A model that answers questions reads so many tokens, a question and a stretch of the text. The text is cut into windows
that overlap, the model gives the first and the last token of its answer in one of them, and the offsets lead back to the
characters. In place of a model this program looks for known words. Run it with `python examples/qa_windows.py`.
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
"""At most 40 tokens, the question and special tokens included; only the text is cut, and windows share 12 of its tokens."""


def main() -> None:
    """Run the demonstration."""
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
    """Give the first and the last token of the answer, if it is in the window; stands for a real model."""
    ids = window.ids
    for first in range(len(ids) - len(answer) + 1):
        if ids[first : first + len(answer)] == answer and window.token_to_sequence(first) == 1:
            return first, first + len(answer) - 1
    return None


def characters(window: Encoding, first: int, last: int) -> tuple[int, int]:
    """Give the characters of the text that the tokens cover."""
    begins, ends = window.token_to_chars(first), window.token_to_chars(last)
    if begins is None or ends is None:
        raise ValueError("a token that was added has no characters")
    return begins[0], ends[1]


if __name__ == "__main__":
    main()
