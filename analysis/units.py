"""Units that keep an axis' numbers short: (name, how many base units it is), the largest first."""

SECONDS = [("s", 1), ("ms", 1e-3), ("\N{MICRO SIGN}s", 1e-6)]
COUNTS = [("million", 1e6), ("thousand", 1e3), ("", 1)]
BYTES = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("bytes", 1)]


def fitting(most: float, units: list[tuple[str, float]]) -> tuple[str, float]:
    """The largest unit that `most` is at least one of; the smallest where it is less than any."""
    return next((unit for unit in units if most >= unit[1]), units[-1])
