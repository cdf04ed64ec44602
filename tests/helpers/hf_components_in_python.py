"""Components in Python that pickles find by their names."""

from piecework.hf import NormalizedString, PreTokenizedString


class Upper:
    """Uppercases the text."""

    def normalize(self, text: NormalizedString) -> None:
        text.uppercase()


class Split:
    """Splits at hyphens."""

    def pre_tokenize(self, text: PreTokenizedString) -> None:
        text.split(lambda number, part: part.split("-", "removed"))
