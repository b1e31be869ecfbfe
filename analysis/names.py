"""What people read for the names that scenarios and result files use: "ZeRO-2" for zero_2, "2 servers" for servers=2.

Names that aren't known here, such as those of a user's own models, stay as they are.
"""

import re
from collections import defaultdict
from collections.abc import Hashable
from pathlib import Path

_MODELS = {"alexnet": "AlexNet", "cifar10_cnn": "CIFAR-10 CNN", "gpt": "GPT", "inception_v3": "Inception-v3", "mnist_cnn": "MNIST CNN",
           "mobilenet_v2": "MobileNetV2", "resnet50": "ResNet-50", "resnet152": "ResNet-152", "sdss_dnn": "SDSS DNN", "vgg16": "VGG-16",
           "vgg19": "VGG-19"}
_DATASETS = {"cifar10": "CIFAR-10", "fashion_mnist": "Fashion-MNIST", "mnist": "MNIST", "sdss_dr14": "SDSS DR14", "sdss_dr17": "SDSS DR17"}
_DEVICES = {"a100": "A100", "h200": "H200", "k80": "K80", "n1_standard_32": "n1-standard-32", "p100": "P100", "t4": "T4",
            "titan_rtx": "Titan RTX", "titan_xp": "Titan Xp", "v100": "V100"}
# Of an algorithm's name, and what its variant's number or word means.
_ALGORITHMS = {"none": "single worker", "all_reduce": "all-reduce", "auto": "all-reduce by size", "parameter_server": "parameter server",
               "asynchronous_ps": "asynchronous parameter server", "stale_ps": "stale synchronous parameter server", "ad_psgd": "AD-PSGD",
               "sgp": "SGP", "local_sgd": "local SGD", "zero": "ZeRO"}
_VARIANTS = {"zero": "ZeRO-{}", "pipeline": "pipeline, {} stages", "pairwise_averaging": "pairwise averaging, {} passes",
             "local_sgd": "local SGD, {} local steps", "elastic_averaging": "elastic averaging, {} local steps"}
_COLLECTIVES = {"ring": "ring", "segmented_ring": "segmented ring", "halving_doubling": "halving-doubling",
                "recursive_doubling": "recursive doubling", "double_binary_tree": "double binary tree", "hierarchical": "hierarchical",
                "linear": "linear", "binomial_tree": "binomial tree"}
_OPERATIONS = {"all_gather": "all-gather", "reduce_scatter": "reduce-scatter", "all_to_all": "all-to-all"}
# Where the value reads better before its key, or without it.
_SETTINGS = {"servers": "{} servers", "hosts": "{} hosts", "gpus": "{}-GPU nodes", "backup_workers": "{} backup workers",
             "micro_batches": "{} micro-batches", "compression": "{} compression", "bucket": "{} buckets", "segment": "{} segments",
             "schedule": "{} schedule", "optimizer": "{}", "precision": "{}", "name": "{}"}
_VALUES = {"top_k": "top-k", "power_sgd": "PowerSGD", "gpipe": "GPipe", "1f1b": "1F1B", "sgd": "SGD", "adam": "Adam", "lamb": "LAMB",
           "fat_tree": "fat tree", "gpu_nodes": "GPU nodes", "rail_pod": "rail pod"}

_WITH_VARIANT = re.compile(r"(?P<algorithm>.*?)_(?P<variant>\d+|all)(?P<outer>_outer)?")
_MICROSECONDS = re.compile(r"(\d ?)us\b")  # as scenarios have them
_AFTER_NUMBER = re.compile(r"(?<=\d) (?=[A-Za-zµ%])")
_SETTING = re.compile(r"(?P<key>[a-z]\w*)=(?P<value>.*)")


def label(*words: str) -> str:
    """What tells one from others, as every figure and table has it: "ring all-reduce, 4 workers"."""
    return ", ".join(filter(None, words))


def apart(results: list[str]) -> list[str]:
    """A name for each result folder, or file in one: the end of its path, as long as tells it from the others."""
    folders = [path.parent if path.is_file() else path for path in (Path(result).resolve() for result in results)]
    longest = max(len(folder.parts) for folder in folders)
    for length in range(1, longest + 1):
        short = ["/".join(folder.parts[-length:]) for folder in folders]
        if len(set(short)) == len(set(folders)):
            return short
    return [str(folder) for folder in folders]


def counted(count: str | int, things: str) -> str:
    """Of things named in the plural: 1 worker, 2 workers."""
    singular = things.removesuffix("es" if things.endswith("sses") else "s")
    return f"{count} {singular if str(count) == '1' else things}"


def glued(text: str) -> str:
    """With no-break spaces between numbers and their units or what they count."""
    return _AFTER_NUMBER.sub("\N{NO-BREAK SPACE}", text)


def on_one_line(text: str) -> str:
    """Of one that was broken into lines for a figure, with plain spaces."""
    return " ".join(text.split())


def shortened(text: str) -> str:
    """Of something that may be anything, as much as a line holds."""
    return text if len(text) <= 60 else f"{text[:57]}..."


def model(name: str) -> str:
    return _MODELS.get(name, name)


def split_algorithm(name: str) -> tuple[str, str]:
    """The algorithm and its variant: pairwise_averaging_2 is pairwise_averaging and 2, local_sgd_8_outer local_sgd and "8 outer"."""
    match = _WITH_VARIANT.fullmatch(name)
    if match is None or match["algorithm"] not in _VARIANTS:
        return name, ""
    return match["algorithm"], match["variant"] + (" outer" if match["outer"] else "")


def algorithm(name: str) -> str:
    """Of a cell of result files; "ring, bucket=1 MB", as comparison.csv has it, with its settings."""
    name, _, changed = name.partition(", ")
    base, variant = split_algorithm(name)
    if variant:
        words = _fill(_VARIANTS[base], variant.removesuffix(" outer"))
        words = label(words, "outer optimizer" if variant.endswith(" outer") else "")
    elif name in _COLLECTIVES:
        words = f"{_COLLECTIVES[name]} all-reduce"
    else:
        words = _ALGORITHMS.get(name, name.replace("_", " "))
    return label(words, settings(changed))


def variant(name: str) -> str:
    """What tells an algorithm's variant from its others: "4 local steps" of local_sgd_4, "ZeRO-3" of zero_3; of one without any nothing."""
    base, number = split_algorithm(name)
    return algorithm(name).removeprefix(f"{_VARIANTS[base].partition(', ')[0]}, ") if number else ""


def operation(name: str) -> str:
    """Of a trace: a collective, or what a worker does."""
    for ending, words in _OPERATIONS.items():
        if name.endswith(f"_{ending}"):
            pattern = name.removesuffix(f"_{ending}")
            return f"{_COLLECTIVES.get(pattern, pattern.replace('_', ' '))} {words}"
    return algorithm(name)


def settings(text: str) -> str:
    """Of what tells variants apart, such as "compression=top_k ratio=0.1, bucket=25 MB", and of platforms that are described."""
    parts = [part for piece in text.split(", ") for part in re.split(r" (?=[a-z]\w*=)", piece)]
    return label(*map(_setting, parts))


def _setting(part: str) -> str:
    match = _SETTING.fullmatch(part)
    if not match:
        return _VALUES.get(part, _MICROSECONDS.sub("\\1\N{MICRO SIGN}s", part))
    key, value = match["key"], match["value"]
    words = key.replace("_", " ")
    if value in ("true", "false"):
        return words if value == "true" else f"no {words}"
    return _fill(_SETTINGS.get(key, words + " {}"), _setting(value))


def _fill(form: str, value: str) -> str:
    """The form with the value in its place, and in the singular where that is 1."""
    before, after = form.split("{}")
    return before + (counted(value, after.strip()) if after.startswith(" ") else value + after)


def device(name: str) -> str:
    """`k80 x2` is one that computes twice as fast, `k80+v100` what workers have that differ."""
    kinds, times, factor = name.partition(" x")
    return " + ".join(_DEVICES.get(kind, kind) for kind in kinds.split("+")) + times + factor


def devices_of_platforms(found: list[tuple[Hashable, str]]) -> list[str]:
    """Of each pair of a platform and its workers' devices all that the platform's workers have.

    Workers take its hosts in their order: that one has `k80`, and two have `k80+v100`, tells nothing but how many they are.
    """
    of_platforms: dict[Hashable, set[str]] = defaultdict(set)
    for platform, devices in found:
        of_platforms[platform].add(devices)

    def go_on(longer: str, shorter: str) -> bool:
        kinds, _, factor = longer.partition(" x")
        first, _, other = shorter.partition(" x")
        return factor == other and f"{kinds}+".startswith(f"{first}+")

    return [max((one for one in of_platforms[platform] if go_on(one, devices)), key=lambda one: (len(one), one)) for platform, devices in found]


# How the cells of columns of result files are read.
_COLUMNS = {"model": model, "algorithm": algorithm, "variant": settings, "device": device, "platform": settings,
            "dataset": lambda name: _DATASETS.get(name, name)}


def cell(column: str, text: str) -> str:
    return _COLUMNS.get(column, str)(text)


def trait(column: str, text: str) -> str:
    """A cell by itself, without its column's heading."""
    return f"batch size {text}" if column == "batch_size" else cell(column, text)
