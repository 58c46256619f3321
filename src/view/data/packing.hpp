// Bytes as text inside a page: compressed by gzip, then base64.
#pragma once

#include <string>
#include <string_view>

namespace flexloop::view {

std::string packGzip(std::string_view bytes);
std::string toBase64(std::string_view bytes);

}  // namespace flexloop::view
