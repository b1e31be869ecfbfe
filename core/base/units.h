#pragma once

#include <optional>
#include <string>

namespace tandem {

// Quantities are written with their unit: a number, optional blanks, a unit. Prefixes k, M, G, T
// are powers of 1000; Ki, Mi, Gi, Ti powers of 1024. "inf" and "0" need no unit. Nothing is
// returned for anything else, and for negative quantities.

/// "25 MB" is 25,000,000; "25 MiB" is 26,214,400.
std::optional<double> parse_bytes(const std::string& text);

/// Bytes a second: "1 Gbit/s" (or "1 Gbps") and "125 MB/s" (or "125 MBps") are 125,000,000.
std::optional<double> parse_bandwidth(const std::string& text);
/// The other way, in bits, to four digits: "1 Gbit/s", "200 Mbit/s".
std::string bandwidth_text(double bytes_per_s);

/// "50 us", "1.5 ms", "20 ns", "2 s", "3 min", "1 h".
std::optional<double> parse_seconds(const std::string& text);

}  // namespace tandem
