#include "control/boxes/host/box_region.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <sys/mman.h>

#include "control/boxes/box.hpp"

namespace flexloop::control {
namespace {

constexpr std::size_t kUsualNumbers = std::size_t{1} << 16;

std::size_t numbersOf(const BoxSettings& settings, BoxFunction function) {
  return static_cast<std::size_t>(inputsOf(settings, function)) +
         static_cast<std::size_t>(groupsOf(settings, function).cells());
}

// Room for many calls, and for one of the largest in any case.
std::size_t numbersOf(const BoxSettings& settings) {
  std::size_t largest = kUsualNumbers;
  for (int k = 0; k < kBoxFunctions; ++k) {
    largest = std::max(largest, numbersOf(settings, static_cast<BoxFunction>(k)));
  }
  return largest;
}

unsigned char* behind(void* base, std::size_t bytes) {
  return static_cast<unsigned char*>(base) + bytes;
}

}  // namespace

BoxRegion::BoxRegion(const BoxSettings& settings)
    : numbers_(numbersOf(settings)),
      bytes_(sizeof(Header) + numbers_ * sizeof(double) + Box::kLargestMemory + kFenceBytes) {
  void* const base = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) {
    error_ = errno;
    return;
  }
  base_ = new (base) Header;
}

BoxRegion::~BoxRegion() {
  if (base_ != nullptr) munmap(base_, bytes_);
}

void BoxRegion::keepFromOthers() const {
  madvise(base_, bytes_, MADV_DONTFORK);
}

std::span<double> BoxRegion::numbers() const {
  return {reinterpret_cast<double*>(behind(base_, sizeof(Header))), numbers_};
}

std::span<unsigned char> BoxRegion::memory() const {
  return {behind(base_, sizeof(Header) + numbers_ * sizeof(double)),
          Box::kLargestMemory + kFenceBytes};
}

}  // namespace flexloop::control
