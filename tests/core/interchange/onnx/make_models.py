#!/usr/bin/env python3
"""make_models.py: writes the graphs in models/, as PyTorch's two exporters make them, without their weights.

Needs torch, torchvision, transformers, onnx and onnxscript, which no test does. The weights are taken out afterwards:
their sizes stay, so that the files are small and tell all that an import reads.
"""

import warnings
from pathlib import Path

import onnx
import torch
import torchvision
from torch import nn
from transformers import ResNetConfig, ResNetForImageClassification

_FEW = 16  # numbers that a shape or a scalar has at most
_FOLDER = Path(__file__).parent / "models"


class MnistCnn(nn.Module):
    """The zoo's mnist_cnn, with the flattening that PyTorch's users write."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 10, 5), nn.Conv2d(10, 20, 5)
        self.fc1, self.fc2 = nn.Linear(320, 50), nn.Linear(50, 10)

    def forward(self, x):
        x = torch.relu(nn.functional.max_pool2d(self.conv1(x), 2))
        x = torch.relu(nn.functional.max_pool2d(self.conv2(x), 2))
        x = x.view(x.size(0), -1)
        return torch.log_softmax(self.fc2(torch.relu(self.fc1(x))), dim=1)


class OnlyScores(nn.Module):
    """A model of transformers that returns its scores alone."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x).logits


def first_resnet50():
    """The paper's ResNet-50, which strides in the first convolution of a block; torchvision's does in the second."""
    return OnlyScores(ResNetForImageClassification(ResNetConfig(num_labels=1000, downsample_in_bottleneck=True)))


def perceptron():
    return nn.Sequential(nn.Linear(9, 32), nn.GELU(), nn.Linear(32, 3))


def bare(tensor):
    """Takes the numbers of a large tensor out, and leaves its sizes."""
    count = 1
    for size in tensor.dims:
        count *= size
    if count <= _FEW and tensor.data_location != onnx.TensorProto.EXTERNAL:
        return
    for field in ("raw_data", "float_data", "int32_data", "int64_data", "double_data", "external_data"):
        tensor.ClearField(field)


def strip(file):
    model = onnx.load(file, load_external_data=False)
    for message in (model, model.graph, *model.graph.node, *model.graph.input, *model.graph.output):
        message.ClearField("metadata_props")
        message.ClearField("doc_string")
    model.graph.ClearField("value_info")
    for tensor in model.graph.initializer:
        bare(tensor)
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                bare(attribute.t)
    file.write_bytes(model.SerializeToString())


def export(name, model, shape, training=True, dynamo=False):
    file = _FOLDER / f"{name}.onnx"
    model.train(training)
    sample = torch.randn(2, *shape)
    if dynamo:  # whose optimizer folds batch norms, of whatever mode
        torch.onnx.export(model, (sample,), file, dynamo=True, optimize=False, verbose=False)
    else:
        mode = torch.onnx.TrainingMode.TRAINING if training else torch.onnx.TrainingMode.EVAL
        torch.onnx.export(model, (sample,), file, dynamo=False, training=mode, do_constant_folding=not training,
                          input_names=["image"], output_names=["scores"],
                          dynamic_axes={"image": {0: "batch"}, "scores": {0: "batch"}}, opset_version=17)
    strip(file)
    file.with_suffix(".onnx.data").unlink(missing_ok=True)
    print(f"{name}: {file.stat().st_size} bytes")


def main():
    warnings.filterwarnings("ignore")
    torch.manual_seed(1)
    models = torchvision.models
    image = (3, 224, 224)
    export("mnist_cnn", MnistCnn(), (1, 28, 28))
    export("gelu_perceptron", perceptron(), (9,))
    export("resnet50_v1", first_resnet50(), image)
    export("resnet50", models.resnet50(), image)
    export("resnet50_folded", models.resnet50(), image, training=False)
    export("resnet50_dynamo", models.resnet50(), image, dynamo=True)
    export("mobilenet_v2_dynamo", models.mobilenet_v2(), image, dynamo=True)
    export("mobilenet_v2", models.mobilenet_v2(), image)
    export("vgg16", models.vgg16(), image)
    export("alexnet_dynamo", models.alexnet(), image, dynamo=True)
    export("squeezenet", models.squeezenet1_1(), image)


if __name__ == "__main__":
    main()
