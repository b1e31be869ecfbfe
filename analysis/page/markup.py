"""HTML that can't be broken out of: text becomes part of it only where it is escaped."""

import html


class Markup(str):
    """Text that is HTML already."""


_WITHOUT_END = {"meta", "link"}


def element(tag: str, *content: str, **attributes: str) -> Markup:
    """An element; `class_` is the attribute class, `data_value` data-value. Content that is no Markup is escaped."""
    given = "".join(f' {name.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
                    for name, value in attributes.items())
    if tag in _WITHOUT_END:
        return Markup(f"<{tag}{given}>")
    return Markup(f"<{tag}{given}>{together(*content)}</{tag}>")


def together(*content: str) -> Markup:
    return Markup("".join(part if isinstance(part, Markup) else html.escape(str(part)) for part in content))


NOTHING = Markup("")
