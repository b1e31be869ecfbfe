"""How the lines of points look, so that figures of one result agree whichever of its points each of them shows."""

import style
from point_tables import Point, labels, summary_points


def point_styles(shown: list[Point]) -> dict[str, int]:
    """By label a style number: that which its first point has by its place among all points of the results."""
    points = summary_points(list(dict.fromkeys(point.place[0] for point in shown)))
    known = {point.place for point in points}
    points += [point for point in shown if point.place not in known]
    told = labels(points)
    numbers = style.styles([(label, point.algorithm) for label, point in zip(told, points)])
    of_places = {point.place: numbers[label] for label, point in zip(told, points)}
    return {point.label: of_places[point.place] for point in reversed(shown)}
