#include "core/command/lab.h"

#include <fmt/format.h>

#include <boost/algorithm/string/replace.hpp>
#include <cstdlib>
#include <regex>

#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/command/commands.h"
#include "core/command/process.h"
#include "core/command/run.h"

namespace tandem {
namespace {

int become_tandem_lab(const std::string& command, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {sibling_program("tandem-lab"), command};
  words.insert(words.end(), arguments.begin(), arguments.end());
  become(words);
}

// tandem-lab reads the arguments, and says what is wrong with them.
void add_forwarded(CLI::App& lab, const std::string& name, const char* description,
                   CommandAction& action) {
  CLI::App* command = lab.add_subcommand(name, description);
  command->set_help_flag();
  command->prefix_command();
  command->callback([&action, command, name] {
    action = [command, name] { return become_tandem_lab(name, command->remaining()); };
  });
}

}  // namespace

std::string default_lab() {
  const char* name = std::getenv("TANDEM_LAB");
  return name != nullptr && *name != '\0' ? name : "lab";
}

std::string calibrated_platform(std::string platform, const std::string& calibration,
                                const std::string& device) {
  const std::size_t zone = platform.find('>', platform.find("<zone ")) + 1;
  platform.insert(zone, fmt::format("\n  <prop id=\"calibration\" value=\"{}\"/>", calibration));
  if (device.empty()) return platform;
  boost::algorithm::replace_all(platform, "</host>",
                                fmt::format("<prop id=\"device\" value=\"{}\"/></host>", device));
  return platform;
}

std::filesystem::path lab_use_file(const std::string& name) {
  return std::filesystem::path(kLabFolder) / (name + ".used");
}

LabUse::LabUse(const std::optional<std::string>& lab) : lab_(lab) {
  if (!lab_) return;
  had_others_ = LockFile(lab_use_file(*lab_), Sharing::kAlone).is_taken();
  lock_ = LockFile(lab_use_file(*lab_), Sharing::kWithOthers);
}

void LabUse::end() {
  lock_ = {};
  if (!lab_ || (!had_others_ && !LockFile(lab_use_file(*lab_), Sharing::kAlone).is_taken())) return;
  print_line(stderr,
             fmt::format("tandem: warning: another command worked in lab {} meanwhile: they "
                         "shared its wires and this machine's processors",
                         *lab_));
}

std::optional<int> shares_with_first_host(const std::string& platform) {
  static const std::regex kProcessor(R"re(<host [^>]*><prop id="processor" value="(\w+)"/>)re");
  std::optional<std::string> first;
  int host = 0;
  for (auto found = std::sregex_iterator(platform.begin(), platform.end(), kProcessor);
       found != std::sregex_iterator(); ++found, ++host) {
    const std::string processor = (*found)[1];
    if (!first) {
      first = processor;
    } else if (processor == *first) {
      return host;
    }
  }
  return std::nullopt;
}

std::optional<std::string> unlike_lab(const std::string& platform, const std::string& of_lab) {
  static const std::regex kPart(R"re(<(host|link) id="([^"]*)"[^>]*>(.*))re");
  static const std::regex kDevice(R"re(<prop id="device" value="[^"]*"/>)re");
  const std::string plain = std::regex_replace(platform, kDevice, "");
  for (auto part = std::sregex_iterator(of_lab.begin(), of_lab.end(), kPart);
       part != std::sregex_iterator(); ++part)
    if (plain.find(part->str()) == std::string::npos) return (*part)[2];
  return std::nullopt;
}

std::filesystem::path lab_platform_file(const std::string& name) {
  return std::filesystem::path(kLabFolder) / (name + ".xml");
}

std::filesystem::path lab_platform(const std::string& name) {
  std::filesystem::path file = lab_platform_file(name);
  if (std::filesystem::exists(file)) return file;
  throw InputError(fmt::format(
      "no lab {0} is up; make one, such as with: tandem lab up --hosts 4 --rate '1 Gbit/s'{1}",
      name, name == "lab" ? "" : " --name " + name));
}

void add_lab(CLI::App& app, CommandAction& action) {
  CLI::App* lab = app.add_subcommand(
      "lab", "Virtual hosts on this machine, joined by wires of chosen rates, to run on");
  lab->require_subcommand(1);
  add_forwarded(*lab, "up", "Make a lab", action);
  add_forwarded(*lab, "down", "Take a lab down, and end what runs in it", action);
  add_forwarded(*lab, "status", "List the labs of this machine", action);
  add_lab_run(*lab, action);
  lab->footer(
      "Example:\n  tandem lab up --hosts 4 --rate '1 Gbit/s' --rate h3='200 Mbit/s'\n"
      "  tandem compare demo --lab --device paced:k80    # predicts, and then runs\n"
      "  tandem lab down\n"
      "Needs root. Without a paced device all hosts compute on this machine's\n"
      "processors, and these are the limit.");
}

}  // namespace tandem
