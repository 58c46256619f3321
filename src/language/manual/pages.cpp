#include "language/manual/pages.hpp"

#include <string>

// The assembler reads the file, as in view/server/page.cpp.
__asm__(
    ".section .rodata\n"
    ".global flexloop_pages_start\n"
    ".global flexloop_pages_end\n"
    "flexloop_pages_start:\n"
    ".incbin \"" FLEXLOOP_PAGES_FILE
    "\"\n"
    "flexloop_pages_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" const char flexloop_pages_start[];
extern "C" const char flexloop_pages_end[];

namespace flexloop::language {

// cmake/WritePages.cmake puts this before each path.
constexpr char kMark = '\x1e';

std::vector<StoredPage> storedPages() {
  std::string_view rest{flexloop_pages_start,
                        static_cast<std::size_t>(flexloop_pages_end - flexloop_pages_start)};
  std::vector<StoredPage> pages;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::size_t lineEnd = rest.find('\n');
    const std::size_t end = std::min(rest.find(kMark), rest.size());
    pages.push_back({rest.substr(0, lineEnd), rest.substr(lineEnd + 1, end - lineEnd - 1)});
    rest.remove_prefix(end);
  }
  return pages;
}

std::string_view findExample(std::string_view section, std::string_view type) {
  std::string path = "examples/reference/" + std::string(section);
  if (!type.empty()) path += "/" + std::string(type);
  path += ".yaml";
  for (const StoredPage& page : storedPages()) {
    if (page.path == path) return page.text;
  }
  return {};
}

}  // namespace flexloop::language
