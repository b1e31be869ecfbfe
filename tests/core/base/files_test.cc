#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/json_file.h"
#include "core/base/main.h"
#include "core/base/paths.h"
#include "core/record/progress.h"
#include "tests/core/environment.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::size_t count() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }
  std::string error_of(const std::function<void()>& action) const {
    try {
      action();
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  const fs::path folder_ =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(Files, AreReplacedAsAWhole) {
  write_file_atomically(folder_ / "a", "old");
  write_file_atomically(folder_ / "a", "new\n");
  EXPECT_EQ(read_file(folder_ / "a"), "new\n");
  EXPECT_EQ(count(), 1U);  // no temporary name is left
}

// While it is there no file can grow beyond nothing, as on a full disk.
class NoRoom {
 public:
  NoRoom() {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit none{0, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
  }
  NoRoom(const NoRoom&) = delete;
  NoRoom& operator=(const NoRoom&) = delete;
  ~NoRoom() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int) = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before_{};
};

TEST_F(Files, AreNamedAsTheyWereAskedForWhereTheyCanNotBeWritten) {
  const auto error_of_writing = [](const fs::path& file) -> std::string {
    try {
      const NoRoom full;
      write_file_atomically(file, "text");
    } catch (const RunError& error) {
      return error.what();
    }
    return "no error";
  };
  for (const fs::path& file : {folder_ / "a", folder_ / ".tandem-sweeps" / "a"})
    EXPECT_EQ(error_of_writing(file), file.string() + ": can't write: File too large");
  EXPECT_EQ(error_of_writing(folder_ / ".tandem-work-x" / "point-0" / "a"),
            folder_.string() + ": can't write in this folder: File too large");
}

TEST_F(Files, ReplaceNoFolder) {
  fs::create_directories(folder_ / "a");
  EXPECT_EQ(error_of([&] { write_file_atomically(folder_ / "a", "text"); }),
            (folder_ / "a").string() + ": can't write: Is a directory");
  EXPECT_EQ(count(), 1U);
}

// While one thread writes files, those that another makes are as readable as ever.
TEST_F(Files, LeaveTheMaskOfOtherThreadsAlone) {
  const mode_t mask = umask(0077);
  std::atomic<bool> ends = false;
  std::thread writer([&] {
    while (!ends) write_file_atomically(folder_ / "written", "text");
  });
  int open_to_others = 0;
  for (int i = 0; i < 2000; ++i) {
    const fs::path file = folder_ / "made";
    std::ofstream(file) << i;
    open_to_others += (fs::status(file).permissions() & fs::perms::others_all) != fs::perms::none;
    fs::remove(file);
  }
  ends = true;
  writer.join();
  umask(mask);
  EXPECT_EQ(open_to_others, 0);
  EXPECT_EQ(fs::status(folder_ / "written").permissions(), fs::perms(0666 & ~mask));
}

TEST_F(Files, MakeTheirFolder) {
  write_file_atomically(folder_ / "b" / "c" / "a", "text");
  EXPECT_EQ(read_file(folder_ / "b" / "c" / "a"), "text");
}

// Permissions don't bind root, but nobody can make a folder below a file.
TEST_F(Files, SayWhereTheyCannotBeWritten) {
  write_file_atomically(folder_ / "file", "");
  const std::string folder = (folder_ / "file" / "sub").string();
  const auto error = testing::StartsWith(folder + ": can't make this folder: ");
  EXPECT_THAT(error_of([&] { write_file_atomically(folder + "/a", "x"); }), error);
  EXPECT_THAT(error_of([&] { require_writable_folder(folder); }), error);
  EXPECT_THAT(
      error_of([&] { write_file_atomically(folder_ / "file" / ".tandem-work-x" / "a", ""); }),
      testing::StartsWith((folder_ / "file").string() + ": can't write in this folder: "));
  EXPECT_EQ(count(), 1U);
}

TEST_F(Files, SayWhatCannotBeRead) {
  const std::string missing = (folder_ / "missing").string();
  EXPECT_EQ(error_of([&] { read_file(missing); }),
            missing + ": can't read this file: No such file or directory");
  EXPECT_EQ(error_of([&] { read_file(folder_); }),
            folder_.string() + ": this is a folder; give a file");
  const fs::path fifo = folder_ / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const fs::path& endless : {fifo, fs::path("/dev/zero")})
    EXPECT_EQ(error_of([&] { read_file(endless); }),
              endless.string() + ": this is a device, a pipe or a socket; give a file");
}

TEST_F(Files, OfResourcesAreFoundUnderTheHome) {
  for (const char* name : {"platforms", "scenarios"}) fs::create_directories(folder_ / name);
  for (const char* name : {"star", "cluster"})
    write_file_atomically(folder_ / "platforms" / (std::string(name) + ".xml"), "");
  const Environment home("TANDEM_HOME", folder_.c_str());
  EXPECT_EQ(find_resource("platforms", "star", "xml"), folder_ / "platforms" / "star.xml");
  const std::string path = (folder_ / "platforms" / "star.xml").string();
  EXPECT_EQ(find_resource("platforms", path, "xml"), path);
  EXPECT_EQ(error_of([] { find_resource("platforms", "clutser", "xml"); }),
            "no clutser.xml in " + (folder_ / "platforms").string() + "; did you mean 'cluster'?");
  const std::string long_name(300, 'x');  // more than a file system takes
  EXPECT_EQ(error_of([&] { find_resource("platforms", "./" + long_name, "xml"); }),
            "./" + long_name + ": File name too long");
  EXPECT_THAT(error_of([&] { find_resource("platforms", long_name, "xml"); }),
              testing::StartsWith("no " + long_name));
  EXPECT_EQ(error_of([] { find_resource("platforms", "./a.xml", "xml"); }),
            "./a.xml: no such file");
  EXPECT_EQ(resource_names("platforms", "xml"), (std::vector<std::string>{"cluster", "star"}));
  fs::remove_all(folder_ / "scenarios");
  EXPECT_THAT(error_of([] { home_folder(); }), testing::HasSubstr("holds no platforms/ and"));
}

TEST_F(Files, OfDevicesMayLieBesideThePlatform) {
  for (const char* name : {"platforms/devices", "scenarios", "own/devices"})
    fs::create_directories(folder_ / name);
  const fs::path common = folder_ / "platforms" / "devices", own = folder_ / "own" / "devices";
  for (const fs::path& file : {common / "k80.yaml", own / "k80.yaml", own / "laptop.yaml"})
    write_file_atomically(file, "");
  const Environment home("TANDEM_HOME", folder_.c_str());
  const fs::path platform = folder_ / "own" / "platform.xml";
  EXPECT_EQ(find_device(platform, "k80"), own / "k80.yaml");
  EXPECT_EQ(find_device(folder_ / "platforms" / "star.xml", "k80"), common / "k80.yaml");
  EXPECT_EQ(
      error_of([&] { find_device(platform, "labtop"); }),
      "no labtop.yaml in " + own.string() + " or " + common.string() + "; did you mean 'laptop'?");
  EXPECT_EQ(error_of([&] { find_device("", "labtop"); }),
            "no labtop.yaml in " + common.string() + "; known: k80");
  EXPECT_EQ(error_of([&] { find_device(platform, "a100"); }),
            "no a100.yaml in " + own.string() + " or " + common.string() + "; known: k80, laptop");
}

TEST_F(Files, OfProgressTellHowFarARunIs) {
  EXPECT_FALSE(ProgressFile::read(folder_ / "progress"));
  ProgressFile progress(folder_ / "progress");
  progress(1, 10);
  EXPECT_EQ(ProgressFile::read(folder_ / "progress")->done, 1);
  progress(2, 10);  // too soon to be written again
  EXPECT_EQ(ProgressFile::read(folder_ / "progress")->done, 1);
  progress(10, 10);  // the end always is
  EXPECT_EQ(ProgressFile::read(folder_ / "progress")->done, 10);
  EXPECT_EQ(ProgressFile::read(folder_ / "progress")->total, 10);
}

TEST(RunMain, PrintsOneLineAndTellsMistakesFromFailures) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_main([]() -> int { throw InputError("a\n  b\n"); }), 2);
  EXPECT_EQ(run_main([]() -> int { throw RunError("c"); }), 1);
  EXPECT_EQ(run_main([] { return 7; }), 7);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "tandem: error: a b\ntandem: error: c\n");
}

TEST(RunMain, TellsPathsThatCannotBeLookedAtFromFullDisks) {
  const std::string path(300, 'a');
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_main([&]() -> int { return fs::exists(path) ? 1 : 0; }), 2);
  EXPECT_EQ(run_main([&]() -> int {
              throw fs::filesystem_error("can't copy", "b",
                                         std::make_error_code(std::errc::no_space_on_device));
            }),
            1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "tandem: error: " + path +
                ": File name too long\ntandem: error: b: No space left on device\n");
}

TEST_F(Files, JsonThatIsNoneIsNamedWithItsPlaceInOurWords) {
  const fs::path file = folder_ / "a.json";
  const auto error_of_json = [&](const std::string& text) {
    write_file_atomically(file, text);
    return error_of([&] { read_json_file(file); });
  };
  EXPECT_EQ(error_of_json("{\n  \"a\": x}"),
            file.string() + ":2:8: not JSON: nothing may go on with 'x' here");
  EXPECT_EQ(error_of_json("[1,\n"),
            file.string() + ":2:1: not JSON: it ends before it is complete");
  EXPECT_EQ(error_of_json(""), file.string() + ":1:1: not JSON: it ends before it is complete");
  EXPECT_EQ(error_of_json("[1]\x01"),
            file.string() + ":1:4: not JSON: nothing may go on with the byte 1 here");
  EXPECT_EQ(error_of_json("[1e999]"),
            file.string() + ": can't be read as JSON: the number '1e999' is too large");
}

TEST(Json, ThatIsAnotherThanWasExpectedIsToldInOurWords) {
  using nlohmann::json;
  const auto reason = [](const auto& read) -> std::string {
    try {
      read();
    } catch (const json::exception& error) {
      return reason_of(error);
    }
    return "it was read";
  };
  const json map = json::object(), list = json::array(), nothing;
  EXPECT_EQ(reason([&] { (void)map.at("points"); }), "'points' is missing");
  EXPECT_EQ(reason([&] { (void)nothing.at("points"); }),
            "null stands where a map or a list has to be");
  EXPECT_EQ(reason([&] { (void)list.at("points"); }), "a list stands where a map has to be");
  EXPECT_EQ(reason([&] { (void)map.at(0); }), "a map stands where a list has to be");
  EXPECT_EQ(reason([&] { (void)json(3).value("points", 1); }),
            "a number stands where a map or a list has to be");
  EXPECT_EQ(reason([&] { (void)list.at(0); }), "a list is too short");
  EXPECT_EQ(reason([&] { (void)json("3").get<int>(); }), "text stands where a number has to be");
  EXPECT_EQ(reason([&] { (void)json(true).get<std::map<std::string, int>>(); }),
            "true or false stands where a map has to be");
  EXPECT_EQ(reason([&] { (void)map.get<std::vector<int>>(); }),
            "a map stands where a list has to be");
  EXPECT_EQ(reason([&] { (void)nothing.get<bool>(); }),
            "null stands where true or false has to be");
}

}  // namespace
}  // namespace tandem
