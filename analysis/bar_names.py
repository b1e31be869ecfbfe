"""Names under the bars of a panel: level where each fits under its own, else upright, broken between words."""

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

import names
import style

# In inches.
LINE = 1.25 * style.SMALL / 72
_LONGEST_UPRIGHT = 1.3


class BarNames:
    """How each name is broken into lines, where below it is as many inches of room across as `rooms` says."""

    def __init__(self, texts: list[str], rooms: list[float]):
        self.lines = [_wrapped(name, room) for name, room in zip(texts, rooms)]
        self.upright = None in self.lines
        if self.upright:
            self.lines = [_upright(name, room) for name, room in zip(texts, rooms)]
        self.height = (max(length(line) for lines in self.lines for line in lines) if self.upright
                       else LINE * max(map(len, self.lines)))

    @property
    def texts(self) -> list[str]:
        return ["\n".join(lines) for lines in self.lines]

    @property
    def rotation(self) -> int:
        return 90 if self.upright else 0


def _upright(name: str, room: float) -> list[str]:
    """In as many lines as there is room for, of about one length; in one where there is room for no more."""
    most = int(room / LINE)
    limit = _LONGEST_UPRIGHT
    while most > 1 and limit < length(name):
        lines = _wrapped(name, limit)
        if lines and len(lines) <= most:
            return lines
        limit *= 1.1
    return [name]


def _wrapped(name: str, room: float) -> list[str] | None:
    """The name in lines of at most `room` inches, broken between words; None where a word is longer."""
    lines: list[str] = []
    for word in filter(None, names.glued(name).split(" ")):
        if lines and length(f"{lines[-1]} {word}") <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines if all(length(line) <= room for line in lines) else None


def length(text: str) -> float:
    """In inches, of the smallest text."""
    font = FontProperties(size=style.SMALL)
    return text_to_path.get_text_width_height_descent(text, font, ismath=False)[0] / 72
