#pragma once

#include <optional>
#include <string>

#include "sim/fabric.h"

namespace tandem {

/// Makes the first of the fabric's hosts, which are alike, stand for `count` of them: its own links
/// become so many times as wide, so that a message of so many times the bytes is to every link what
/// `count` like messages are that begin together. Each of these would get a rate x, which max-min
/// fairness bounds by x <= B on a host's own link and by the sum over all on a link that is shared;
/// with y = count x these are y <= count B and the same sum over y. Every other flow must be such a
/// group too. Returns why it can't be done; nothing where it was. Requires three hosts.
std::optional<std::string> group_flows(Fabric& fabric, int count);

}  // namespace tandem
