#!/usr/bin/python3
"""Writes reference_gradients.txt: losses and gradients of two networks, by PyTorch in float64.

    /usr/bin/python3 make_reference.py > reference_gradients.txt

Parameters, images and labels come from the formulas of made_network.h, so that only results need
keeping: for each tensor its name, number of elements, Euclidean length of its gradient, and every
16th element of that. Made with Debian 12's python3-torch (1.13.1); needs nothing else.
"""

import math

import numpy
import torch
import torch.nn.functional as functional

KEPT = 16


def chirp(first, count, phase):
    """count numbers in [-1, 1] from index first on, rounded to float32 as the C++ side does."""
    x = numpy.arange(first, first + count, dtype=numpy.float64)
    return numpy.sin(phase + x + 0.001 * x * x).astype(numpy.float32).astype(numpy.float64)


class Parameters:
    """Hands out parameter tensors in the order of the arena."""

    def __init__(self):
        self.next = 0
        self.tensors = []

    def take(self, name, shape, amplitude, base=0.0):
        count = math.prod(shape)
        values = base + amplitude * chirp(self.next, count, 0)
        self.next += count
        tensor = torch.tensor(values.astype(numpy.float32).astype(numpy.float64)).reshape(shape)
        tensor.requires_grad_()
        self.tensors.append((name, tensor))
        return tensor

    def convolution(self, name, x, outputs, kernel, stride=1, padding=0, groups=1, bias=True):
        inputs = x.shape[1] // groups
        amplitude = 1 / math.sqrt(inputs * kernel * kernel)
        weight = self.take(name + ".weight", (outputs, inputs, kernel, kernel), amplitude)
        shift = self.take(name + ".bias", (outputs,), amplitude) if bias else None
        return functional.conv2d(x, weight, shift, stride, padding, groups=groups)

    def linear(self, name, x, outputs):
        x = x.flatten(1)
        amplitude = 1 / math.sqrt(x.shape[1])
        weight = self.take(name + ".weight", (outputs, x.shape[1]), amplitude)
        return functional.linear(x, weight, self.take(name + ".bias", (outputs,), amplitude))

    def batch_norm(self, name, x):
        weight = self.take(name + ".weight", (x.shape[1],), 0.3, 1.0)
        bias = self.take(name + ".bias", (x.shape[1],), 0.3)
        return functional.batch_norm(x, None, None, weight, bias, training=True, eps=1e-5)


def mnist_cnn(p, x):
    x = functional.max_pool2d(p.convolution("conv1", x, 10, 5), 2).relu()
    x = functional.max_pool2d(p.convolution("conv2", x, 20, 5), 2).relu()
    return p.linear("fc2", p.linear("fc1", x, 50).relu(), 10)


def mixed(p, x):
    x = p.convolution("stem", x, 16, 3, padding=1, bias=False)
    x = p.batch_norm("stem_norm", x).relu()
    x = p.convolution("depthwise", x, 16, 3, stride=2, padding=1, groups=16, bias=False)
    trunk = functional.relu6(p.batch_norm("depthwise_norm", x))
    total = p.convolution("residual", trunk, 16, 3, padding=1) + trunk
    x = torch.cat([p.convolution("side", trunk, 10, 1), total], 1)
    x = functional.avg_pool2d(x, 2, 1, 1)
    x = functional.max_pool2d(x, 3, 2, 1)
    x = p.convolution("grouped", x, 8, 3, padding=1, groups=2).relu()
    return p.linear("scores", x.mean((2, 3)), 5)


def report(name, network, batch, shape, classes):
    images = chirp(0, batch * math.prod(shape), 0.5)
    labels = torch.tensor([3 * i % classes for i in range(batch)])
    parameters = Parameters()
    logits = network(parameters, torch.tensor(images).reshape(batch, *shape))
    loss = functional.cross_entropy(logits, labels)
    loss.backward()
    print("network", name, f"{loss.item():.12g}", len(parameters.tensors))
    for tensor_name, tensor in parameters.tensors:
        gradient = tensor.grad.flatten()
        print(tensor_name, gradient.numel(), f"{gradient.norm().item():.9g}")
        print(" ".join(f"{value:.7g}" for value in gradient[::KEPT].tolist()))


report("mnist_cnn", mnist_cnn, 4, (1, 28, 28), 10)
report("mixed", mixed, 4, (3, 12, 12), 5)
