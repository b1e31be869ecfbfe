#include "core/model/zoo/builder.h"
#include "core/model/zoo/families.h"

namespace tandem::zoo {

LayerGraph cifar10_cnn(const Target& target) {
  Builder net(target.name, target.input);
  net.convolution("conv1", 6, Window(5));
  net.relu("relu1");
  net.max_pool("pool1", Window(2, 2));
  net.convolution("conv2", 16, Window(5));
  net.relu("relu2");
  net.max_pool("pool2", Window(2, 2));
  net.linear("fc1", 120);
  net.relu("relu3");
  net.linear("fc2", 84);
  net.relu("relu4");
  net.linear("fc3", target.classes);
  return net.finish();
}

}  // namespace tandem::zoo
