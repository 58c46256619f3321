// A figure in the format that its file name asks for: .svg, .png or .pdf.
#pragma once

#include <string>

namespace flexloop::reports {

// Throws base::InputError for any other ending. `-` is SVG on standard output.
void checkPictureName(const std::string& path);

// PNG and PDF are made by rsvg-convert of librsvg, which has its own letters and no window. Throws
// std::runtime_error with the remedy where it is missing or fails.
void writePicture(const std::string& path, const std::string& svg);

}  // namespace flexloop::reports
