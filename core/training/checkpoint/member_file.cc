#include "core/training/checkpoint/member_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/training/checkpoint/crc32.h"

namespace tandem {
namespace {

constexpr std::string_view kFormat = "tandem checkpoint member 1\n";
constexpr std::size_t kLengthBytes = 8;

/// Lists the parts; their bytes stay where they are.
class Saver final : public StateVisitor {
 public:
  explicit Saver(const Membership& member) : member_(member) {}

  void arena(const std::string& name, const View& numbers, const ArenaPlace& place) override {
    if (place.holder == Holder::kOwn)
      return own(name, {numbers.on_host(Access::kRead).data, numbers.bytes()});
    const bool all = place.holder == Holder::kAll;
    const int copy = all ? member_.rank : place.copy;
    const int copies = all ? member_.workers : place.copies;
    std::size_t before = 0;
    for (const Chunk& chunk : place.chunks) {
      const std::size_t begin = chunk.elements * copy / copies;
      const std::size_t end = chunk.elements * (copy + 1) / copies;
      const View part = numbers.slice(before + begin, end - begin);
      add({.name = name,
           .offset = chunk.offset + begin,
           .element_bytes = size_of(numbers.dtype),
           .bytes = part.bytes()},
          part.on_host(Access::kRead).data);
      before += chunk.elements;
    }
  }

  void own(const std::string& name, std::span<std::byte> bytes) override {
    add({.name = name, .is_own = true, .bytes = bytes.size()}, bytes.data());
  }

  void own_sized(const std::string& name, std::size_t bytes,
                 const std::function<std::byte*(std::size_t)>& fit) override {
    own(name, {fit(bytes), bytes});
  }

  nlohmann::json header() const {
    nlohmann::json parts = nlohmann::json::array();
    for (const StatePart& part : parts_)
      parts.push_back({part.name, part.is_own, part.offset, part.element_bytes, part.bytes});
    return {{"rank", member_.rank}, {"parts", parts}};
  }
  const std::vector<std::span<const std::byte>>& data() const { return data_; }

 private:
  void add(StatePart part, const std::byte* data) {
    data_.emplace_back(data, part.bytes);
    parts_.push_back(std::move(part));
  }

  const Membership& member_;
  std::vector<StatePart> parts_;
  std::vector<std::span<const std::byte>> data_;
};

class Restorer final : public StateVisitor {
 public:
  Restorer(const std::vector<MemberFile>& files, const Membership& saved, const Membership& member)
      : files_(files), saved_(saved), member_(member) {}

  void arena(const std::string& name, const View& numbers, const ArenaPlace& place) override {
    if (place.holder == Holder::kOwn && saved_.workers == member_.workers)
      return own(name, {numbers.on_host().data, numbers.bytes()});
    if (place.holder == Holder::kOwn) return mean(name, numbers.floats());
    std::size_t before = 0, found = 0;
    for (const Chunk& chunk : place.chunks) {
      std::vector<Chunk> copied;
      for (const MemberFile& file : files_)
        copy(file, name, chunk, numbers.slice(before, chunk.elements), copied);
      found += numbers_in(std::move(copied));
      before += chunk.elements;
    }
    if (found != before)
      throw RunError(fmt::format("it has {} of {} numbers of {}", found, before, name));
  }

  void own(const std::string& name, std::span<std::byte> bytes) override {
    const std::span<const std::byte> saved = find(name);
    require_size(name, saved.size(), bytes.size());
    std::ranges::copy(saved, bytes.begin());
  }

  void own_sized(const std::string& name, std::size_t /*bytes*/,
                 const std::function<std::byte*(std::size_t)>& fit) override {
    const std::span<const std::byte> saved = find(name);
    std::ranges::copy(saved, fit(saved.size()));
  }

 private:
  static void require_size(const std::string& name, std::size_t saved, std::size_t needed) {
    if (saved != needed)
      throw RunError(fmt::format("it has {} bytes of {}, but {} are needed", saved, name, needed));
  }

  static std::optional<std::span<const std::byte>> own_of(const MemberFile& file,
                                                          const std::string& name) {
    for (const StatePart& part : file.parts())
      if (part.is_own && part.name == name) return file.bytes(part);
    return std::nullopt;
  }

  /// What another member of its kind has, where the source held another part of the model.
  std::span<const std::byte> find(const std::string& name) const {
    if (const auto saved = own_of(files_[member_.source(saved_)], name)) return *saved;
    for (const MemberFile& file : files_)
      if (const auto saved = own_of(file, name)) return *saved;
    throw RunError(fmt::format("it lacks {}", name));
  }

  /// In double precision, so that the mean of equal numbers is they themselves.
  void mean(const std::string& name, std::span<float> numbers) const {
    std::vector<double> sums(numbers.size(), 0);
    for (int worker = 0; worker < saved_.workers; ++worker) {
      const auto saved = own_of(files_[worker], name);
      if (!saved) throw RunError(fmt::format("it lacks {} of worker {}", name, worker));
      require_size(name, saved->size(), numbers.size_bytes());
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        float number = 0;
        std::memcpy(&number, saved->data() + i * sizeof number, sizeof number);
        sums[i] += number;
      }
    }
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<float>(sums[i] / saved_.workers);
  }

  /// Of chunks that may overlap.
  static std::size_t numbers_in(std::vector<Chunk> chunks) {
    std::ranges::sort(chunks, std::less{}, &Chunk::offset);
    std::size_t count = 0, end = 0;
    for (const Chunk& chunk : chunks) {
      const std::size_t chunk_end = chunk.offset + chunk.elements;
      if (chunk_end <= end) continue;
      count += chunk_end - std::max(end, chunk.offset);
      end = chunk_end;
    }
    return count;
  }

  /// Copies what a file has of the chunk, and adds it to `copied`.
  static void copy(const MemberFile& file, const std::string& name, const Chunk& chunk,
                   const View& numbers, std::vector<Chunk>& copied) {
    for (const StatePart& part : file.parts()) {
      if (part.is_own || part.name != name || part.element_bytes != size_of(numbers.dtype))
        continue;
      const std::size_t begin = std::max(part.offset, chunk.offset);
      const std::size_t end =
          std::min(part.offset + part.bytes / part.element_bytes, chunk.offset + chunk.elements);
      if (begin >= end) continue;
      std::memcpy(numbers.slice(begin - chunk.offset, end - begin).on_host().data,
                  file.bytes(part).data() + (begin - part.offset) * part.element_bytes,
                  (end - begin) * part.element_bytes);
      copied.push_back({begin, end - begin});
    }
  }

  const std::vector<MemberFile>& files_;
  const Membership& saved_;
  const Membership& member_;
};

}  // namespace

int Membership::source(const Membership& saved) const {
  if (is_worker()) return rank % saved.workers;
  return saved.workers + (rank - workers) % saved.servers;
}

FileSeal write_member_file(const std::filesystem::path& file, const Membership& member,
                           const VisitState& visit) {
  Saver saver(member);
  visit(saver);
  const std::string header = saver.header().dump();
  std::byte length[kLengthBytes];
  for (std::size_t i = 0; i < kLengthBytes; ++i) length[i] = std::byte(header.size() >> (8 * i));
  std::vector<std::span<const std::byte>> all = {std::as_bytes(std::span(kFormat)), length,
                                                 std::as_bytes(std::span(header))};
  all.insert(all.end(), saver.data().begin(), saver.data().end());
  FileSeal seal;
  for (const auto& bytes : all) {
    seal.bytes += bytes.size();
    seal.crc32 = bytes.empty() ? seal.crc32 : crc32_of(bytes, seal.crc32);
  }
  write_file_atomically(file, all);
  return seal;
}

MemberFile::MemberFile(const std::filesystem::path& file, const FileSeal& seal) {
  const std::string name = file.filename().string();
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // may be a FIFO
  if (descriptor < 0)
    throw RunError(fmt::format("{} can't be read: {}", name, std::strerror(errno)));
  struct stat status = {};
  ::fstat(descriptor, &status);
  size_ = static_cast<std::size_t>(status.st_size);
  void* mapped =
      size_ > 0 ? ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
  ::close(descriptor);
  if (mapped != MAP_FAILED)
    data_ = {static_cast<const std::byte*>(mapped), [size = size_](const std::byte* data) {
               ::munmap(const_cast<std::byte*>(data), size);
             }};
  if (size_ != seal.bytes)
    throw RunError(fmt::format("{} has {} bytes, but {} were written", name, size_, seal.bytes));
  if (mapped == MAP_FAILED) throw RunError(fmt::format("{} can't be read", name));
  if (crc32_of(all()) != seal.crc32)
    throw RunError(fmt::format("{} is corrupted: its checksum is wrong", name));
  read_header(name);
}

// The checksum was right, so only a file of another format can fail here, or one that somebody made
// to harm.
void MemberFile::read_header(const std::string& name) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data_.get()), size_);
    if (!text.starts_with(kFormat)) throw RunError("another format");
    std::size_t length = 0;
    for (std::size_t i = 0; i < kLengthBytes; ++i)
      length |= std::size_t{static_cast<unsigned char>(text.at(kFormat.size() + i))} << (8 * i);
    std::size_t position = kFormat.size() + kLengthBytes;
    if (length > size_ - position) throw RunError("another size");
    const nlohmann::json header = parse_shallow_json(text.substr(position, length));
    position += length;
    for (const auto& row : header.at("parts")) {
      parts_.push_back({.name = row.at(0),
                        .is_own = row.at(1),
                        .offset = whole_number(row.at(2)),
                        .element_bytes = whole_number(row.at(3)),
                        .bytes = whole_number(row.at(4), size_ - position),
                        .position = position});
      position += parts_.back().bytes;
    }
    if (position != size_) throw RunError("another size");
  } catch (const std::exception&) {
    throw RunError(fmt::format("{} is no part of a checkpoint that this version reads", name));
  }
}

void restore_state(const std::vector<MemberFile>& files, const Membership& saved,
                   const Membership& member, const VisitState& visit) {
  if (!member.is_worker() && saved.servers == 0) throw RunError("it was saved without servers");
  Restorer restorer(files, saved, member);
  visit(restorer);
}

}  // namespace tandem
