"""The only Python here that opens files."""

from piecework.io.files import may_block, read_bytes, size, write_aside
from piecework.io.lines import codec_name, detect_encoding, read_lines

__all__ = [
    "codec_name",
    "detect_encoding",
    "may_block",
    "read_bytes",
    "read_lines",
    "size",
    "write_aside",
]
