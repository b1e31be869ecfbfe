"""The kinds of figures: a module each, with a docstring that says what it shows and draw(results, width)."""

from figures import (accuracy_traffic, breakdown, calibration, communication, compare, efficiency, memory, scaling, speedup,
                     staleness, timeline, topology, traffic, utilisation)

KINDS = {
    "compare": compare,
    "calibration": calibration,
    "speedup": speedup,
    "scaling": scaling,
    "efficiency": efficiency,
    "breakdown": breakdown,
    "utilisation": utilisation,
    "timeline": timeline,
    "topology": topology,
    "communication": communication,
    "memory": memory,
    "staleness": staleness,
    "traffic": traffic,
    "accuracy_traffic": accuracy_traffic,
}
