"""Numbers of a tokenizer.json as `tokenizers` parses them: fast, and not always the nearest float.

    -15.774467468261719  ->  15774467468261719 / 10**15  ->  -15.77446746826172

The digits form one integer, which is divided or multiplied by a power of ten, each rounded. One
score in eight is off by one unit in the last place, so other sums of scores tie.

Rules with numbers, such as U45, are those of `spec/unigram.md`.
"""

SIGNIFICAND_LIMIT = 2**64
LEAST_EXPONENT = -308


def parse(number: str) -> float:
    """Parses a number (U45); `json.loads(text, parse_float=parse)` parses a whole file this way.

    Source: `serde_json` without its `float_roundtrip` feature.

    Args:
        number: A number in JSON syntax.

    Returns:
        The float that `tokenizers` reads.

    >>> parse("-15.774467468261719"), float("-15.774467468261719")
    (-15.77446746826172, -15.774467468261719)
    """
    mantissa, _, exponent = number.lower().removeprefix("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits, significand, taken = whole + fraction, 0, 0
    while (
        taken < len(digits)
        and (longer := 10 * significand + int(digits[taken])) < SIGNIFICAND_LIMIT
    ):
        significand, taken = longer, taken + 1
    value = _scale(float(significand), int(exponent or 0) + len(whole) - taken)
    return -value if number.startswith("-") else value


def _scale(value: float, exponent: int) -> float:
    while exponent < LEAST_EXPONENT and value:
        value, exponent = value / 1e308, exponent - LEAST_EXPONENT
    if exponent < 0:
        return value / float(f"1e{-exponent}")
    return value * float(f"1e{exponent}")
