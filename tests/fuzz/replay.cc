// Gives a fuzzer's target the files of its corpus, as an ordinary test: REPLAY FOLDER...

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(in), {}};
      if (!in.is_open() || in.bad()) {
        std::fprintf(stderr, "%s: can't be read\n", entry.path().c_str());
        return 1;
      }
      std::printf("%s: %zu bytes\n", entry.path().c_str(), bytes.size());
      std::fflush(stdout);  // before what may be the last
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
      ++files;
    }
  }
  return files > 0 ? 0 : 1;
}
