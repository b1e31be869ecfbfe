#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace tandem {

/// How the names begin of what is not whole yet: of files that are still being written, and of the
/// work folders of commands.
inline constexpr const char* kUnfinishedPrefix = ".tandem-";
/// Of the work folders alone; whoever asked for what is in one may never have seen its name.
inline constexpr const char* kWorkFolderPrefix = ".tandem-work-";

/// Says that `asked`, or where that is in a work folder the folder around it, can't be written:
/// `problem` is how, `error` the errno of why. Throws RunError of a full or broken disk, else
/// InputError.
[[noreturn]] void fail_to_write(const std::filesystem::path& asked, const char* problem, int error);

/// Writes `content` to a temporary name in the same folder, brings it to the disk, and renames it
/// to `file`: whoever reads the name finds the old content or the new, never a part. Makes the
/// folder where it is missing. Throws as fail_to_write() does.
void write_file_atomically(const std::filesystem::path& file, const std::string& content);
/// The same of contents that lie in several places, one after the other.
void write_file_atomically(const std::filesystem::path& file,
                           std::span<const std::span<const std::byte>> contents);

/// Makes `folder` where it is missing and tries to write in it. Throws as fail_to_write() does.
void require_writable_folder(const std::filesystem::path& folder);

/// Throws InputError where `file` is a folder, or a device, a pipe or a socket, which may never
/// end, or never begin.
void require_file(const std::filesystem::path& file);

/// The whole file. Throws InputError where it can't be read.
std::string read_file(const std::filesystem::path& file);

}  // namespace tandem
