#include "core/model/zoo/builder.h"
#include "core/model/zoo/families.h"

namespace tandem::zoo {

LayerGraph alexnet(const Target& target) {
  Builder net(target.name, target.input);
  net.convolution("conv1", 64, Window(11, 4, 2));
  net.relu("relu1");
  net.max_pool("pool1", Window(3, 2));
  net.convolution("conv2", 192, Window(5, 1, 2));
  net.relu("relu2");
  net.max_pool("pool2", Window(3, 2));
  net.convolution("conv3", 384, Window(3, 1, 1));
  net.relu("relu3");
  net.convolution("conv4", 256, Window(3, 1, 1));
  net.relu("relu4");
  net.convolution("conv5", 256, Window(3, 1, 1));
  net.relu("relu5");
  net.max_pool("pool5", Window(3, 2));
  net.dropout("drop5", 0.5);
  net.linear("fc6", 4096);
  net.relu("relu6");
  net.dropout("drop6", 0.5);
  net.linear("fc7", 4096);
  net.relu("relu7");
  net.linear("fc8", target.classes);
  return net.finish();
}

}  // namespace tandem::zoo
