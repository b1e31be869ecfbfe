"""The findings of "Comparison of distributed training architecture for CNN in cloud" (2019) as checks of a summary.csv.

Each check returns the lines that say where a finding does not hold; none where it does. A figure that is missing is a
failure too: a finding can't hold on what was not measured.
"""

WORKERS = range(1, 7)
ALGORITHMS = ("parameter_server", "ring")

# Of the published models: 4 bytes each.
PARAMETERS = {
    "alexnet": 61_100_840,
    "vgg16": 138_357_544,
    "vgg19": 143_667_240,
    "resnet50": 25_557_032,
    "resnet152": 60_192_808,
}

# The gain of the 6th worker over that of the 2nd. Where sending takes time proportional to the workers, c(N) = N a beside
# computing time C, it is (C+a)(C+2a) / ((C+6a)(C+5a)): below 0.42 once communication takes longer than computing (6a > C).
MOST_MARGINAL_GAIN = 0.5


class Grid:
    """Rows of summary.csv by model, algorithm and workers."""

    def __init__(self, rows: list[dict[str, str]]):
        self._rows = {(row["model"], row["algorithm"], int(row["workers"])): row for row in rows}
        self.models = list(dict.fromkeys(row["model"] for row in rows))

    def missing(self) -> list[str]:
        points = [(m, a, n) for m in self.models for a in ALGORITHMS for n in WORKERS]
        return [f"{m}, {a}, {n} workers: no such row" for m, a, n in points if (m, a, n) not in self._rows]

    def figure(self, column: str, model: str, algorithm: str, workers: int) -> float:
        cell = self._rows[model, algorithm, workers][column]
        if not cell:
            raise AssertionError(f"{model}, {algorithm}, {workers} workers: {column} is empty")
        return float(cell)

    def communication_bound(self) -> list[str]:
        """Models that wait longer than they compute with 6 workers and a parameter server."""
        point = ("parameter_server", 6)
        return [m for m in self.models
                if self.figure("exposed_communication_s", m, *point) > self.figure("compute_s", m, *point)]


def parameter_server_levels_off(grid: Grid) -> list[str]:
    problems = []
    for model in grid.communication_bound():
        s = {n: grid.figure("speedup", model, "parameter_server", n) for n in WORKERS}
        second, sixth = s[2] - s[1], s[6] - s[5]
        if not sixth < MOST_MARGINAL_GAIN * second:
            problems.append(f"{model}: the 6th worker adds {sixth:.3f}, the 2nd {second:.3f}")
    return problems


def server_traffic_grows_in_proportion(grid: Grid) -> list[str]:
    problems = []
    for model in grid.models:
        share = [grid.figure("server_sent_bytes", model, "parameter_server", n) / n for n in WORKERS]
        if not 0 < max(share) <= 1.01 * min(share):
            problems.append(f"{model}: server_sent_bytes / workers is {min(share):.0f} to {max(share):.0f}")
    return problems


def ring_sends_the_least_possible(grid: Grid) -> list[str]:
    """2(N-1)/N of the model an iteration."""
    problems = []
    for model in grid.models:
        size = 4 * PARAMETERS[model]
        for n in WORKERS:
            total = grid.figure("sent_bytes_per_worker", model, "ring", n)
            sent = total / grid.figure("iterations", model, "ring", n)
            least = 2 * (n - 1) / n * size
            if not abs(sent - least) <= 1e-3 * least:
                problems.append(f"{model}, {n} workers: sends {sent:.0f} bytes an iteration, 2(N-1)/N is {least:.0f}")
    return problems


def ring_keeps_growing(grid: Grid) -> list[str]:
    """Every worker from the third on raises the speed-up. The second one, with which communication begins, does so wherever
    an iteration waits no longer than it computes: sending 2(N-1)/N of a model grows by ever less with N, but its first half
    at N = 2 is a price that no faster computing pays back for AlexNet and VGG at 2 Gbit/s."""
    problems = []
    for model in grid.models:
        s = {n: grid.figure("speedup", model, "ring", n) for n in WORKERS}
        waits = grid.figure("exposed_communication_s", model, "ring", 2)
        first = 2 if waits <= grid.figure("compute_s", model, "ring", 2) else 3
        problems += [f"{model}: ring's speed-up goes from {s[n - 1]:.3f} to {s[n]:.3f} with worker {n}"
                     for n in WORKERS if n >= first and not s[n] > s[n - 1]]
    return problems


def ring_beats_parameter_server(grid: Grid) -> list[str]:
    """At every number of workers from 2 on."""
    return [f"{model}, {n} workers: ring's speed-up is not above the parameter server's"
            for model in grid.models for n in WORKERS if n > 1
            and not grid.figure("speedup", model, "ring", n) > grid.figure("speedup", model, "parameter_server", n)]
