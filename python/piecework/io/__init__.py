"""The only Python here that opens files."""

from piecework.io.files import read_bytes, write_aside
from piecework.io.lines import detect_encoding, read_lines

__all__ = ["detect_encoding", "read_bytes", "read_lines", "write_aside"]
