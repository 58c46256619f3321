// Markdown as plain text for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace flexloop::language {

// Paragraphs are broken at `width` characters, tables become columns, code is indented, and marks of emphasis, code and
// links go; the text of a link stays.
std::string makePlainPage(std::string_view markdown, std::size_t width);

}  // namespace flexloop::language
