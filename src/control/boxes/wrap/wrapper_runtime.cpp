#include "control/boxes/wrap/wrapper_runtime.hpp"

namespace flexloop::control {

const char* const kWrapperBegin = R"(#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
)";

const char* const kWrapperTools = R"(#include <elf.h>
#include <link.h>
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* A reason why this block gives no results any more; part of its memory. */
static char flexloop_failure[256];

static void flexloop_fail(const char* text, const char* detail) {
  if (flexloop_failure[0] != 0) return;
  snprintf(flexloop_failure, sizeof flexloop_failure, "%s%s", text, detail);
  fprintf(stderr, "%s: %s\n", FLEXLOOP_NAME, flexloop_failure);
}

/* The nearest whole number that a type has. Not all of 64 bits are numbers of double precision. */
static double flexloop_whole(double value, int isSigned, size_t bytes) {
  const int bits = (int)(8 * bytes) - isSigned;
  const double top = ldexp(1.0, bits);
  const double highest = bits > 53 ? nextafter(top, 0.0) : top - 1.0;
  const double lowest = isSigned ? -top : 0.0;
  const double nearest = floor(value + 0.5);
  if (!(nearest > lowest)) return lowest;
  return nearest > highest ? highest : nearest;
}

/* Numbers as they are; whole numbers and booleans rounded and within their range. */
#define FLEXLOOP_SET(place, value)                                                             \
  ((place) = _Generic((place), float: (value), double: (value), long double: (value),         \
       default: flexloop_whole((value), (__typeof__(place))-1 < (__typeof__(place))1, sizeof(place))))
)";

const char* const kWrapperHeap = R"(
/* The code's own malloc, so that what it allocates is part of its memory. */
#define FLEXLOOP_HIDDEN __attribute__((visibility("hidden")))
#if FLEXLOOP_HEAP > 0
static _Alignas(16) unsigned char flexloop_heap[FLEXLOOP_HEAP];
static size_t flexloop_heapUsed;
#endif

static int flexloop_isAllocated(const void* block) {
#if FLEXLOOP_HEAP > 0
  const unsigned char* at = block;
  return at >= flexloop_heap + 16 && at <= flexloop_heap + flexloop_heapUsed;
#else
  (void)block;
  return 0;
#endif
}

FLEXLOOP_HIDDEN void* malloc(size_t bytes) {
#if FLEXLOOP_HEAP > 0
  /* Each with its size in front; blocks stay aligned. */
  if (bytes <= FLEXLOOP_HEAP) {
    const size_t room = 16 + (bytes + 15) / 16 * 16;
    if (room <= FLEXLOOP_HEAP - flexloop_heapUsed) {
      unsigned char* head = flexloop_heap + flexloop_heapUsed;
      flexloop_heapUsed += room;
      memcpy(head, &bytes, sizeof bytes);
      return head + 16;
    }
  }
  flexloop_fail("the code needs more than the 'heap:' of its description", "");
#else
  (void)bytes;
  flexloop_fail("the code calls malloc, and its description has no 'heap:'", "");
#endif
  return NULL;
}

/* The last block is given back, the others are kept. */
FLEXLOOP_HIDDEN void free(void* block) {
#if FLEXLOOP_HEAP > 0
  unsigned char* at = block;
  size_t bytes;
  if (!flexloop_isAllocated(block)) return;
  memcpy(&bytes, at - 16, sizeof bytes);
  if (at + (bytes + 15) / 16 * 16 != flexloop_heap + flexloop_heapUsed) return;
  flexloop_heapUsed = (size_t)(at - 16 - flexloop_heap);
#else
  (void)block;
#endif
}

FLEXLOOP_HIDDEN void* calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
  volatile unsigned char* made = malloc(bytes); /* volatile: not to become a call of calloc */
  for (size_t k = 0; made != NULL && k < bytes; ++k) made[k] = 0;
  return (void*)made;
}

FLEXLOOP_HIDDEN void* realloc(void* block, size_t bytes) {
  size_t before = 0;
  if (block != NULL && !flexloop_isAllocated(block)) {
    flexloop_fail("the code resizes memory that it has not allocated", "");
    return NULL;
  }
  if (block != NULL) memcpy(&before, (unsigned char*)block - 16, sizeof before);
  if (block != NULL && bytes <= before) return block;
  void* made = malloc(bytes);
  if (made != NULL && block != NULL) memcpy(made, block, before);
  return made;
}
)";

const char* const kWrapperEnd = R"(
/* ---- the memory of the code: all that its library can write to ---- */

typedef struct {
  unsigned char image[1]; /* and more: the memory while another block is called */
} FlexloopBlock;

/* Outside of that memory. */
typedef struct {
  char isLocked;
  FlexloopBlock* current; /* whose memory is in place; NULL: none, or one that is gone */
  unsigned char fresh[];  /* the memory as it was loaded */
} FlexloopShared;

/* The same in all memories. */
static struct {
  unsigned char* start;
  size_t bytes;
  uintptr_t library, libraryEnd; /* all that is mapped of it */
  uint64_t origin;               /* distinguishes this copy of the library from those of other processes */
  uint64_t code;                 /* a sum of all that cannot be written to */
  FlexloopShared* shared;
  int hasThreadLocals;
} flexloop_memory = {.start = (unsigned char*)&flexloop_memory};

/* FNV-1a */
static uint64_t flexloop_sum(uint64_t sum, const unsigned char* from, size_t bytes) {
  for (size_t k = 0; k < bytes; ++k) sum = (sum ^ from[k]) * 1099511628211u;
  return sum;
}

static int flexloop_find(struct dl_phdr_info* info, size_t size, void* data) {
  const uintptr_t here = (uintptr_t)&flexloop_memory;
  uintptr_t start = 0, end = 0;
  (void)size;
  (void)data;
  for (int k = 0; k < info->dlpi_phnum; ++k) {
    const uintptr_t from = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr;
    const uintptr_t to = from + info->dlpi_phdr[k].p_memsz;
    if (info->dlpi_phdr[k].p_type != PT_LOAD || here < from || here >= to) continue;
    start = from;
    end = to;
  }
  if (start == 0) return 0;
  flexloop_memory.library = UINTPTR_MAX;
  flexloop_memory.code = 14695981039346656037u;
  for (int k = 0; k < info->dlpi_phnum; ++k) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[k];
    const uintptr_t from = info->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;
    if (part->p_type == PT_LOAD) {
      if (from < flexloop_memory.library) flexloop_memory.library = from;
      if (to > flexloop_memory.libraryEnd) flexloop_memory.libraryEnd = to;
      if ((part->p_flags & (PF_W | PF_R)) == PF_R) {
        flexloop_memory.code =
            flexloop_sum(flexloop_memory.code, (const unsigned char*)from, part->p_filesz);
      }
    }
    if (info->dlpi_phdr[k].p_type == PT_TLS && info->dlpi_phdr[k].p_memsz > 0) {
      flexloop_memory.hasThreadLocals = 1;
    }
    /* Read-only since it was loaded. */
    if (info->dlpi_phdr[k].p_type == PT_GNU_RELRO && to > start && to < end) start = to;
  }
  flexloop_memory.start = (unsigned char*)start;
  flexloop_memory.bytes = end - start;
  return 1;
}

static void* flexloop_map(size_t bytes) {
  void* made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return made == MAP_FAILED ? NULL : made;
}

__attribute__((constructor)) static void flexloop_load(void) {
  struct timespec now;
  dl_iterate_phdr(flexloop_find, NULL);
  clock_gettime(CLOCK_MONOTONIC, &now);
  flexloop_memory.origin = (uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec * 4099u +
                           (uint64_t)(uintptr_t)flexloop_memory.start;
  flexloop_memory.shared = flexloop_map(sizeof(FlexloopShared) + flexloop_memory.bytes);
  if (flexloop_memory.shared == NULL) return;
  memcpy(flexloop_memory.shared->fresh, flexloop_memory.start, flexloop_memory.bytes);
}

__attribute__((destructor)) static void flexloop_unload(void) {
  if (flexloop_memory.shared == NULL) return;
  munmap(flexloop_memory.shared, sizeof(FlexloopShared) + flexloop_memory.bytes);
}

/* Puts the memory of a block in place; that of another one is kept. */
static void flexloop_enter(FlexloopBlock* block) {
  FlexloopShared* shared = flexloop_memory.shared;
  while (__atomic_test_and_set(&shared->isLocked, __ATOMIC_ACQUIRE)) sched_yield();
  if (shared->current == block) return;
  if (shared->current != NULL) {
    memcpy(shared->current->image, flexloop_memory.start, flexloop_memory.bytes);
  }
  memcpy(flexloop_memory.start, block->image, flexloop_memory.bytes);
  shared->current = block;
}

static void flexloop_leave(void) {
  __atomic_clear(&flexloop_memory.shared->isLocked, __ATOMIC_RELEASE);
}

/* "kp=2.5 ki=10" */
static void flexloop_configure(const char* config) {
  static const char kBetween[] = " ,;\t\r\n";
  while (*(config += strspn(config, kBetween)) != 0) {
    char name[128];
    const size_t length = strcspn(config, "= ,;\t\r\n");
    const char* at = config + length + strspn(config + length, " \t");
    char* end;
    if (length >= sizeof name || *at != '=') {
      flexloop_fail("'config:' must be as in \"kp=2.5 ki=10\", and not ", config);
      return;
    }
    memcpy(name, config, length);
    name[length] = 0;
    const double value = strtod(at + 1, &end);
    if (end == at + 1 || (*end != 0 && strchr(kBetween, *end) == NULL)) {
      flexloop_fail("there is no number in 'config:' for ", name);
      return;
    }
    if (!flexloop_setParameter(name, value)) {
      flexloop_fail("'config:' has a parameter that the description does not have: ", name);
      return;
    }
    config = end;
  }
}

#define FLEXLOOP_EXPORT __attribute__((visibility("default")))

FLEXLOOP_EXPORT void* block_create(const char* config) {
  FlexloopBlock* block = flexloop_map(flexloop_memory.bytes + sizeof(FlexloopBlock));
  if (block == NULL || flexloop_memory.shared == NULL) {
    fprintf(stderr, "%s: there is no memory for another block\n", FLEXLOOP_NAME);
    return NULL;
  }
  memcpy(block->image, flexloop_memory.shared->fresh, flexloop_memory.bytes);
  flexloop_enter(block);
  if (flexloop_memory.hasThreadLocals) {
    flexloop_fail("the code has thread-local variables, which cannot be saved", "");
  }
  /* Before, for what the code derives from them; and after, where it sets them itself. */
  flexloop_configure(config);
  flexloop_initialize();
  flexloop_configure(config);
  flexloop_leave();
  return block;
}

FLEXLOOP_EXPORT void block_output(void* block, double t, const double* u, double* y) {
  if (block == NULL) {
    for (int k = 0; k < FLEXLOOP_OUTPUTS; ++k) y[k] = NAN;
    return;
  }
  flexloop_enter(block);
  if (flexloop_failure[0] == 0) {
    flexloop_setInputs(u);
    flexloop_step(t);
    const char* error = flexloop_findError();
    if (error != NULL) flexloop_fail("the code reports an error: ", error);
  }
  if (flexloop_failure[0] == 0) {
    flexloop_getOutputs(y);
  } else {
    for (int k = 0; k < FLEXLOOP_OUTPUTS; ++k) y[k] = NAN;
  }
  flexloop_leave();
}

/* What a saved memory begins with. Then come the memory itself, and a bit for each of its words: whether the code has
 * changed it since the library was loaded. */
typedef struct {
  uint64_t origin, code, bytes;
  uint64_t library, libraryEnd; /* where the library was */
  uint64_t heapEnd;             /* of the process */
} FlexloopHead;

static size_t flexloop_words(void) { return flexloop_memory.bytes / sizeof(uint64_t); }

static uint64_t flexloop_word(const unsigned char* memory, size_t k) {
  uint64_t word;
  memcpy(&word, memory + k * sizeof word, sizeof word);
  return word;
}

/* Puts a memory of another process in place. Addresses in the library move with it; what the loader has put there, and
 * the code has not changed, is as it is here. An address in anything else that the other process had means nothing. */
static int flexloop_move(const FlexloopHead* head, const unsigned char* image) {
  const unsigned char* changed = image + flexloop_memory.bytes;
  const uint64_t around = (uint64_t)1 << 36, shift = flexloop_memory.library - head->library;
  for (size_t k = 0; k < flexloop_words(); ++k) {
    uint64_t word = flexloop_word(image, k);
    const int isInside = word >= head->library && word < head->libraryEnd;
    const int isNear = word > head->library - around && word < head->libraryEnd + around;
    const int isHeap = word <= head->heapEnd && word > head->heapEnd - around;
    if ((changed[k / 8] >> (k % 8) & 1) == 0) {
      word = flexloop_word(flexloop_memory.shared->fresh, k);
    } else if (isInside) {
      word += shift;
    } else if (isNear || (head->heapEnd > around && isHeap)) {
      return 0;
    }
    memcpy(flexloop_memory.start + k * sizeof word, &word, sizeof word);
  }
  /* Less than a word, at the end. */
  const size_t rest = flexloop_words() * sizeof(uint64_t);
  memcpy(flexloop_memory.start + rest, image + rest, flexloop_memory.bytes - rest);
  return 1;
}

FLEXLOOP_EXPORT size_t block_save(void* block, void* buffer, size_t capacity) {
  const size_t bits = flexloop_words() / 8 + 1;
  const size_t needed = sizeof(FlexloopHead) + flexloop_memory.bytes + bits;
  if (capacity < needed || block == NULL) return needed;
  flexloop_enter(block);
  const FlexloopHead head = {flexloop_memory.origin,  flexloop_memory.code,
                             flexloop_memory.bytes,   flexloop_memory.library,
                             flexloop_memory.libraryEnd, (uint64_t)(uintptr_t)sbrk(0)};
  unsigned char* image = (unsigned char*)buffer + sizeof head;
  unsigned char* changed = image + flexloop_memory.bytes;
  memcpy(buffer, &head, sizeof head);
  memcpy(image, flexloop_memory.start, flexloop_memory.bytes);
  memset(changed, 0, bits);
  for (size_t k = 0; k < flexloop_words(); ++k) {
    const int isChanged = flexloop_word(image, k) != flexloop_word(flexloop_memory.shared->fresh, k);
    changed[k / 8] |= (unsigned char)(isChanged << (k % 8));
  }
  flexloop_leave();
  return needed;
}

FLEXLOOP_EXPORT void block_restore(void* block, const void* buffer, size_t size) {
  FlexloopHead head = {0};
  const unsigned char* image = (const unsigned char*)buffer + sizeof head;
  if (block == NULL) return;
  flexloop_enter(block);
  /* Of this process, whatever the image says. */
  const __typeof__(flexloop_memory) own = flexloop_memory;
  if (size >= sizeof head) memcpy(&head, buffer, sizeof head);
  if (head.code != own.code || head.bytes != own.bytes ||
      size != sizeof head + own.bytes + flexloop_words() / 8 + 1) {
    flexloop_fail("the checkpoint is of another build of the code; start the run anew", "");
  } else if (head.origin == own.origin) {
    memcpy(flexloop_memory.start, image, own.bytes);
  } else if (!flexloop_move(&head, image)) {
    flexloop_memory = own;
    flexloop_fail("the code remembers addresses outside of it, so a run cannot be continued from a checkpoint", "");
  }
  flexloop_memory = own;
  flexloop_leave();
}

FLEXLOOP_EXPORT void block_destroy(void* block) {
  if (block == NULL) return;
  flexloop_enter(block);
  flexloop_terminate();
  flexloop_memory.shared->current = NULL;
  flexloop_leave();
  munmap(block, flexloop_memory.bytes + sizeof(FlexloopBlock));
}
)";

}  // namespace flexloop::control
