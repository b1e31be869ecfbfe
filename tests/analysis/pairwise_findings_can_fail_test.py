"""The checks of the pairwise report's findings hold on a table made to have them, and fail on one in which each is broken."""

import unittest

import pairwise_findings as findings


def made_up_row(workers: int, passes: int) -> dict[str, str]:
    iterations = findings.iterations_of(workers, passes)
    moved = passes * iterations * findings.MODEL_BYTES * (workers - workers % 2) / workers
    return {"algorithm": f"pairwise_averaging_{passes}", "workers": str(workers), "iterations": str(iterations),
            "sent_bytes_per_worker": str(moved), "received_bytes_per_worker": str(moved),
            "accuracy": str(iterations / 30)}


class PairwiseFindingsCanFailTest(unittest.TestCase):
    def setUp(self):
        self.rows = [made_up_row(n, passes) for n in findings.WORKERS for passes in range(1, n + 1)]

    def changed(self, workers: int, passes: int, **figures: float) -> findings.Table:
        row = next(r for r in self.rows if (r["workers"], r["algorithm"])
                   == (str(workers), f"pairwise_averaging_{passes}"))
        row.update({column: str(figure) for column, figure in figures.items()})
        return findings.Table(self.rows)

    def test_all_hold_as_made(self):
        table = findings.Table(self.rows + [{"algorithm": "none", "workers": "1"}])
        self.assertEqual(len(self.rows), 20)
        for problems in (table.missing(), findings.a_pass_moves_the_model_once(table),
                         findings.more_passes_never_send_fewer_bytes(table),
                         findings.accuracy_recovers_with_iterations(table)):
            self.assertEqual(problems, [])

    def test_a_missing_row_and_one_of_other_iterations(self):
        self.assertEqual(findings.Table(self.rows[:-1]).missing(),
                         ["6 workers, 6 passes, 12 iterations: no such row"])
        self.assertEqual(self.changed(5, 1, iterations=25).missing(),
                         ["5 workers, 1 passes, 24 iterations: no such row"])

    def test_bytes_that_no_pass_moves(self):
        problems = findings.a_pass_moves_the_model_once(self.changed(4, 2, received_bytes_per_worker=1))
        self.assertEqual(len(problems), 1)
        self.assertRegex(problems[0], "^4 workers, 2 passes: received_bytes_per_worker is 1, not ")

    def test_a_pass_more_that_sends_less(self):
        self.assertEqual(findings.more_passes_never_send_fewer_bytes(self.changed(3, 3, sent_bytes_per_worker=9)),
                         ["3 workers: 3 passes send less than 2"])

    def test_accuracy_that_does_not_recover(self):
        self.assertEqual(findings.accuracy_recovers_with_iterations(self.changed(6, 1, accuracy=0.4)),
                         ["6 workers: accuracy goes from 0.4000 to 0.4000 with more iterations"])

    def test_an_empty_figure(self):
        with self.assertRaisesRegex(AssertionError, "accuracy is empty"):
            findings.accuracy_recovers_with_iterations(self.changed(2, 1, accuracy=""))


if __name__ == "__main__":
    unittest.main()
