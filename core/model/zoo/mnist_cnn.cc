#include "core/model/zoo/builder.h"
#include "core/model/zoo/families.h"

namespace tandem::zoo {

LayerGraph mnist_cnn(const Target& target) {
  Builder net(target.name, target.input);
  net.convolution("conv1", 10, Window(5));
  net.max_pool("pool1", Window(2, 2));
  net.relu("relu1");
  net.convolution("conv2", 20, Window(5));
  net.max_pool("pool2", Window(2, 2));
  net.relu("relu2");
  net.linear("fc1", 50);
  net.relu("relu3");
  net.linear("fc2", target.classes);
  return net.finish();
}

}  // namespace tandem::zoo
