"""A training job in PyTorch on a GPU, which the bench gpu starts: SGD with momentum on synthetic images that lie in pinned memory and go
to the GPU with every iteration, as tandem's do. Tensors lie in the layout in which it is faster on an H200: channels last, but for fp32.
Prints a line of JSON for each precision and way; compiled ones only of `--compiled`.

torch_gpu_training.py MODEL --side N --channels N --classes N --batch N --iterations N --precision P... [--compiled P...]
"""

import argparse
import contextlib
import json
import time

import torch
from torch import nn

from torch_models import MODELS

WARMUP = 5
ROUNDS = 3


def seconds_of(model: nn.Module, layout: torch.memory_format, arguments: argparse.Namespace, precision: str) -> tuple[list[float], float]:
    """Of an iteration, in rounds, and the first loss. Nobody waits for the GPU within a round."""
    shape = (arguments.batch, arguments.channels, arguments.side, arguments.side)
    host = [(torch.randn(shape).contiguous(memory_format=layout).pin_memory(),
             torch.randint(arguments.classes, (arguments.batch,)).pin_memory()) for _ in range(2)]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, fused=True)

    def step(iteration: int) -> torch.Tensor:
        images, labels = (tensor.to("cuda", non_blocking=True) for tensor in host[iteration % len(host)])
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16) if precision == "bf16" else contextlib.nullcontext():
            loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        return loss

    first_loss = step(0).item()
    for iteration in range(1, WARMUP):
        step(iteration)
    seconds = []
    for _ in range(ROUNDS):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for iteration in range(arguments.iterations):
            step(iteration)
        torch.cuda.synchronize()
        seconds.append((time.perf_counter() - begin) / arguments.iterations)
    return seconds, first_loss


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=sorted(MODELS.keys() - {"gpt"}))
    for name in ("side", "channels", "classes", "batch", "iterations"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--precision", nargs="+", choices=["fp32", "tf32", "bf16"], required=True)
    parser.add_argument("--compiled", nargs="*", default=[], help="precisions in which it is compiled, too")
    arguments = parser.parse_args()
    torch.backends.cudnn.benchmark = True
    for precision in arguments.precision:
        torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
        layout = torch.contiguous_format if precision == "fp32" else torch.channels_last
        for way in ("eager", "compiled") if precision in arguments.compiled else ("eager",):
            torch.manual_seed(1)
            torch._dynamo.reset()  # noqa: what was compiled is for another precision
            torch.cuda.empty_cache()
            model = MODELS[arguments.model](arguments.channels, arguments.side, arguments.classes).cuda().to(memory_format=layout)
            seconds, first_loss = seconds_of(torch.compile(model) if way == "compiled" else model, layout, arguments, precision)
            print(json.dumps({"version": torch.__version__, "precision": precision, "way": way, "layout": str(layout).removeprefix("torch."),
                              "parameters": sum(p.numel() for p in model.parameters()), "first_loss": first_loss, "seconds": seconds}),
                  flush=True)


if __name__ == "__main__":
    main()
