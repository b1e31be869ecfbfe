"""How far a bench is: on a terminal a bar that is redrawn each second, elsewhere a line when something is done."""

import contextlib
import sys
import threading
import time
from collections.abc import Iterator

BAR = 10
ERASE_LINE = "\r\x1b[2K"
COLUMNS = 80


class Progress:
    """Of things that take as long, one beside the other, as `weights` says, in any unit."""

    def __init__(self, weights: list[float]):
        self.weights, self.done = weights, 0
        self.seconds = 0.0  # that those took which are done
        self.began: float | None = None  # the one that is being done

    def left(self) -> str:
        """How long the others take by what those took that are done; nothing is known before one is."""
        done = sum(self.weights[: self.done])
        if done == 0:
            return ""
        of_this_one = time.monotonic() - self.began if self.began else 0.0
        return f"{max(0.0, self.seconds / done * sum(self.weights[self.done :]) - of_this_one) / 60:.0f} min left"

    @contextlib.contextmanager
    def doing(self, name: str) -> Iterator[None]:
        """One of them; it counts as done unless it raises."""
        ended, is_shown = threading.Event(), sys.stdout.isatty()
        bar = threading.Thread(target=self._redraw, args=(name, ended), daemon=True)
        began = self.began = time.monotonic()
        if is_shown:
            bar.start()
        try:
            yield
            self.seconds += time.monotonic() - began
            self.done += 1
        finally:
            self.began = None
            ended.set()
            if is_shown:
                bar.join()
                print(ERASE_LINE, end="", flush=True)

    def tell(self, text: str) -> None:
        """What has come of the one that was done last."""
        print("; ".join(filter(None, [f"[{self.done}/{len(self.weights)}] {text}", self.left()])), flush=True)

    def line(self, name: str, seconds: float) -> str:
        filled = int(BAR * sum(self.weights[: self.done]) / sum(self.weights))
        beside = "  ".join(filter(None, [f"{int(seconds) // 60}:{int(seconds) % 60:02}", self.left()]))
        begin = f"[{'#' * filled}{'.' * (BAR - filled)}] {self.done}/{len(self.weights)}  "
        return f"{begin}{name[: COLUMNS - 3 - len(begin) - len(beside)]}  {beside}"

    def _redraw(self, name: str, ended: threading.Event) -> None:
        began = time.monotonic()
        while not ended.wait(1):
            print(ERASE_LINE + self.line(name, time.monotonic() - began), end="", flush=True)
