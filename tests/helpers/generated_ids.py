"""Random ids of a vocabulary, and definitions of streams and positions on whole texts."""

import random
from typing import NamedTuple

import piecework as pw


class Pools(NamedTuple):
    """The ids of a vocabulary that random lists consist of."""

    all: list[int]
    special: list[int]
    short: list[int]


def pools(tok: pw.Tokenizer) -> Pools:
    """Returns all ids, the special ones, and those of bytes and single characters."""
    short = [
        number for token, number in tok.vocab.items() if token.startswith("<0x") or len(token) == 1
    ]
    return Pools(list(tok.vocab.values()), list(tok.special_tokens.values()), short[:300])


def random_ids(rng: random.Random, ids: Pools, longest: int = 14) -> list[int]:
    """Returns ids of any kind: text, incomplete characters, special tokens, repetitions."""
    found: list[int] = []
    for _ in range(rng.randrange(longest)):
        chance = rng.random()
        if chance < 0.1 and ids.special:
            found.append(rng.choice(ids.special))
        elif chance < 0.4 and ids.short:
            found.append(rng.choice(ids.short))
        elif chance < 0.5 and found:
            found.append(found[-1])
        else:
            found.append(rng.choice(ids.all))
    return found


def first_stop(text: str, stops: list[str]) -> tuple[str, int] | None:
    """Returns the stop that ends first in a text, the longest of several, and its end; None without one."""
    for end in range(1, len(text) + 1):
        if ending := [stop for stop in stops if text[:end].endswith(stop)]:
            return max(ending, key=len), end
    return None


class Cut(NamedTuple):
    """A text that is cut at the first stop, the stop, and the text after it."""

    text: str
    stopped: str | int | None
    rest: str


def cut_text(
    tok: pw.Tokenizer, ids: list[int], stops: list[str], stop_ids: list[int], skip: bool
) -> Cut:
    """Returns the text of ids up to the first stop, by decoding whole texts."""

    def decoded(part: list[int]) -> str:
        return tok.decode(part, skip_special_tokens=skip)

    special = set(tok.special_tokens.values())
    by_id: dict[int, str | int] = {}
    for stop in stops:
        number = tok.token_to_id(stop)
        if skip and number in special:
            by_id[number] = stop
    by_id |= {number: number for number in stop_ids if number not in by_id}
    place = next((place for place, number in enumerate(ids) if number in by_id), None)
    before = decoded(ids if place is None else ids[:place])
    if found := first_stop(before, stops):
        stop, end = found
        return Cut(before[: end - len(stop)], stop, "" if place is not None else before[end:])
    if place is None:
        return Cut(before, None, "")
    number = ids[place]
    if not (skip and number in special):
        whole = decoded(ids[: place + 1])
        found = first_stop(whole, stops)
        own = len(whole.encode()) - len(before.encode())
        if found and (found[1] < len(whole) or len(found[0].encode()) > own):
            return Cut(whole[: found[1] - len(found[0])], found[0], "")
    return Cut(before, by_id[number], decoded(ids[place + 1 :]))


def begun(data: bytes) -> int:
    """Returns the number of characters that begin in UTF-8."""
    return sum(byte & 0xC0 != 0x80 for byte in data)


def check_positions(tok: pw.Tokenizer, ids: list[int], skip: bool) -> None:
    """Checks the bytes and positions of each id against the decoding of all ids."""
    text = tok.decode(ids, skip_special_tokens=skip)
    data = tok.decode_bytes(ids, skip_special_tokens=skip)
    each = tok.decode_tokens_bytes(ids, skip_special_tokens=skip)
    assert (len(each), b"".join(each)) == (len(ids), data), ids
    found = tok.decode_with_offsets(ids, skip_special_tokens=skip)
    assert found.text == text, ids
    assert found.byte_starts == [len(b"".join(each[:place])) for place in range(len(ids))], ids
    assert found.starts == sorted(found.starts), ids
    assert all(start <= len(text) for start in found.starts), ids
    if text.encode() == data:
        assert found.starts == [begun(data[:start]) for start in found.byte_starts], ids


def check_streams(rng: random.Random, tok: pw.Tokenizer, ids: list[int], skip: bool) -> None:
    """Checks that streams in steps of any length give the text and the bytes of all ids, with their positions."""
    for stream, whole in (
        (tok.decode_stream(skip_special_tokens=skip), tok.decode(ids, skip_special_tokens=skip)),
        (
            tok.decode_bytes_stream(skip_special_tokens=skip),
            tok.decode_bytes(ids, skip_special_tokens=skip),
        ),
    ):
        found, place = whole[:0], 0
        while place < len(ids):
            count = rng.choice([1, 1, 2, 5])
            found += stream.step(ids[place] if count == 1 else ids[place : place + count])  # type: ignore[operator]
            place += count
        assert found + stream.finish() == whole, ids
        assert whole[:0].join(stream.pieces(ids)) == whole, ids  # type: ignore[arg-type]
    details = tok.decode_stream(skip_special_tokens=skip, details=True)
    steps = [details.step(number) for number in ids]
    text, data = (
        decode(ids, skip_special_tokens=skip) for decode in (tok.decode, tok.decode_bytes)
    )
    assert "".join(step.text for step in steps) + details.finish().text == text, ids
    wanted = tok.decode_with_offsets(ids, skip_special_tokens=skip)
    assert [step.byte_start for step in steps] == wanted.byte_starts, ids
    if text.encode() == data:
        assert [step.start for step in steps] == wanted.starts, ids


def check_stops(rng: random.Random, tok: pw.Tokenizer, ids: list[int], skip: bool) -> None:
    """Checks that a stream with stops gives the text up to the first of them."""
    text = tok.decode(ids, skip_special_tokens=skip)
    starts = [rng.randrange(len(text)) for _ in range(rng.randrange(4))] if text else []
    stops = [text[start : start + rng.randrange(1, 6)] for start in starts]
    if skip and tok.special_tokens and rng.random() < 0.3:
        stops.append(rng.choice(list(tok.special_tokens)))
    stop_ids = [rng.choice(ids) for _ in range(rng.randrange(2))] if ids else []
    stream = tok.decode_stream(stop=[*stops, *stop_ids], skip_special_tokens=skip)
    found = "".join([stream.step(number) for number in ids]) + stream.finish()
    wanted = cut_text(tok, ids, stops, stop_ids, skip)
    assert (found, stream.stopped) == (wanted.text, wanted.stopped), (ids, stops, stop_ids)
    is_known = wanted.rest or wanted.stopped is None
    if is_known:
        assert stream.rest == wanted.rest, (ids, stops, stop_ids)
    pieces = tok.decode_stream(stop=[*stops, *stop_ids], skip_special_tokens=skip).pieces(iter(ids))
    assert "".join(pieces) == wanted.text, (ids, stops, stop_ids)
