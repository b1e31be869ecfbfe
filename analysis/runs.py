"""Reads run.json and trace.json of result folders; docs/results.md states their contract."""

import json
from pathlib import Path

from results import ResultError, locate


def read_json(result: str, name: str) -> dict:
    file = locate(Path(result), name)
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ResultError(f"{file}: {error.strerror}") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ResultError(f"{file}: not JSON: {error}") from None


def point_name(point: dict, others: list[dict]) -> str:
    """What tells a point of run.json from the others: its algorithm, and its workers and variant where these differ."""
    traits = [_traits(one) for one in others]
    words = [word for i, word in enumerate(_traits(point)) if i == 0 or len({one[i] for one in traits}) > 1]
    return ", ".join(filter(None, words))


def _traits(point: dict) -> tuple[str, ...]:
    scenario = point["scenario"]
    algorithm = scenario["algorithm"]
    name = algorithm["name"]
    if name == "all_reduce":
        name = algorithm.get("collective", "all_reduce")
    if name == "zero":
        name = f"ZeRO {algorithm.get('stage', '')}"
    model = scenario["model"]
    return (name.replace("_", " "), f"{scenario['workers']} workers", scenario.get("variant", ""),
            model if isinstance(model, str) else model.get("name", ""))
