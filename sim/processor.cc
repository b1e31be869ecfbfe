#include "sim/processor.h"

namespace tandem {

std::string processor_of(const simgrid::s4u::Host& host) {
  const char* name = host.get_property("processor");
  return name == nullptr ? std::string() : name;
}

}  // namespace tandem
