#include "core/scenario/reader.h"
#include "core/scenario/specs.h"

namespace tandem {

CheckpointSpec read_checkpoint(const Value& value) {
  const MapReader map(value, "checkpoint", {"every", "keep", "path", "resume"});
  CheckpointSpec checkpoint;
  checkpoint.every = read_int(map.require("every", "100"), "checkpoint.every", 1);
  if (const Value* keep = map.find("keep")) checkpoint.keep = read_int(*keep, "checkpoint.keep", 1);
  if (const Value* path = map.find("path")) {
    checkpoint.path = read_string(*path, "checkpoint.path");
    if (checkpoint.path->empty())
      fail(path->where, "checkpoint.path is empty; give a folder, or leave it out");
  }
  if (const Value* resume = map.find("resume"))
    checkpoint.resume = read_int(*resume, "checkpoint.resume", 1);
  return checkpoint;
}

}  // namespace tandem
