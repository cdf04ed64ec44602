"""Broken SentencePiece models: truncated, with changed bits, fields of other types, or impossible numbers.

    PYTHONPATH=tests/helpers:tests/slow python -m parity.unigram_hostile --trials 2000 --seed 7

Loading must raise a PieceworkError or give a working tokenizer, in little memory and time. If SentencePiece
loads the model too, both must give equal ids; it is asked only for models with intact rules, since others can
crash it.
"""

import argparse
import json
import math
import random
import re
import resource
import struct
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import live_unigram as live
import piecework as pw
from parity.pipeline_texts import Texts
from parity.unigram_models import made, text_for

MUTANTS = 12
MOST_SECONDS = 2.0
MOST_MEGABYTES = 600
HUGE = (0x7F, 0xFF, 1 << 20, 1 << 31, 1 << 32, (1 << 63) - 1, (1 << 64) - 1)
"""Lengths and numbers that are not so."""


class Mutant(NamedTuple):
    """A broken model, the change that was made, and whether SentencePiece can load it safely."""

    model: bytes
    how: str
    is_fair: bool


# Changes of a model


def mutant(rng: random.Random, model: bytes) -> Mutant:
    """Returns a copy of a model, broken in a random way."""
    how = rng.choice([*CHANGES])
    return Mutant(CHANGES[how](rng, model), how, how not in UNFAIR)


def cut(rng: random.Random, model: bytes) -> bytes:
    """Truncates the model."""
    return model[: rng.randrange(len(model))]


def flipped(rng: random.Random, model: bytes) -> bytes:
    """Flips a bit or a few."""
    changed = bytearray(model)
    for _ in range(rng.choice((1, 1, 3, 30))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def overwritten(rng: random.Random, model: bytes) -> bytes:
    """Overwrites a position, such as a length, with a large number."""
    at = rng.randrange(len(model))
    return model[:at] + live.varint(rng.choice(HUGE)) + model[at + 1 :]


def doubled(rng: random.Random, model: bytes) -> bytes:
    """Duplicates or removes a range of bytes."""
    start, size = rng.randrange(len(model)), rng.randrange(40)
    times = rng.choice((0, 2, 3))
    return model[:start] + model[start : start + size] * times + model[start + size :]


def other_kinds(rng: random.Random, model: bytes) -> bytes:
    """Adds a field of another type, or of an unknown number."""
    number = rng.choice((1, 2, 3, 4, 5, 99))
    field = rng.choice(
        (
            live.flag(number, rng.choice(HUGE)),
            live.varint(number << 3 | 5) + b"\0\0\xc0\x7f",
            live.varint(number << 3 | 1) + bytes(8),
            live.varint(number << 3 | rng.choice((3, 4, 6, 7))),
            live.message(number, rng.randbytes(rng.randrange(9))),
        )
    )
    return field + model if rng.random() < 0.5 else model + field


Change = Callable[[random.Random, list[live.Piece]], list[live.Piece]]


def with_pieces(change: Change) -> Callable[[random.Random, bytes], bytes]:
    """Turns a change of pieces into a change of models."""

    def apply(rng: random.Random, model: bytes) -> bytes:
        pieces = change(rng, live.read(model).pieces)
        listed = (
            live.message(
                1, live.message(1, text.encode()) + b"\x15" + score_of(score) + live.flag(3, kind)
            )
            for text, score, kind in pieces
        )
        others = (live.message(f.number, f.value) for f in live.fields(model) if f.number != 1)
        return b"".join([*listed, *others])

    return apply


def score_of(score: float) -> bytes:
    """Returns the encoding of a score; too large values become infinite."""
    try:
        return struct.pack("<f", score)
    except OverflowError:
        return struct.pack("<f", math.copysign(math.inf, score))


def strange_scores(rng: random.Random, pieces: list[live.Piece]) -> list[live.Piece]:
    """Sets a few scores to NaN, infinity, huge or tiny values."""
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(pieces))
        score = rng.choice((math.nan, math.inf, -math.inf, 3.4e38, -3.4e38, 1e-45, -0.0, 1e30))
        pieces[place] = (pieces[place][0], score, pieces[place][2])
    return pieces


def strange_kinds(rng: random.Random, pieces: list[live.Piece]) -> list[live.Piece]:
    """Sets a few pieces to another type, which may be unknown or nonexistent."""
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(pieces))
        kind = rng.choice((0, 1, 2, 2, 3, 4, 5, 6, 7, 1 << 40))
        pieces[place] = (*pieces[place][:2], kind)
    return pieces


def strange_texts(rng: random.Random, pieces: list[live.Piece]) -> list[live.Piece]:
    """Makes pieces duplicate, empty, long, or with NUL."""
    place = rng.randrange(len(pieces))
    text = rng.choice(("", "\0", "a\0b", "a" * 100_000, rng.choice(pieces)[0], "▁" * 999, "<0x41>"))
    return [*pieces[:place], (text, -1.0, rng.choice((1, 1, 4))), *pieces[place:]]


def fewer(rng: random.Random, pieces: list[live.Piece]) -> list[live.Piece]:
    """Removes pieces: all, the unknown one, or some."""
    kept: tuple[Callable[[live.Piece], bool], ...] = (
        lambda _: False,
        lambda piece: piece[2] != live.UNKNOWN,
        lambda piece: piece[2] != live.BYTE,
        lambda piece: piece[2] == live.UNKNOWN,
        lambda _: rng.random() < 0.5,
    )
    return [*filter(rng.choice(kept), pieces)]


def with_rules(rng: random.Random, model: bytes) -> bytes:
    """Breaks the charsmap: truncated, with another trie size, with changed bits, or random."""
    table = bytearray(live.read(model).normalizer.get(2) or rng.randbytes(2000))
    kind = rng.randrange(5)
    if kind == 0:
        table = table[: rng.randrange(len(table))]
    elif kind == 1:
        size = rng.choice((0, 1, 4, 1024, len(table) - 4, len(table), 1 << 31, (1 << 32) - 1))
        table[:4] = struct.pack("<I", size)
    elif kind == 2:
        for _ in range(200):
            table[rng.randrange(len(table))] = rng.randrange(256)
    elif kind == 3:
        table = bytearray(struct.pack("<I", 1024) + rng.randbytes(1024) + rng.randbytes(50))
    else:
        table = bytearray(struct.pack("<I", 1024) + rng.randbytes(1024) + b"a\0bc\0" * 200)
    return model + live.message(3, live.message(2, bytes(table)))


CHANGES: dict[str, Callable[[random.Random, bytes], bytes]] = {
    "cut": cut,
    "flipped": flipped,
    "overwritten": overwritten,
    "doubled": doubled,
    "other kinds": other_kinds,
    "strange scores": with_pieces(strange_scores),
    "strange kinds": with_pieces(strange_kinds),
    "strange texts": with_pieces(strange_texts),
    "fewer": with_pieces(fewer),
    "rules": with_rules,
}
UNFAIR = {"rules", "flipped", "overwritten", "doubled"}
"""These may break a table of rules, which SentencePiece then reads beyond its end."""


# Trials


def trial(name: str, results: Counter[str]) -> Iterator[str]:
    """Iterates over differences and faults of the mutants of one model."""
    rng = random.Random(name)
    texts = Texts(rng, None)
    model = made(rng, texts).model
    pieces = [piece for piece, _, _ in live.read(model).pieces]
    some = [text_for(rng, texts, pieces)[:400] for _ in range(4)]
    for number in range(MUTANTS):
        broken = mutant(rng, model)
        for what in check(broken, some, results):
            yield json.dumps({"what": what, "how": broken.how, "trial": f"{name}, {number}"})


def check(broken: Mutant, some: list[str], results: Counter[str]) -> Iterator[str]:
    """Loads a mutant and encodes texts; compares with SentencePiece if it can load the model."""
    start = time.process_time()
    try:
        ours, message = attempt(broken.model, some)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001  (a panic is no Exception)
        yield f"raised {type(error).__name__}: {error}"
        return
    if (seconds := time.process_time() - start) > MOST_SECONDS:
        yield f"took {seconds:.1f} s"
    if not broken.is_fair:
        results[f"{broken.how}: {'read' if ours else 'refused'}"] += 1
        return
    theirs = processor(broken.model)
    results[f"{broken.how}: {_who(ours, theirs)}"] += 1
    if theirs and not ours:
        results[f"  only refused here: {broken.how}: {_kind(message)}"] += 1
    if theirs and ours:
        yield from differences(ours, theirs, some)


def attempt(model: bytes, some: list[str]) -> tuple[pw.Tokenizer | None, str]:
    """Loads a model and calls its methods; returns the tokenizer, or the message of the error."""
    try:
        tokenizer = loaded(model)
        for text in some:
            ids = tokenizer.encode_ids(text, specials="text")
            tokenizer.lm.nbest(text[:60], 3)
            tokenizer.encode(text, sampling=pw.Sampling(alpha=0.5, seed=1))
            tokenizer.decode(ids)
    except pw.errors.PieceworkError as error:
        return None, str(error)
    return tokenizer, ""


def differences(ours: pw.Tokenizer, theirs: Any, some: list[str]) -> Iterator[str]:
    """Iterates over differences of ids."""
    for text in some:
        found, wanted = ours.encode_ids(text, specials="text"), theirs.encode(text)
        if found != wanted:
            yield f"ids of {text[:100]!a}: {wanted[:30]}, ours {found[:30]}"
            return


def loaded(model: bytes) -> pw.Tokenizer:
    """Returns our tokenizer of a model; names the format, since its first byte may fit another."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.model"
        path.write_bytes(model)
        return pw.Tokenizer.from_sentencepiece(path)


def processor(model: bytes) -> Any:
    """Returns SentencePiece's processor, or None if it refuses the model."""
    try:
        return live.processor(model)
    except RuntimeError:
        return None


def _who(ours: Any, theirs: Any) -> str:
    if ours:
        return "both read" if theirs else "only read here"
    return "only refused here" if theirs else "both refuse"


def _kind(message: str) -> str:
    return re.sub(r'"[^"]*"|\d+', "_", message.partition(".model: ")[2])[:100]


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=500)
    parser.add_argument("--seed", default="0")
    asked = parser.parse_args()
    results: Counter[str] = Counter()
    faults = 0
    for number in range(asked.trials):
        for line in trial(f"{asked.seed}:{number}", results):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
            faults += 1
    for label, count in sorted(results.items()):
        sys.stderr.write(f"{count:>8,}  {label}\n")
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    faults += megabytes > MOST_MEGABYTES
    cases = asked.trials * MUTANTS
    sys.stderr.write(f"{megabytes:.0f} MB at most; {cases:,} cases, {faults} differences\n")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
