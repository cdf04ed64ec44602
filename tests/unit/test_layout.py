"""The folders of the tests: no two files of one name."""

from collections import Counter

from paths import REPOSITORY

FILES = sorted((REPOSITORY / "tests").rglob("test_*.py"))


def test_no_two_test_files_have_one_name() -> None:
    names = Counter(path.name for path in FILES)
    assert len(FILES) > 100
    assert [name for name, number in names.items() if number > 1] == []
