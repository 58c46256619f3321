#include "view/server/page.hpp"

#ifdef FLEXLOOP_PAGE_FILE

// The assembler reads the file: a text this long is more than compilers take as a literal.
__asm__(
    ".section .rodata\n"
    ".global flexloop_page_start\n"
    ".global flexloop_page_end\n"
    "flexloop_page_start:\n"
    ".incbin \"" FLEXLOOP_PAGE_FILE
    "\"\n"
    "flexloop_page_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" const char flexloop_page_start[];
extern "C" const char flexloop_page_end[];

namespace flexloop::view {

std::string_view pageText() {
  return {flexloop_page_start, static_cast<std::size_t>(flexloop_page_end - flexloop_page_start)};
}

}  // namespace flexloop::view

#else

namespace flexloop::view {

std::string_view pageText() {
  return {};
}

}  // namespace flexloop::view

#endif
