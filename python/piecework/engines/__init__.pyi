"""Runs the parts of a job: on this machine, or on a cluster."""

from piecework.engines._engine import (
    Engine as Engine,
    check_engine as check_engine,
    connected as connected,
)
from piecework.engines._local import Local as Local
from piecework.engines._ray import Ray as Ray
from piecework.engines._spark import Spark as Spark
