#pragma once

#include <string>
#include <vector>

namespace tandem {

/// Runs a program of analysis/, such as "plot.py", and returns its exit code. Throws InputError
/// where there is no Python that has matplotlib.
int run_analysis(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace tandem
