// The memory of a black box as numbers, so that it lives in a State like everything else that changes:
// how many bytes, then six bytes in each number, which is a whole number below 2⁴⁸. Bits of doubles
// would do as well, but for those that are not-a-number: they are not equal to themselves.
#pragma once

#include <span>
#include <vector>

namespace flexloop::control {

// Replaces what `packed` held.
void packBytes(const std::vector<unsigned char>& bytes, std::vector<double>& packed);
void unpackBytes(std::span<const double> packed, std::vector<unsigned char>& bytes);

// Whether numbers, from a file, are bytes that were packed.
bool arePacked(std::span<const double> packed);

}  // namespace flexloop::control
