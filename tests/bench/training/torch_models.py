"""The zoo's models by hand in PyTorch, layer for layer as core/model/zoo defines them."""

from collections.abc import Sequence

import torch
from torch import nn


def mnist_cnn(channels: int, side: int, classes: int) -> nn.Module:
    features = nn.Sequential(nn.Conv2d(channels, 10, 5), nn.MaxPool2d(2), nn.ReLU(inplace=True),
                             nn.Conv2d(10, 20, 5), nn.MaxPool2d(2), nn.ReLU(inplace=True), nn.Flatten())
    return nn.Sequential(features, nn.Linear(_outputs(features, channels, side), 50), nn.ReLU(inplace=True), nn.Linear(50, classes))


def cifar10_cnn(channels: int, side: int, classes: int) -> nn.Module:
    features = nn.Sequential(nn.Conv2d(channels, 6, 5), nn.ReLU(inplace=True), nn.MaxPool2d(2),
                             nn.Conv2d(6, 16, 5), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Flatten())
    return nn.Sequential(features, nn.Linear(_outputs(features, channels, side), 120), nn.ReLU(inplace=True), nn.Linear(120, 84),
                         nn.ReLU(inplace=True), nn.Linear(84, classes))


def alexnet(channels: int, side: int, classes: int) -> nn.Module:
    features = nn.Sequential(
        nn.Conv2d(channels, 64, 11, 4, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
        nn.Conv2d(64, 192, 5, 1, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
        nn.Conv2d(192, 384, 3, 1, 1), nn.ReLU(inplace=True), nn.Conv2d(384, 256, 3, 1, 1), nn.ReLU(inplace=True),
        nn.Conv2d(256, 256, 3, 1, 1), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2), nn.Flatten(), nn.Dropout(0.5))
    return nn.Sequential(features, nn.Linear(_outputs(features, channels, side), 4096), nn.ReLU(inplace=True), nn.Dropout(0.5),
                         nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Linear(4096, classes))


def vgg16(channels: int, side: int, classes: int) -> nn.Module:
    return _vgg((2, 2, 3, 3, 3), channels, side, classes)


def vgg19(channels: int, side: int, classes: int) -> nn.Module:
    return _vgg((2, 2, 4, 4, 4), channels, side, classes)


def resnet50(channels: int, _side: int, classes: int) -> nn.Module:
    return _resnet((3, 4, 6, 3), channels, classes)


def resnet152(channels: int, _side: int, classes: int) -> nn.Module:
    return _resnet((3, 8, 36, 3), channels, classes)


def mobilenet_v2(channels: int, _side: int, classes: int) -> nn.Module:
    layers = _convolution_norm(channels, 32, 3, 2, nn.ReLU6)
    inputs = 32
    for expansion, outputs, repeats, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                                (6, 160, 3, 2), (6, 320, 1, 1)):
        for i in range(repeats):
            layers.append(_InvertedResidual(inputs, outputs, expansion, stride if i == 0 else 1))
            inputs = outputs
    layers += _convolution_norm(inputs, 1280, 1, 1, nn.ReLU6)
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(1280, classes))


def inception_v3(channels: int, _side: int, classes: int) -> nn.Module:
    def convolution(inputs: int, outputs: int, kernel: int | tuple[int, int], stride: int = 1, padding: int | tuple[int, int] = 0) -> nn.Module:
        return nn.Sequential(nn.Conv2d(inputs, outputs, kernel, stride, padding, bias=False), nn.BatchNorm2d(outputs, eps=1e-3),
                             nn.ReLU(inplace=True))

    def row(inputs: int, outputs: int, kernel: int) -> nn.Module:
        return convolution(inputs, outputs, (1, kernel), 1, (0, kernel // 2))

    def column(inputs: int, outputs: int, kernel: int) -> nn.Module:
        return convolution(inputs, outputs, (kernel, 1), 1, (kernel // 2, 0))

    def pooled(inputs: int, outputs: int) -> nn.Module:
        return nn.Sequential(nn.AvgPool2d(3, 1, 1), convolution(inputs, outputs, 1))

    def block_a(inputs: int, pool: int) -> nn.Module:
        return _Branches(convolution(inputs, 64, 1), nn.Sequential(convolution(inputs, 48, 1), convolution(48, 64, 5, 1, 2)),
                         nn.Sequential(convolution(inputs, 64, 1), convolution(64, 96, 3, 1, 1), convolution(96, 96, 3, 1, 1)),
                         pooled(inputs, pool))

    def block_b(width: int) -> nn.Module:
        seven = nn.Sequential(convolution(768, width, 1), row(width, width, 7), column(width, 192, 7))
        twice = nn.Sequential(convolution(768, width, 1), column(width, width, 7), row(width, width, 7), column(width, width, 7),
                              row(width, 192, 7))
        return _Branches(convolution(768, 192, 1), seven, twice, pooled(768, 192))

    def block_c(inputs: int) -> nn.Module:
        def split() -> nn.Module:
            return _Branches(row(384, 384, 3), column(384, 384, 3))

        return _Branches(convolution(inputs, 320, 1), nn.Sequential(convolution(inputs, 384, 1), split()),
                         nn.Sequential(convolution(inputs, 448, 1), convolution(448, 384, 3, 1, 1), split()), pooled(inputs, 192))

    stem = [convolution(channels, 32, 3, 2), convolution(32, 32, 3), convolution(32, 64, 3, 1, 1), nn.MaxPool2d(3, 2),
            convolution(64, 80, 1), convolution(80, 192, 3), nn.MaxPool2d(3, 2)]
    reduce_a = _Branches(convolution(288, 384, 3, 2), nn.Sequential(convolution(288, 64, 1), convolution(64, 96, 3, 1, 1), convolution(96, 96, 3, 2)),
                         nn.MaxPool2d(3, 2))
    reduce_b = _Branches(nn.Sequential(convolution(768, 192, 1), convolution(192, 320, 3, 2)),
                         nn.Sequential(convolution(768, 192, 1), row(192, 192, 7), column(192, 192, 7), convolution(192, 192, 3, 2)),
                         nn.MaxPool2d(3, 2))
    return nn.Sequential(*stem, block_a(192, 32), block_a(256, 64), block_a(288, 64), reduce_a, *[block_b(width) for width in (128, 160, 160, 192)],
                         reduce_b, block_c(1280), block_c(2048), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.5), nn.Linear(2048, classes))


def sdss_dnn(channels: int, _side: int, classes: int) -> nn.Module:
    return nn.Sequential(nn.Flatten(), nn.Linear(channels, 256), nn.ReLU(inplace=True), nn.Linear(256, 128), nn.ReLU(inplace=True),
                         nn.Linear(128, 64), nn.ReLU(inplace=True), nn.Linear(64, classes))


def gpt(layers: int, width: int, heads: int, vocabulary: int, sequence: int) -> nn.Module:
    """Of token numbers, {batch, sequence}: of each position its scores of the next token."""
    return nn.Sequential(_Embedding(vocabulary, sequence, width), *[_Block(width, heads) for _ in range(layers)], nn.LayerNorm(width),
                         nn.Linear(width, vocabulary, bias=False), nn.Flatten(0, 1))


MODELS = {model.__name__: model for model in (mnist_cnn, cifar10_cnn, alexnet, vgg16, vgg19, resnet50, resnet152, mobilenet_v2,
                                              inception_v3, sdss_dnn, gpt)}


def build(name: str, shape: dict) -> nn.Module:
    """In a shape as a scenario's `model` has it."""
    if "input" not in shape:
        return MODELS[name](**shape)
    channels, side, _ = shape["input"]
    return MODELS[name](channels, side, shape["classes"])


def _vgg(stages: Sequence[int], channels: int, side: int, classes: int) -> nn.Module:
    layers: list[nn.Module] = []
    inputs = channels
    for outputs, repeats in zip((64, 128, 256, 512, 512), stages):
        for _ in range(repeats):
            layers += [nn.Conv2d(inputs, outputs, 3, 1, 1), nn.ReLU(inplace=True)]
            inputs = outputs
        layers.append(nn.MaxPool2d(2))
    features = nn.Sequential(*layers, nn.Flatten())
    return nn.Sequential(features, nn.Linear(_outputs(features, channels, side), 4096), nn.ReLU(inplace=True), nn.Dropout(0.5),
                         nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Dropout(0.5), nn.Linear(4096, classes))


def _resnet(stages: Sequence[int], channels: int, classes: int) -> nn.Module:
    layers = [*_convolution_norm(channels, 64, 7, 2, nn.ReLU), nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for stage, repeats in enumerate(stages):
        for i in range(repeats):
            layers.append(_Bottleneck(inputs, 64 << stage, 2 if stage > 0 and i == 0 else 1))
            inputs = 256 << stage
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, classes))


class _Bottleneck(nn.Module):
    def __init__(self, inputs: int, channels: int, stride: int):
        super().__init__()
        outputs = 4 * channels
        self.residual = nn.Sequential(*_convolution_norm(inputs, channels, 1, stride, nn.ReLU),
                                      *_convolution_norm(channels, channels, 3, 1, nn.ReLU),
                                      *_convolution_norm(channels, outputs, 1, 1, None))
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(*_convolution_norm(inputs, outputs, 1, stride, None))
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.residual(x)
        y += self.shortcut(x)
        return self.relu(y)


class _Branches(nn.Module):
    """What each makes of the same, side by side as channels."""

    def __init__(self, *branches: nn.Module):
        super().__init__()
        self.branches = nn.ModuleList(branches)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([branch(x) for branch in self.branches], 1)


class _Embedding(nn.Module):
    def __init__(self, vocabulary: int, sequence: int, width: int):
        super().__init__()
        self.token, self.position = nn.Embedding(vocabulary, width), nn.Embedding(sequence, width)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.token(tokens) + self.position.weight


class _Block(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.norm, self.qkv, self.projection = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed_forward = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"),
                                          nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query, key, value = (part.unflatten(2, (self.heads, -1)).transpose(1, 2) for part in self.qkv(self.norm(x)).chunk(3, 2))
        attention = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.projection(attention.transpose(1, 2).flatten(2))
        return x + self.feed_forward(x)


class _InvertedResidual(nn.Module):
    def __init__(self, inputs: int, outputs: int, expansion: int, stride: int):
        super().__init__()
        hidden = inputs * expansion
        expand = [] if expansion == 1 else _convolution_norm(inputs, hidden, 1, 1, nn.ReLU6)
        self.layers = nn.Sequential(*expand, *_convolution_norm(hidden, hidden, 3, stride, nn.ReLU6, groups=hidden),
                                    *_convolution_norm(hidden, outputs, 1, 1, None))
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.layers(x) if self.adds else self.layers(x)


def _convolution_norm(inputs: int, outputs: int, kernel: int, stride: int, activation: type | None, groups: int = 1) -> list[nn.Module]:
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]
    return layers if activation is None else [*layers, activation(inplace=True)]


def _outputs(features: nn.Module, channels: int, side: int) -> int:
    with torch.no_grad():
        return features(torch.zeros(1, channels, side, side)).shape[1]
