#pragma once

#include <string>
#include <vector>

namespace tandem::lab {

/// "tdm-NAME-PART": part is a host, h1, or the switch, net.
std::string namespace_of(const std::string& lab, const std::string& part);

/// Every namespace on this machine that is called as one of this lab.
std::vector<std::string> namespaces_of(const std::string& lab);

/// Labs that own a namespace, whole or left over.
std::vector<std::string> labs_with_namespaces();

/// Whether a network namespace of that name can be entered.
bool is_alive(const std::string& name);

/// Moves this thread into a network namespace; whether that worked.
bool enter_network(const std::string& name);

/// Moves this process into a namespace, with a host name of its own. Throws InputError where there
/// is none of that name.
void enter(const std::string& name, const std::string& host_name);

/// Ends the processes that are in one of the namespaces: SIGTERM, and SIGKILL a few seconds later.
void end_processes(const std::vector<std::string>& names);

/// Runs a tool, such as ip, and waits for it. Throws InputError with what it said where it fails.
void run_tool(const std::vector<std::string>& command);

}  // namespace tandem::lab
