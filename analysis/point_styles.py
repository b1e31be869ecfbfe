"""How the lines of points look, so that figures of one result agree whichever of its points each of them shows."""

import style
from point_tables import Point, labels, summary_points


def point_styles(shown: list[Point]) -> dict[str, int]:
    """By label a style number: that which its first point has by its place among all points of the results.

    Of more points than there are looks, among those that are shown.
    """
    points = summary_points([source for source in dict.fromkeys(point.key[0] for point in shown) if (source / "summary.csv").is_file()])
    known = {point.key for point in points}
    points += [point for point in shown if point.key not in known]
    told = labels(points)
    numbers = style.styles([(label, point.algorithm) for label, point in zip(told, points)])
    if max(numbers.values(), default=0) >= style.LOOKS:
        return style.styles([(point.label, point.algorithm) for point in shown])
    of_keys = {point.key: numbers[label] for label, point in zip(told, points)}
    return {point.label: of_keys[point.key] for point in reversed(shown)}
