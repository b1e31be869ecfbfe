"""tracks.py TRACE...: no two slices cross on a track, which viewers would drop, and some communications overlap at all."""
import collections
import json
import sys


def check(name: str) -> None:
    with open(name, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    slices = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            begin = int(event["ts"] * 1e3)  # viewers count whole nanoseconds
            slices[event["pid"], event["tid"]].append((begin, begin + int(event["dur"] * 1e3)))
    ends = {(event["pid"], event["tid"], int(event["ts"] * 1e3)) for event in events if event["ph"] in "sf"}
    for track, of_track in slices.items():
        until = 0
        for begin, end in sorted(of_track):
            if begin < until:
                sys.exit(f"{name}: track {track} has a slice that begins at {begin} ns, when another goes on until {until}")
            until = end
    for process, track, time in ends:
        # Times of an arrow and of its slice's end are rounded each by itself.
        if not any(begin <= time <= end + 2 for begin, end in slices[process, track]):
            sys.exit(f"{name}: an arrow at {time} ns leads to nothing on track {process, track}")
    if not any(track > 2 for _, track in slices):
        sys.exit(f"{name}: nothing overlaps, so this shows nothing")


for trace in sys.argv[1:]:
    check(trace)
