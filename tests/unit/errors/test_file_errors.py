"""Missing, broken, unreadable and unwritable files: piecework's errors, and no data loss."""

import codecs
import errno
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework._io import temporary
from piecework._io.temporary import TemporaryFile

TRAINER = pw.WordPieceTrainer(vocab_size=60)
TOKENIZER = pw.train(["the cat sat on the mat"], TRAINER)
VOCABULARY = pw.Tokenizer.from_str("[UNK]\nthe\ncat\n")
COUNTS = pw.WordCounts({"a": 1})
NOBODY = 65534

READERS: dict[str, Callable[[Any], object]] = {
    "from_file": pw.Tokenizer.from_file,
    "load": pw.WordCounts.load,
    "train": lambda path: pw.train(pw.Corpus(path), TRAINER),
    "train, several": lambda path: pw.train(pw.Corpus([path]), TRAINER, threads=2),
    "train, latin-1": lambda path: pw.train(pw.Corpus(path, encoding="latin-1"), TRAINER),
    "train, auto": lambda path: pw.train(pw.Corpus(path, encoding="auto"), TRAINER),
    "from_texts": lambda path: pw.WordCounts.from_texts(pw.Corpus(path)),
}
WRITERS: dict[str, Callable[[Any], object]] = {
    "save": TOKENIZER.save,
    "save, vocab.txt": lambda path: VOCABULARY.save(path, "vocab.txt"),
    "counts": COUNTS.save,
}


@pytest.fixture(params=READERS)
def read(request: pytest.FixtureRequest) -> Callable[[Any], object]:
    return READERS[request.param]


@pytest.fixture(params=WRITERS)
def write(request: pytest.FixtureRequest) -> Callable[[Any], object]:
    return WRITERS[request.param]


# Reading


def test_missing_file_raises(read: Callable[[Any], object], tmp_path: Path) -> None:
    path = tmp_path / "missing.txt"
    for missing in (path, str(path), path / "deeper"):
        with pytest.raises(pw.errors.MissingFileError, match=r"missing\.txt") as caught:
            read(missing)
        assert isinstance(caught.value, FileNotFoundError | pw.PieceworkError)
        assert caught.value.errno == errno.ENOENT


def test_path_below_a_file_raises(read: Callable[[Any], object], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(pw.errors.FileError, match="file"):
        read(tmp_path / "file" / "deeper")


def test_reading_a_folder_raises(read: Callable[[Any], object], tmp_path: Path) -> None:
    """A folder is an error, or is read: then one without files is an error."""
    with pytest.raises(pw.errors.FileError, match="folder") as caught:
        read(tmp_path)
    assert isinstance(caught.value, IsADirectoryError | FileNotFoundError)


def test_path_with_nul_raises(read: Callable[[Any], object]) -> None:
    with pytest.raises(pw.PieceworkError):
        read("a\0b")


@pytest.fixture
def unprivileged_folder() -> Iterator[Path]:
    """Yields a folder of an unprivileged user; root, which may do everything, becomes that user."""
    if os.name == "nt":
        pytest.skip("permissions are those of POSIX")
    codecs.lookup("latin-1")  # import while the installed packages are still readable
    with tempfile.TemporaryDirectory() as name:
        root = os.geteuid() == 0
        if root:
            os.chown(name, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            yield Path(name)
        finally:
            if root:
                os.seteuid(0)


def test_file_without_permission_raises(
    read: Callable[[Any], object], unprivileged_folder: Path
) -> None:
    path = unprivileged_folder / "secret.txt"
    path.write_text("x", encoding="utf-8")
    path.chmod(0)
    with pytest.raises(pw.errors.FilePermissionError, match=r"secret\.txt") as caught:
        read(path)
    assert isinstance(caught.value, PermissionError)


def test_file_in_folder_without_permission_raises(
    read: Callable[[Any], object], unprivileged_folder: Path
) -> None:
    path = unprivileged_folder / "closed" / "text.txt"
    path.parent.mkdir()
    path.write_text("x", encoding="utf-8")
    path.parent.chmod(0)
    try:
        with pytest.raises(pw.errors.FilePermissionError, match=r"text\.txt"):
            read(path)
    finally:
        path.parent.chmod(0o700)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that fails to read")
def test_failing_read_raises(read: Callable[[Any], object]) -> None:
    """Even root can open this file but not read it."""
    with pytest.raises(pw.errors.FileError, match="/proc/self/mem"):
        read("/proc/self/mem")


def test_permission_errors_are_translated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "secret.txt"
    path.write_text("x", encoding="utf-8")

    def refuse(name: str, *arguments: Any, **more: Any) -> Any:
        raise PermissionError(errno.EACCES, "Permission denied", name)

    monkeypatch.setattr("piecework._io.files.open", refuse, raising=False)
    monkeypatch.setattr("piecework._io.opening.open", refuse, raising=False)
    for name in ("from_file", "load", "train, latin-1", "train, auto"):
        with pytest.raises(pw.errors.FilePermissionError, match="permission denied") as caught:
            READERS[name](path)
        assert isinstance(caught.value, PermissionError)


@pytest.mark.parametrize("text", ["", "\n", "  \n\n\t"])
def test_empty_file_raises(tmp_path: Path, text: str) -> None:
    path = tmp_path / "empty.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(pw.errors.FormatError, match=r"empty\.txt.*empty"):
        pw.Tokenizer.from_file(path)
    with pytest.raises(pw.errors.FormatError):
        pw.WordCounts.load(path)
    with pytest.raises(pw.errors.CountsError, match="empty corpus"):
        pw.train(pw.Corpus(path), TRAINER)
    assert len(pw.WordCounts.from_texts(pw.Corpus(path))) == 0


def test_no_files_raise() -> None:
    with pytest.raises(
        pw.errors.ConfigError, match="paths: expected at least one path, found none"
    ):
        pw.Corpus([])


@pytest.mark.parametrize(
    "texts",
    [[], [""], [" \n", "\x00"], {}, {"": 3}, {"a": 0}, iter(()), pw.WordCounts({})],
)
def test_empty_corpus_raises(texts: Any) -> None:
    with pytest.raises(pw.errors.CountsError, match="empty corpus") as caught:
        pw.train(texts, TRAINER)
    assert isinstance(caught.value, ValueError)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_words_of_a_pipe_are_counted(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    script = f"open({str(tmp_path / 'pipe')!r}, 'w').write('the cat\\nthe mat\\n' * 100000)"
    with subprocess.Popen([sys.executable, "-c", script]):
        counts = pw.WordCounts.from_texts(pw.Corpus(tmp_path / "pipe"))
    assert dict(counts.items()) == {"the": 200000, "cat": 100000, "mat": 100000}


# Bytes that are not text

GOOD = b"the cat sat\n" * 3


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize("lines", [0, 3, 90_000, 400_000])
def test_invalid_utf8_raises_with_position(tmp_path: Path, lines: int, threads: int) -> None:
    path = tmp_path / "broken.txt"
    before = b"the cat sat\n" * lines
    path.write_bytes(before + "é ".encode() + b"a\xffb\n" + b"fine\n" * 9 + b"\xfe\n" * 5)
    with pytest.raises(pw.errors.InvalidUtf8Error) as caught:
        pw.train(pw.Corpus(path), TRAINER, threads=threads)
    error = caught.value
    assert isinstance(error, UnicodeDecodeError)
    assert (error.line, error.byte) == (lines + 1, len(before) + 4)
    message = str(error)
    assert "broken.txt" in message
    assert f"line {lines + 1}" in message
    assert f"byte {len(before) + 4}" in message
    assert 'errors="replace"' in message


@pytest.mark.parametrize(
    "broken", [b"\xc3", b"\xe4\xb8", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x80"]
)
def test_every_kind_of_invalid_utf8_raises_or_is_replaced(tmp_path: Path, broken: bytes) -> None:
    path = tmp_path / "broken.txt"
    for data in (broken, GOOD + broken, b"a" + broken + b"b\n"):
        path.write_bytes(data)
        with pytest.raises(pw.errors.InvalidUtf8Error):
            pw.WordCounts.from_texts(pw.Corpus(path))
        counts = pw.WordCounts.from_texts(pw.Corpus(path, errors="replace"), normalizer=None)
        decoded = data.decode("utf-8", "replace").split("\n")
        assert counts == pw.WordCounts.from_texts(
            decoded[:-1] if data.endswith(b"\n") else decoded, normalizer=None
        )


@pytest.mark.parametrize("encoding", ["ascii", "utf-8-sig", "shift_jis", "utf-16"])
def test_broken_bytes_of_other_encodings_raise(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "broken.txt"
    text = "fine\nfine\n".encode(encoding)
    path.write_bytes(text + b"a\xff\xff\xff\n")
    with pytest.raises(pw.errors.InvalidUtf8Error, match=r"broken\.txt") as caught:
        pw.train(pw.Corpus(path, encoding=encoding), TRAINER)
    assert caught.value.line == 3
    assert re.search("line 3|after line 2", str(caught.value))
    replaced = pw.WordCounts.from_texts(pw.Corpus(path, encoding=encoding, errors="replace"))
    assert replaced["fine"] == 2


ENCODED = {
    "gbk": "我们都知道自然语言处理是人工智能的一个分支。\n今天天气很好，我们去公园散步吧。\n" * 20,
    "shift_jis": "吾輩は猫である。名前はまだ無い。\nどこで生れたかとんと見当がつかぬ。\n" * 20,
    "euc_kr": "안녕하세요. 오늘은 날씨가 좋습니다.\n한국어 문장을 토큰으로 나눕니다.\n" * 20,
    "windows-1251": "Съешь же ещё этих мягких французских булок, да выпей чаю.\n" * 20,
    "latin-1": "Der Fuß der Bäume: größer, schöner, übrigens naïve cafés.\n" * 20,
    "utf-8": "naïve café, 中文, Ελληνικά\n" * 20,
    "utf-8-sig": "naïve café, 中文, Ελληνικά\n" * 20,
    "utf-16": "naïve café, 中文, Ελληνικά\n" * 20,
    "ascii": "plain words, no more\n" * 20,
}


@pytest.mark.parametrize("encoding", ENCODED)
def test_encoding_is_detected(tmp_path: Path, encoding: str) -> None:
    text = ENCODED[encoding]
    path = tmp_path / "text.txt"
    path.write_bytes(text.encode(encoding))
    found = pw.WordCounts.from_texts(pw.Corpus(path, encoding="auto"))
    wanted = pw.WordCounts.from_texts(text.removesuffix("\n").split("\n"))
    assert found == wanted
    assert pw.WordCounts.from_texts(pw.Corpus(path, encoding=encoding)) == wanted
    assert pw.train(pw.Corpus(path, encoding="auto"), pw.WordPieceTrainer(300)) == pw.train(
        wanted, pw.WordPieceTrainer(300)
    )


@pytest.mark.parametrize("encoding", ["utf-9", "nonsense", "", "hex", "rot13", "base64"])
def test_unknown_encoding_raises(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "text").write_bytes(GOOD)
    with pytest.raises(pw.errors.ConfigError, match="encoding") as caught:
        pw.train(pw.Corpus(tmp_path / "text", encoding=encoding), TRAINER)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "auto"])
def test_unknown_error_handler_raises(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "text").write_bytes(GOOD + b"\xff\n")
    with pytest.raises(pw.errors.ConfigError, match="nonsense"):
        pw.train(pw.Corpus(tmp_path / "text", encoding=encoding, errors="nonsense"), TRAINER)


def test_only_line_feeds_end_lines(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes("a\r\nb\nc\x0bd\u2028e\rf".encode())
    settings: dict[str, Any] = {"normalizer": None, "pre_tokenizer": None}
    for encoding in ("utf-8", "utf-8-sig", "auto"):
        counts = pw.WordCounts.from_texts(
            pw.Corpus(tmp_path / "text", encoding=encoding), **settings
        )
        assert list(counts) == ["a", "b", "c\x0bd\u2028e\rf"]


# Writing


def check_no_loss(folder: Path, path: Path) -> None:
    assert path.read_text(encoding="utf-8") == "old"
    assert [entry.name for entry in folder.iterdir()] == [path.name]


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "kept.json"
    path.write_text("old", encoding="utf-8")
    return path


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk_keeps_the_old_file(
    write: Callable[[Any], object], old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Simulates a full disk on the temporary file."""
    real = TemporaryFile._with_name

    def on_a_full_disk(self: TemporaryFile, mode: int) -> tuple[int, str]:
        handle, name = real(self, mode)
        os.unlink(name)
        os.symlink("/dev/full", name)
        return handle, name

    monkeypatch.setattr(temporary, "_without_name", lambda folder, mode: None)
    monkeypatch.setattr(TemporaryFile, "_with_name", on_a_full_disk)
    with pytest.raises(pw.errors.FileError, match=r"kept\.json.*no space") as caught:
        write(old)
    assert caught.value.errno == errno.ENOSPC
    check_no_loss(old.parent, old)


@pytest.mark.parametrize(
    "step",
    [
        f"{kind} {call}"
        for kind in ("named", *(["unnamed"] if hasattr(os, "O_TMPFILE") else []))
        for call in ("fsync", "replace", "chmod", *(["link"] if kind == "unnamed" else []))
    ],
)
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT])
def test_failure_at_any_step_keeps_the_old_file(
    write: Callable[[Any], object],
    old: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    number: int,
) -> None:
    kind, call = step.split()
    if kind == "named":
        monkeypatch.setattr(temporary, "_without_name", lambda folder, mode: None)

    def fail(*arguments: Any, **more: Any) -> Any:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(pw.errors.FileError, match=r"kept\.json") as caught:
        write(old)
    monkeypatch.undo()
    assert caught.value.errno == number
    check_no_loss(old.parent, old)


def test_ctrl_c_while_writing_keeps_the_old_file(
    write: Callable[[Any], object], old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*arguments: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(old)
    check_no_loss(old.parent, old)


def test_writing_to_folder_without_permission_raises(
    write: Callable[[Any], object], unprivileged_folder: Path
) -> None:
    path = unprivileged_folder / "kept.json"
    path.write_text("old", encoding="utf-8")
    unprivileged_folder.chmod(0o500)
    try:
        with pytest.raises(pw.errors.FilePermissionError, match=r"kept\.json"):
            write(path)
    finally:
        unprivileged_folder.chmod(0o700)
    check_no_loss(unprivileged_folder, path)


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.EPERM])
def test_writing_to_read_only_folder_raises(
    write: Callable[[Any], object], old: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*arguments: Any, **more: Any) -> Any:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(temporary, "_without_name", lambda folder, mode: None)
    monkeypatch.setattr(TemporaryFile, "_with_name", refuse)
    with pytest.raises(pw.errors.FilePermissionError, match=r"kept\.json") as caught:
        write(old)
    assert isinstance(caught.value, PermissionError)
    check_no_loss(old.parent, old)


def test_writing_to_missing_folder_raises(write: Callable[[Any], object], tmp_path: Path) -> None:
    with pytest.raises(pw.errors.MissingFileError, match=r"new\.json"):
        write(tmp_path / "missing" / "new.json")


def test_writing_to_a_folder_path_raises(write: Callable[[Any], object], tmp_path: Path) -> None:
    with pytest.raises(pw.errors.NotAFileError):
        write(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_writing_to_a_pipe_does_not_replace_it(
    write: Callable[[Any], object], tmp_path: Path
) -> None:
    """A pipe represents /dev/stdout and /dev/null, which root could overwrite."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write(path)
    except pw.PieceworkError:
        pass
    finally:
        os.close(reader)
    assert path.is_fifo()
