"""The findings of "Distributed Learning using Iterative Pair-wise Averaging", Table 2, as checks of a summary.csv.

Each check returns the lines that say where a finding does not hold; none where it does.
"""

MODEL_BYTES = 21_840 * 4  # of mnist_cnn
WORKERS = range(2, 7)


def iterations_of(workers: int, passes: int) -> int:
    """The table's: 12 with as many passes as workers, and 3 more with every pass fewer."""
    return 12 + 3 * (workers - passes)


class Table:
    """Rows of summary.csv by workers and passes."""

    def __init__(self, rows: list[dict[str, str]]):
        prefix = "pairwise_averaging_"
        self._rows = {(int(row["workers"]), int(row["algorithm"].removeprefix(prefix))): row
                      for row in rows if row["algorithm"].startswith(prefix)}

    def missing(self) -> list[str]:
        wanted = {(n, passes): str(iterations_of(n, passes)) for n in WORKERS for passes in range(1, n + 1)}
        return [f"{n} workers, {passes} passes, {iterations} iterations: no such row"
                for (n, passes), iterations in wanted.items()
                if self._rows.get((n, passes), {}).get("iterations") != iterations]

    def figure(self, column: str, workers: int, passes: int) -> float:
        cell = self._rows[workers, passes][column]
        if not cell:
            raise AssertionError(f"{workers} workers, {passes} passes: {column} is empty")
        return float(cell)


def a_pass_moves_the_model_once(table: Table) -> list[str]:
    """Each way, for all workers but the one that sits out where their number is odd."""
    problems = []
    for n in WORKERS:
        for passes in range(1, n + 1):
            expected = passes * iterations_of(n, passes) * MODEL_BYTES * (n - n % 2) / n
            for column in ("sent_bytes_per_worker", "received_bytes_per_worker"):
                found = table.figure(column, n, passes)
                if not abs(found - expected) <= 1e-6 * expected:
                    problems.append(f"{n} workers, {passes} passes: {column} is {found:.0f}, not {expected:.0f}")
    return problems


def more_passes_never_send_fewer_bytes(table: Table) -> list[str]:
    """In an iteration, for the table's rows differ in iterations too: 5 passes in 15 send more than 6 in 12."""
    def sent(n: int, passes: int) -> float:
        return table.figure("sent_bytes_per_worker", n, passes) / table.figure("iterations", n, passes)

    return [f"{n} workers: {passes} passes send less than {passes - 1}"
            for n in WORKERS for passes in range(2, n + 1) if sent(n, passes) < sent(n, passes - 1)]


def accuracy_recovers_with_iterations(table: Table) -> list[str]:
    """One pass in the most iterations ends above as many passes as workers in 12, at every number of workers."""
    problems = []
    for n in WORKERS:
        few, many = table.figure("accuracy", n, n), table.figure("accuracy", n, 1)
        if not many > few:
            problems.append(f"{n} workers: accuracy goes from {few:.4f} to {many:.4f} with more iterations")
    return problems
