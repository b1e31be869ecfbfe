"""One rank of a training job in PyTorch, which the bench train starts: SGD with momentum on synthetic samples, through
DistributedDataParallel over Gloo where there are several ranks. Prints a line of JSON.

torch_training.py MODEL --shape JSON --batch N --iterations N --warmup N --layout LAYOUT [--precision NAME --rank N --ranks N --rendezvous FILE]
"""

import argparse
import json
import os
import time

import torch
from torch import nn

from torch_models import MODELS, build


def memory(key: str) -> int:
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(key))


def batches(arguments: argparse.Namespace, layout: torch.memory_format) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """A few, which are used in turns: what making them takes counts for nothing."""
    if "vocabulary" in arguments.shape:
        size, tokens = (arguments.batch, arguments.shape["sequence"]), arguments.shape["vocabulary"]
        return [(torch.randint(tokens, size), torch.randint(tokens, size).flatten()) for _ in range(2)]
    images = [torch.randn(arguments.batch, *arguments.shape["input"]).contiguous(memory_format=layout) for _ in range(2)]
    return [(image, torch.randint(arguments.shape["classes"], (arguments.batch,))) for image in images]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=sorted(MODELS))
    parser.add_argument("--shape", type=json.loads, required=True, help="as a scenario's `model` has it")
    for name in ("batch", "iterations", "warmup"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--layout", choices=["contiguous", "channels_last"], required=True)
    parser.add_argument("--precision", choices=["fp32", "bf16"], default="fp32")
    parser.add_argument("--rank", type=int, default=0)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--rendezvous")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1 + arguments.rank)
    layout = torch.channels_last if arguments.layout == "channels_last" else torch.contiguous_format
    data = batches(arguments, layout)
    with open("/proc/self/clear_refs", "w", encoding="ascii") as clear:
        clear.write("5")  # the peak counts from here, as tandem's does
    memory_at_start = memory("VmRSS:")

    model: nn.Module = build(arguments.model, arguments.shape).to(memory_format=layout)
    parameters = sum(p.numel() for p in model.parameters())
    if arguments.ranks > 1:
        torch.distributed.init_process_group("gloo", init_method=f"file://{arguments.rendezvous}", rank=arguments.rank,
                                             world_size=arguments.ranks)
        model = nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=True, broadcast_buffers=False,
                                                    static_graph=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, fused=True)
    seconds, losses = [], []
    for iteration in range(arguments.warmup + arguments.iterations):
        samples, labels = data[iteration % len(data)]
        begin = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=arguments.precision == "bf16"):
            loss = nn.functional.cross_entropy(model(samples), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        seconds.append(time.perf_counter() - begin)
    if arguments.rank == 0:
        print(json.dumps({"version": torch.__version__, "parameters": parameters, "first_loss": losses[0],
                          "seconds": seconds[arguments.warmup:], "peak_bytes": memory("VmHWM:") - memory_at_start}), flush=True)
    if arguments.ranks > 1:
        torch.distributed.destroy_process_group()
    os._exit(0)  # noqa: nothing is left to do, and Gloo's threads may linger


if __name__ == "__main__":
    main()
