"""Profiles of Hypothesis: how many examples the random tests try.

HYPOTHESIS_PROFILE names the profile. A `max_examples` in a test would override it, so tests state their number by
`@examples(300)`, which the profile multiplies: `make test` tries half of it.
"""

import os

from hypothesis import HealthCheck, settings

# The factors of the profiles: `quick` for `make check`, `ci` for `make test`, `fuzz` for `make fuzz`.
FACTORS = {"quick": 0.1, "ci": 0.5, "fuzz": 500}
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")
DEFAULT = 100  # examples of a test that states no number


def scaled(number: int, profile: str = PROFILE) -> int:
    """Returns the number of examples that a profile tries of a test that states a number."""
    return max(1, round(number * FACTORS[profile]))


def examples(number: int) -> settings:
    """Returns a decorator: the test tries `number` examples, multiplied by the profile."""
    return settings(max_examples=scaled(number))


# `quick` and `ci` try the same examples on every machine, so that only a change of the code can fail; `fuzz`
# tries new ones. There is no deadline, since the machine is shared.
settings.register_profile(
    "ci",
    max_examples=scaled(DEFAULT, "ci"),
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=True,
)
settings.register_profile(
    "quick", settings.get_profile("ci"), max_examples=scaled(DEFAULT, "quick")
)
settings.register_profile(
    "fuzz",
    deadline=None,
    max_examples=scaled(DEFAULT, "fuzz"),
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(PROFILE)
