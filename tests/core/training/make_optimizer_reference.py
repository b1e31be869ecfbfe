#!/usr/bin/python3
"""Writes optimizer_reference.txt: weights after steps of torch.optim's optimizers, and of LAMB, in float64.

    /usr/bin/python3 make_optimizer_reference.py > optimizer_reference.txt

A line is a case: its name, then the weights after STEPS steps. Weights begin as chirp(0), the
gradients of step t (from 1 on) are chirp(COUNT * t); cases are those of optimizer_test.cc.
Made with Debian 12's python3-torch (1.13.1).
"""

import numpy
import torch

COUNT = 12
STEPS = 5

CASES = {
    "sgd": (torch.optim.SGD, {"lr": 0.1, "weight_decay": 0.01}),
    "momentum": (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01}),
    "nesterov": (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01, "nesterov": True}),
    "adam": (torch.optim.Adam, {"lr": 0.01, "weight_decay": 0.01}),
    "adam_betas": (torch.optim.Adam, {"lr": 0.01, "betas": (0.8, 0.95), "eps": 1e-4}),
    "adamw": (torch.optim.AdamW, {"lr": 0.01, "weight_decay": 0.1}),
}


def chirp(first):
    """COUNT numbers in [-1, 1], rounded to float32 as the C++ side does."""
    x = numpy.arange(first, first + COUNT, dtype=numpy.float64)
    return torch.tensor(numpy.sin(x + 0.001 * x * x).astype(numpy.float32).astype(numpy.float64))


def lamb(weights, gradients, rate, decay, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """Algorithm 2 of You et al., ICLR 2020, for one tensor; torch.optim has none."""
    m, v = numpy.zeros(COUNT), numpy.zeros(COUNT)
    for t, g in enumerate(gradients, start=1):
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
        r = (m / (1 - beta1**t)) / (numpy.sqrt(v / (1 - beta2**t)) + epsilon) + decay * weights
        weights = weights - rate * numpy.linalg.norm(weights) / numpy.linalg.norm(r) * r
    return weights


def main():
    for name, (kind, options) in CASES.items():
        weights = chirp(0).requires_grad_()
        optimizer = kind([weights], **options)
        for step in range(1, STEPS + 1):
            weights.grad = chirp(COUNT * step)
            optimizer.step()
        print(name, *(f"{w:.9g}" for w in weights.tolist()))
    gradients = [chirp(COUNT * step).numpy() for step in range(1, STEPS + 1)]
    print("lamb", *(f"{w:.9g}" for w in lamb(chirp(0).numpy(), gradients, rate=0.01, decay=0.1)))


if __name__ == "__main__":
    main()
