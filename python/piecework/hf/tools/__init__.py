"""Provides tools that show encodings.

>>> from piecework.hf.tools import Annotation
>>> Annotation(start=0, end=5, label="name").label
'name'
"""

from piecework.hf.tools.visualizer import Annotation, EncodingVisualizer

__all__ = ["Annotation", "EncodingVisualizer"]
