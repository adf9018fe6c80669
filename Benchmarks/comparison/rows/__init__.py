"""The rows. A row is a function in a file here that takes a Bench and yields Figures; `@row` registers it."""

import importlib
import pkgutil
from dataclasses import dataclass
from pathlib import Path

from ..contenders import Call, Command, LibraryAlone, Measured
from ..figures import Figure, alternating, value

ROWS = {}


def row(name):
    def register(function):
        ROWS[name] = function
        return function

    return register


def load():
    """Imports every file of this folder, which registers its rows."""
    for module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
        importlib.import_module(f"{__name__}.{module}")
    return ROWS


@dataclass
class Bench:
    """What a row measures with."""

    name: str
    rounds: int
    folder: Path

    def times(self, title, ours, *peers, alone=None, goal=None, agreement=None, rounds=None):
        """A figure of times. `alone` is the library that ours calls, without ours. `agreement` is called after the runs and returns
        what to say and whether it agrees."""
        contenders = [ours, *peers, *([alone] if alone else [])]
        samples = alternating(contenders, rounds or self.rounds)
        said, agrees = agreement() if agreement else ("", True)
        values = [value(who, them, lambda sample: sample.seconds) for who, them in zip(contenders, samples)]
        figure = Figure(
            self.name, title, "ms", values[0], values[1:1 + len(peers)], goal, alone=values[-1] if alone else None,
            agreement=said, agrees=agrees)
        for contender in contenders:
            contender.close()
        return figure


__all__ = ["Bench", "Call", "Command", "Figure", "LibraryAlone", "Measured", "ROWS", "load", "row"]
