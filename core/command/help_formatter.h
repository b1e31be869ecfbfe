#pragma once

#include <CLI/CLI.hpp>

namespace tandem {

/// CLI11's help with descriptions that end within 80 columns, and --flag[=TYPE] for a flag that may
/// have a value.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_subcommand(const CLI::App* command) const override;

 private:
  std::string wrapped(const std::string& description) const;
};

}  // namespace tandem
