// A file that is open already, named by its number as shells do (`--json /dev/fd/3`).
#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "files/output_file.hpp"

namespace flexloop::files {
namespace {

TEST(OpenFile, IsWrittenWhereItIs) {
  for (const char* folder : {"/dev/fd/", "/proc/self/fd/"}) {
    const int file = ::memfd_create("test", MFD_CLOEXEC);
    ASSERT_GE(file, 0);
    writeTextFile(folder + std::to_string(file), "abc\n");
    char text[8] = {};
    EXPECT_EQ(::pread(file, text, sizeof text, 0), 4);
    EXPECT_STREQ(text, "abc\n");
    ::close(file);
  }
}

}  // namespace
}  // namespace flexloop::files
