// Counts the allocations of the whole test program at the lowest level, because Eigen allocates
// without operator new.
#include <atomic>
#include <cstddef>

#include "conformance/element_checks.hpp"

namespace {

std::atomic<long> allocations{0};

}  // namespace

#ifdef __SANITIZE_ADDRESS__

// Of the sanitizer's run time; GCC ships no header for it.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*onAllocation)(const volatile void*,
                                                                              std::size_t),
                                                         void (*onRelease)(const volatile void*));

namespace {

void countAllocation(const volatile void*, std::size_t) {
  ++allocations;
}
void countNothing(const volatile void*) {}
const int kInstalled = __sanitizer_install_malloc_and_free_hooks(countAllocation, countNothing);

}  // namespace

#else

extern "C" {

// The C library's own.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) {
  ++allocations;
  return __libc_realloc(memory, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}

}  // extern "C"

#endif

namespace flexloop::test {

long allocationCount() {
  return allocations.load();
}

}  // namespace flexloop::test
