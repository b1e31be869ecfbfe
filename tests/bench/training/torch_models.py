"""Most of the zoo's models by hand in PyTorch, layer for layer as core/model/zoo defines them."""

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


MODELS = {build.__name__: build for build in (mnist_cnn, cifar10_cnn, alexnet, vgg16, vgg19, resnet50, resnet152, mobilenet_v2)}


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
