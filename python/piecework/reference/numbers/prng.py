"""Pseudo-random numbers that are equal on every machine, seeded for each input of a call.

Rules with numbers, such as B10, are those of `spec/bpe.md`.
"""

GAMMA = 0x9E3779B97F4A7C15
MASK = 2**64 - 1


class SplitMix64:
    """Generates pseudo-random numbers of 64 bits, equal in every language (B10).

    Source: Steele, Lea and Flood 2014. Cost: constant for each number.

    Args:
        state: The initial state.

    >>> [hex(SplitMix64(0).draw()), hex(SplitMix64.for_input(0, 0).state)]
    ['0xe220a8397b1dcdaf', '0xe220a8397b1dcdaf']
    """

    def __init__(self, state: int) -> None:
        self.state = state

    @classmethod
    def for_input(cls, seed: int, number: int) -> "SplitMix64":
        """Returns the generator of one input of a call (B11).

        Args:
            seed: The seed of the call, below 2⁶⁴.
            number: The index of the input in the call, from 0.

        Returns:
            A generator of its own.

        >>> SplitMix64.for_input(7, 1).state == [g := SplitMix64(7), g.draw(), g.draw()][2]
        True
        """
        return cls(cls(seed + number * GAMMA).draw())

    def draw(self) -> int:
        """Returns the next number, from 0 to below 2⁶⁴.

        >>> generator = SplitMix64(1)
        >>> generator.draw() == generator.draw()
        False
        """
        self.state = (self.state + GAMMA) & MASK
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        return z ^ z >> 31

    def draw_bool(self, probability: float) -> bool:
        """Returns True with a given probability.

        >>> SplitMix64(0).draw_bool(0.5), SplitMix64(0).draw_bool(1.0)
        (False, True)
        """
        return self.draw() >> 11 < int(probability * 2**53)

    def draw_fraction(self) -> float:
        """Returns a number from 0 to below 1, a multiple of 2⁻⁵³.

        >>> SplitMix64(0).draw_fraction()
        0.8833108082136426
        """
        return (self.draw() >> 11) * 2.0**-53
