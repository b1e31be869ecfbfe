"""The kinds of figures: a module each, with a docstring that says what it shows and draw(results, width)."""

from figures import accuracy_traffic, breakdown, calibration, compare, scaling, speedup, traffic

KINDS = {
    "compare": compare,
    "calibration": calibration,
    "speedup": speedup,
    "scaling": scaling,
    "breakdown": breakdown,
    "traffic": traffic,
    "accuracy_traffic": accuracy_traffic,
}
