#pragma once

#include <vector>

#include "core/record/link_usage.h"
#include "sim/engine.h"
#include "sim/link_loads.h"

namespace tandem {

/// The links between the members' hosts, with what they carried until `end`; nothing of more than
/// kMostWiredHosts. `hosts`: indices of Engine::hosts() by rank, or empty: the first `members`.
std::vector<WiredLink> wired_links(const Engine& engine, const std::vector<int>& hosts,
                                   std::size_t members, const LinkLoads& loads, Seconds end);
inline constexpr std::size_t kMostWiredHosts = 1024;

/// Whether that is why there are none.
bool has_too_many_hosts(const std::vector<int>& hosts, std::size_t members);

}  // namespace tandem
