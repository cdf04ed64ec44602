"""The profiles of Hypothesis apply to every random test."""

import re

import pytest
from hypothesis import given, settings, strategies as st

from paths import REPOSITORY
from profiles import PROFILE, examples, scaled


@pytest.mark.parametrize(("profile", "number"), [("quick", 30), ("ci", 150), ("fuzz", 150_000)])
def test_profiles_multiply_the_examples(profile: str, number: int) -> None:
    assert scaled(300, profile) == number
    assert settings.get_profile(profile).max_examples == number // 3


def test_every_profile_tries_something() -> None:
    assert scaled(1, "quick") == 1


def test_a_test_tries_the_examples_of_the_profile() -> None:
    tried = []

    @examples(50)
    @given(st.integers())
    def run(number: int) -> None:
        tried.append(number)

    run()
    assert len(tried) == scaled(50, PROFILE)


def test_no_test_overrides_the_profile() -> None:
    setting = re.compile(r"\bmax_examples=")
    files = (REPOSITORY / "tests").rglob("*.py")
    assert [path.name for path in files if setting.search(path.read_text("utf-8"))] == [
        "profiles.py"
    ]
