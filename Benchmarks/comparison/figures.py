"""Figures: what a row found, and how it stands to its goal."""

import statistics
from dataclasses import asdict, dataclass, field


@dataclass
class Value:
    """What one contender needed: the median of its samples."""

    name: str
    median: float
    samples: list[float] = field(default_factory=list)


# The share of a library's time that Tessera may take where the library alone misses the goal.
SHARE_OF_LIBRARY = 1.05


@dataclass
class Figure:
    """One line of the table: ours, the peers', and ours as a share of the first peer's (or of a fixed bound).

    `alone` is the library that ours calls, without ours. Where it misses the goal, so does everything that calls it, and the
    goal is a share of its time."""

    row: str
    title: str
    unit: str
    ours: Value
    peers: list[Value] = field(default_factory=list)
    goal: float | None = None
    bound: float | None = None
    alone: Value | None = None
    agreement: str = ""
    agrees: bool = True

    @property
    def ratio(self):
        against = self.bound if self.bound is not None else self.peers[0].median if self.peers else None
        return None if not against else self.ours.median / against

    @property
    def holds(self):
        if not self.agrees:
            return False
        limit = 1 if self.bound is not None else self.goal
        if limit is None or self.ratio <= limit:
            return True
        return self.is_bound_by_library and self.ours.median <= SHARE_OF_LIBRARY * self.alone.median

    @property
    def is_bound_by_library(self):
        """Whether the library alone misses the goal."""
        return self.alone is not None and self.goal is not None and self.alone.median > self.goal * self.peers[0].median

    def as_json(self):
        return asdict(self) | {
            "ratio": self.ratio, "holds": self.holds, "is_bound_by_library": self.is_bound_by_library}


def value(contender, samples, quantity):
    readings = [quantity(sample) for sample in samples]
    return Value(contender.name, statistics.median(readings), readings)


def alternating(contenders, rounds):
    """Runs the contenders in turn, A B A B; a first round warms caches and is not counted."""
    samples = [[] for _ in contenders]
    for number in range(rounds + 1):
        for place, contender in enumerate(contenders):
            sample = contender.run()
            if number:
                samples[place].append(sample)
    return samples


UNITS = {
    "ns": lambda number: f"{number * 1e9:.0f} ns",
    "ms": lambda number: f"{number * 1000:.1f} ms",
    "MB": lambda number: f"{number / 1e6:.1f} MB",
    "kB": lambda number: f"{number / 1e3:.0f} kB",
}


def table(figures):
    """The figures as text, a line each and a line more for each further peer."""
    lines = [["", "Tessera", "peer", "", "ratio", "goal", ""]]
    for figure in figures:
        shown = UNITS[figure.unit]
        ratio = "" if figure.ratio is None else f"{figure.ratio:.2f}"
        goal, against = "", ["", ""]
        if figure.bound is not None:
            goal, against = "≤ 1", [shown(figure.bound), "bound"]
        elif figure.goal is not None:
            goal = f"≤ {figure.goal:g}"
        peers = [[shown(peer.median), peer.name] for peer in figure.peers] or [against]
        verdict = "" if not goal else "holds" if figure.holds else "misses"
        if not figure.agrees:
            verdict = "DISAGREES"
        lines.append([figure.title, shown(figure.ours.median), *peers[0], ratio, goal, verdict])
        rest = figure.peers[1:] + ([figure.alone] if figure.alone else [])
        for value in rest:
            lines.append(["", "", shown(value.median), value.name, f"{figure.ours.median / value.median:.2f}", "", ""])
        if figure.is_bound_by_library and figure.ratio > figure.goal:
            share = figure.alone.median / figure.peers[0].median
            lines.append([
                f"    bound: the library alone takes {share:.2f} of the peer's, so the goal is {SHARE_OF_LIBRARY:g} of the "
                "library's", *[""] * 6])
        if figure.agreement:
            lines.append([f"    outputs: {figure.agreement}", *[""] * 6])
    widths = [max(len(line[column]) for line in lines if any(line[1:])) for column in range(7)]
    text = []
    for line in lines:
        cells = [
            cell.rjust(width) if column in (1, 2, 4) else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths))
        ]
        text.append("  ".join(cells).rstrip())
    return "\n".join(text)
