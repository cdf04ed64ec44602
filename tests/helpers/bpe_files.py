"""Small BPE files: ranks of tiktoken and models of SentencePiece."""

import base64
import struct

BYTES = [bytes([byte]) for byte in range(256)]
SMALL = [*BYTES, b"hu", b"hug", b" h", " é".encode()]


def ranks(tokens: dict[bytes, int] | list[bytes]) -> str:
    """Returns the content of a tiktoken file."""
    numbered = tokens if isinstance(tokens, dict) else {token: i for i, token in enumerate(tokens)}
    return "".join(
        f"{base64.b64encode(token).decode()} {rank}\n" for token, rank in numbered.items()
    )


def field(number: int, value: bytes | float) -> bytes:
    """Returns a field of a protocol buffer; integers must be below 128."""
    if isinstance(value, float):
        return bytes([number << 3 | 5]) + struct.pack("<f", value)
    if isinstance(value, int):
        return (
            bytes([number << 3 & 127, value])
            if number < 16
            else bytes([(number << 3 & 127) | 128, number >> 4, value])
        )
    length = len(value)
    size = bytes([length]) if length < 128 else bytes([length & 127 | 128, length >> 7])
    return bytes([number << 3 | 2]) + size + value


def proto(
    pieces: list[tuple[str, float, int]],
    model_type: int = 2,
    *,
    byte_fallback: bool = False,
    **normalizer: bool,
) -> bytes:
    """Returns a .model file with these pieces (text, score, type)."""
    numbers = {"add_dummy_prefix": 3, "remove_extra_whitespaces": 4, "escape_whitespaces": 5}
    messages = [
        field(1, text.encode()) + field(2, score) + field(3, kind) for text, score, kind in pieces
    ]
    settings = b"".join(field(numbers[name], int(value)) for name, value in normalizer.items())
    return (
        b"".join(field(1, message) for message in messages)
        + field(2, field(3, model_type) + (field(35, 1) if byte_fallback else b""))
        + field(3, settings)
    )


UNK, A = ("<unk>", 0.0, 2), ("a", 0.0, 1)
