"""Numbers of a tokenizer.json as `tokenizers` reads them: not the nearest float, but one that is quick to get.

    -15.774467468261719  ->  15774467468261719 / 10**15  ->  -15.77446746826172

The digits are one integer, and a power of ten divides it or is multiplied with it, each rounded. One score
in eight comes out as the neighbour of the right one, and sums of scores then tie otherwise.

Rules with numbers, such as U45, are those of `spec/unigram.md`.
"""

MOST = 2**64
LEAST_EXPONENT = -308


def read(number: str) -> float:
    """Reads a number (U45); `json.loads(text, parse_float=read)` reads a whole file so.

    Args:
        number: A number as JSON has it.

    Returns:
        The float that `tokenizers` makes of it.

    >>> read("-15.774467468261719"), float("-15.774467468261719")
    (-15.77446746826172, -15.774467468261719)
    """
    mantissa, _, exponent = number.lower().removeprefix("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits, significand, taken = whole + fraction, 0, 0
    while taken < len(digits) and (longer := 10 * significand + int(digits[taken])) < MOST:
        significand, taken = longer, taken + 1
    value = _scaled(float(significand), int(exponent or 0) + len(whole) - taken)
    return -value if number.startswith("-") else value


def _scaled(value: float, exponent: int) -> float:
    while exponent < LEAST_EXPONENT and value:
        value, exponent = value / 1e308, exponent - LEAST_EXPONENT
    if exponent < 0:
        return value / float(f"1e{-exponent}")
    return value * float(f"1e{exponent}")
