#include <fmt/format.h>

#include <fstream>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/command/chosen_points.h"
#include "core/command/commands.h"
#include "core/interchange/paje.h"

namespace tandem {
namespace {

struct ExportOptions {
  std::string format;
  std::filesystem::path result;
  std::optional<std::filesystem::path> out;
  std::optional<int> point;
};

/// Throws InputError where something else than such a trace has that name.
void require_own(const std::filesystem::path& out) {
  std::error_code ignored;
  if (std::filesystem::is_directory(out, ignored))
    throw InputError(fmt::format("{}: this is a folder; give a file's name", out.string()));
  if (!std::filesystem::is_regular_file(out, ignored)) return;
  std::string begin(std::string_view("%EventDef").size(), '\0');
  std::ifstream(out).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (begin != "%EventDef")
    throw InputError(fmt::format(
        "{}: this is no Paje trace, and won't be overwritten; give another --out", out.string()));
}

int export_trace(const ExportOptions& options) {
  const std::size_t index = chosen_point(options.result, options.point);
  const TracedPoint point = read_traced_point(options.result, index);
  const std::filesystem::path out = options.out.value_or(options.result / "paje.trace");
  require_own(out);
  write_file_atomically(out, paje_trace(point));
  fmt::print("wrote {}\n", out.string());
  return 0;
}

}  // namespace

void add_export(CLI::App& app, CommandAction& action) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command =
      app.add_subcommand("export", "Write a result's timeline in another program's format");
  command->add_option("FORMAT", options->format, "paje, which ViTE and PajeNG read")
      ->required()
      ->check(CLI::IsMember({"paje"}).description(""));
  command->add_option("RESULT", options->result, "a result folder")->required();
  command->add_option("--out", options->out, "the file to write (default: paje.trace in RESULT)")
      ->type_name("FILE");
  command
      ->add_option("--point", options->point,
                   "this point of a sweep, counted from 1 (default: the last)")
      ->type_name("NUMBER");
  command->footer(
      "Example:\n  tandem export paje results/thesis --point 2 --out thesis.trace\n"
      "  vite thesis.trace");
  command->callback([&action, options] { action = [options] { return export_trace(*options); }; });
}

}  // namespace tandem
