"""Reads and writes the files of the library."""

from piecework._io.files import (
    check_folder_of,
    existing_folder,
    exists,
    is_file,
    make_folder,
    may_block,
    packed,
    read_bytes,
    read_if_exists,
    read_unpacked,
    replacing,
    size,
    write_aside,
)
from piecework._io.kinds import START, check_start, check_start_of, check_text
from piecework._io.lines import codec_name, detect_encoding, read_lines

__all__ = [
    "START",
    "check_folder_of",
    "check_start",
    "check_start_of",
    "check_text",
    "codec_name",
    "detect_encoding",
    "existing_folder",
    "exists",
    "is_file",
    "make_folder",
    "may_block",
    "packed",
    "read_bytes",
    "read_if_exists",
    "read_lines",
    "read_unpacked",
    "replacing",
    "size",
    "write_aside",
]
