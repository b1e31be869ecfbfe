"""The table of a trace's messages and collectives."""

import json
import tempfile
import unittest
from pathlib import Path

import context  # noqa: F401  (which puts analysis/ on the path)
from communication import bus_share, read_operations, size_text
from results import ResultError

MS = 1e3  # microseconds


class CommunicationTest(unittest.TestCase):
    def operations(self, workers: int, *spans: tuple, environment: dict | None = None) -> list[tuple]:
        """Of spans (rank, name, begin, duration, bytes, message); times in ms."""
        events = [{"ph": "X", "tid": 2, "name": name, "ts": begin * MS, "dur": duration * MS,
                   "args": {"point": 0, "rank": rank, "bytes": round(size), "message": message}}
                  for rank, name, begin, duration, size, message in spans]
        scenario = {"algorithm": {"name": "ring"}, "workers": workers, "model": "x"}
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "run.json").write_text(json.dumps({"points": [{"scenario": scenario, "environment": environment or {}}]}))
            (Path(folder) / "trace.json").write_text(json.dumps({"traceEvents": events}))
            return [(one.name, one.members, one.count, one.bytes, round(one.seconds, 9), round(one.bus_bytes_per_s()))
                    for one in read_operations(folder)]

    def test_a_message_is_counted_once_from_when_both_were_there(self):
        self.assertEqual(self.operations(2, (0, "send", 2, 4, 1e6, 1), (1, "receive", 0, 6, 1e6, 1),
                                         (1, "send", 6, 1, 1e6, 2), (0, "receive", 6, 1, 1e6, 2)),
                         [("message", 2, 2, 2e6, 0.005, 4e8)])

    def test_of_a_message_that_shows_one_side_that_counts(self):
        self.assertEqual(self.operations(2, (0, "send", 0, 2, 1000, 1)), [("message", 2, 1, 1000, 0.002, 5e5)])

    def test_an_all_reduce_sends_almost_twice_its_size(self):
        # Clocks that disagree by 50 ms: who came last saw 3 ms of it.
        spans = [(rank, "ring", 50 * rank, duration, 1e6, 9) for rank, duration in enumerate((6, 5, 4, 3))]
        self.assertEqual(self.operations(4, *spans), [("ring", 4, 1, 1e6, 0.003, 5e8)])

    def test_of_a_collective_whose_members_are_not_all_shown(self):
        spans = [(rank, "ring_all_gather", 0, 1, 1e6, 9) for rank in range(4)]
        self.assertEqual(self.operations(100, *spans), [("ring_all_gather", 100, 1, 1e6, 0.001, 99e7)])

    def test_groups_of_workers_are_operations_of_their_own(self):
        spans = [(rank, "ring", 0, 1, 1e6, 1 + rank // 2) for rank in range(4)]
        self.assertEqual(self.operations(4, *spans), [("ring", 2, 2, 2e6, 0.002, 1e9)])

    def test_of_workers_of_whom_some_were_lost_those_that_were_left_take_part(self):
        spans = [(rank, "ring", 0, 1, 1e6, 1) for rank in range(2)]
        self.assertEqual(self.operations(3, *spans, environment={"recorded_workers": 2}), [("ring", 2, 1, 1e6, 0.001, 1e9)])
        for odd in (0, 4, "2", None):
            with self.assertRaisesRegex(ResultError, "run.json: not as this tandem writes it; .*recorded_workers: it can't be "):
                self.operations(3, *spans, environment={"recorded_workers": odd})

    def test_a_collective_of_one_is_no_communication(self):
        self.assertEqual(self.operations(1, (0, "ring", 0, 0, 1e6, 1)), [])

    def test_sizes_are_told_apart_by_powers_of_ten(self):
        lines = self.operations(2, *((0, "send", 0, 1, size, size) for size in (1000, 1001, 10000)))
        self.assertEqual([(count, size) for _, _, count, size, _, _ in lines], [(1, 1000), (2, 11001)])
        self.assertEqual([size_text(power) for power in (0, 1, 4, 6)],
                         ["1 byte", "1\u201310 bytes", "1\u201310 kB", "100 kB\u20131 MB"])

    def test_what_each_operation_has_to_send(self):
        self.assertEqual([bus_share(name, 4) for name in (
            "message", "binomial_broadcast", "ring", "hierarchical", "ring_all_gather", "ring_reduce_scatter",
            "pairwise_all_to_all")], [1, 1, 1.5, 1.5, 0.75, 0.75, 0.75])


if __name__ == "__main__":
    unittest.main()
