"""The checks of the thesis' findings hold on a grid made to have them, and fail on one in which each is broken."""

import copy
import unittest

import thesis_findings as findings

ITERATIONS, BANDWIDTH = 10, 250e6  # bytes/s


def made_up_row(model: str, algorithm: str, workers: int) -> dict[str, str]:
    """Closed forms: computing takes a fifth of sending the model once, so every model is communication-bound."""
    size = 4 * findings.PARAMETERS[model]
    compute = size / BANDWIDTH / 5
    ring = algorithm == "ring"
    sent = (2 * (workers - 1) / workers if ring else 1) * size * ITERATIONS
    exposed = (0.3 * (workers - 1) / workers if ring else 2 * workers) * size / BANDWIDTH
    alone = compute + (0 if ring else 2 * size / BANDWIDTH)
    return {"model": model, "algorithm": algorithm, "workers": str(workers), "iterations": str(ITERATIONS),
            "speedup": str(workers * alone / (compute + exposed)), "compute_s": str(compute),
            "exposed_communication_s": str(exposed), "sent_bytes_per_worker": str(sent),
            "server_sent_bytes": "" if ring else str(workers * size * ITERATIONS)}


class FindingsCanFailTest(unittest.TestCase):
    def setUp(self):
        self.rows = [made_up_row(m, a, n) for m in findings.PARAMETERS for a in findings.ALGORITHMS
                     for n in findings.WORKERS]

    def changed(self, algorithm: str, workers: int, **figures: float) -> findings.Grid:
        rows = copy.deepcopy(self.rows)
        row = next(r for r in rows if (r["model"], r["algorithm"], r["workers"])
                   == ("vgg16", algorithm, str(workers)))
        row.update({column: str(figure) for column, figure in figures.items()})
        return findings.Grid(rows)

    def test_all_hold_as_made(self):
        grid = findings.Grid(self.rows)
        self.assertEqual(grid.missing(), [])
        self.assertEqual(set(grid.communication_bound()), set(findings.PARAMETERS))
        for check in (findings.parameter_server_levels_off, findings.server_traffic_grows_in_proportion,
                      findings.ring_sends_the_least_possible, findings.ring_keeps_growing):
            self.assertEqual(check(grid), [])

    def test_a_missing_row(self):
        self.assertEqual(findings.Grid(self.rows[:-1]).missing(), ["resnet152, ring, 6 workers: no such row"])

    def test_a_speedup_that_does_not_level_off(self):
        problems = findings.parameter_server_levels_off(self.changed("parameter_server", 6, speedup=2))
        self.assertEqual(len(problems), 1)
        self.assertRegex(problems[0], "^vgg16: the 6th worker adds 0.9")

    def test_server_traffic_out_of_proportion(self):
        problems = findings.server_traffic_grows_in_proportion(
            self.changed("parameter_server", 6, server_sent_bytes=1.02 * 6 * 4 * 138_357_544 * ITERATIONS))
        self.assertRegex("".join(problems), "^vgg16: server_sent_bytes / workers is ")

    def test_no_server_traffic_at_all(self):
        rows = [row | {"server_sent_bytes": "0"} if row["algorithm"] != "ring" else row for row in self.rows]
        self.assertEqual(len(findings.server_traffic_grows_in_proportion(findings.Grid(rows))), 5)

    def test_ring_sends_more_than_the_least(self):
        least = 2 * 3 / 4 * 4 * 138_357_544 * ITERATIONS
        problems = findings.ring_sends_the_least_possible(
            self.changed("ring", 4, sent_bytes_per_worker=1.002 * least))
        self.assertRegex("".join(problems), "^vgg16, 4 workers: sends ")

    def test_ring_that_stops_growing(self):
        stopped = float(next(r["speedup"] for r in self.rows if (r["model"], r["algorithm"], r["workers"])
                             == ("vgg16", "ring", "5")))
        problems = findings.ring_keeps_growing(self.changed("ring", 6, speedup=stopped))
        self.assertRegex("".join(problems), "^vgg16: ring's speed-up goes from .* with worker 6$")

    def test_an_empty_figure(self):
        with self.assertRaisesRegex(AssertionError, "speedup is empty"):
            findings.ring_keeps_growing(self.changed("ring", 3, speedup=""))


if __name__ == "__main__":
    unittest.main()
