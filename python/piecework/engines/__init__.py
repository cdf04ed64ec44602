"""Runs the parts of a job: on this machine, or on a cluster.

An engine only transports calls. That every part counts once is up to the job: a part is a pure function of its input, which
writes its files under temporary names and renames them, so that a second attempt changes nothing.
"""

from piecework import _lazy

__getattr__, __dir__, __all__ = _lazy.lazily(
    __name__,
    {
        "_engine": "Engine check_engine connected",
        "_local": "Local",
        "_ray": "Ray",
        "_spark": "Spark",
    },
)
