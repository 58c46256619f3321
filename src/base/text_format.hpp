// Text with numbers in it, by the patterns of printf; the compiler checks them.
#pragma once

#include <string>

namespace flexloop::base {

[[gnu::format(printf, 1, 2)]] std::string formatText(const char* pattern, ...);

// The shortest text that gives the same number again.
std::string numberText(double value);

// `5 s`, `3 min 20 s`, `2 h 05 min`
std::string formatDuration(double seconds);

}  // namespace flexloop::base
