"""Figures of `tandem plot` as part of a page: drawn for a wide window and a narrow one, of which CSS shows one."""

import io
import re
from xml.etree import ElementTree

from matplotlib.figure import Figure

import commands
import style
from figures import draw
from page.markup import NOTHING, Markup, element, together
from results import BrokenFile, MissingFile, ResultError

_SVG, _LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_SHOWN_AT = 1.28  # times the size on paper
_MOST_PANELS = 12
_ALWAYS_BROAD = {"timeline"}
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")  # which a name may hold, and XML must not
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


class Figures:
    """Of one page: each gets names of its own inside. Where a kind shows one point, it is `point`, counted from 1."""

    def __init__(self, point: int | None):
        self._drawn = 0
        self._point = point

    def of(self, results: list[str], kinds: dict) -> Markup:
        """Those of `kinds` that fit the results, and why the others of whose files there are some don't."""
        shown, left_out = [], []
        for name, kind in kinds.items():
            try:
                shown.append(self._one(name, kind, results))
            except MissingFile:
                continue
            except ResultError as error:
                if isinstance(error, BrokenFile):
                    commands.warn(f"{name} is not drawn: {error}")
                left_out.append(f"{name} ({_without_folder(str(error), results)})")
        notes = element("p", f"Not drawn: {'; '.join(left_out)}.", class_="quiet") if left_out else NOTHING
        return together(element("div", *shown, class_="figures") if shown else NOTHING, notes)

    def _one(self, name: str, kind, results: list[str]) -> Markup:
        says = kind.__doc__[0].upper() + kind.__doc__[1:] + "."
        drawn = draw(kind, results, "double", self._point)
        panels = sum(axes.axison for axes in drawn.axes)
        if panels > _MOST_PANELS:
            raise ResultError(f"it has {panels} panels; tandem plot {name} draws them")
        views = [self._inline(draw(kind, results, "single", self._point), f"{name}: {says}")]
        is_broad = panels > 1 or name in _ALWAYS_BROAD
        if is_broad:
            wide = self._inline(drawn, f"{name}: {says}")
            views = [element("div", wide, class_="wide-view"), element("div", views[0], class_="narrow-view")]
        look = "figure broad" if is_broad else "figure"
        return element("figure", *views, element("figcaption", says), class_=look)

    def _inline(self, figure: Figure, label: str) -> Markup:
        self._drawn += 1
        return inline(figure, f"f{self._drawn}-", label)


def _without_folder(message: str, results: list[str]) -> str:
    for result in results:
        message = message.removeprefix(f"{result}: ").replace(f"{result}/", "")
    return message


def inline(figure: Figure, prefix: str, label: str) -> Markup:
    """The figure as an SVG element whose ids begin with `prefix`."""
    written = io.BytesIO()
    with style.missing_letters():  # which a browser's fonts have
        figure.draw_without_rendering()  # which ticks fit follows from the layout, and its margins from the ticks
        figure.savefig(written, format="svg", metadata={"Date": None})
    root = ElementTree.fromstring(_CONTROL.sub(b"", written.getvalue()))
    for parent in [root, *root.findall(f"{{{_SVG}}}defs")]:
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):  # the page has that style
                parent.remove(child)
    _rename(root, prefix)
    root.attrib = {"viewBox": root.get("viewBox"), "role": "img", "aria-label": label,
                   "style": f"max-width: {figure.get_figwidth() * 96 * _SHOWN_AT:.0f}px"}
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _LINK)
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _rename(root: ElementTree.Element, prefix: str) -> None:
    """Leaves those ids that something refers to, under names that no other figure of the page has."""
    names: dict[str, str] = {}

    def renamed(name: str) -> str:
        return names.setdefault(name, f"{prefix}{len(names)}")

    for part in root.iter():
        for key, value in part.attrib.items():
            if key == f"{{{_LINK}}}href":
                part.set(key, f"#{renamed(value[1:])}")
            elif key != "id":
                part.set(key, _REFERENCE.sub(lambda match: f"url(#{renamed(match[1])})", value))
    for part in root.iter():
        name = part.attrib.pop("id", None)
        if name in names:
            part.set("id", names[name])
