/* The archives of others are compiled for programs and reach the data of libc directly, which a shared object cannot. The linker gives
   them these in its place (--wrap, cmake/FmuRuntime.cmake). */
#include <stdio.h>

extern FILE* __real_stderr;
extern FILE* __real_stdout;

FILE* __wrap_stderr;
FILE* __wrap_stdout;
/* Whether there is one thread is a hint that makes counting references cheaper. No is always right. */
char __wrap___libc_single_threaded;

__attribute__((constructor(101))) static void findStreams(void) {
  __wrap_stderr = __real_stderr;
  __wrap_stdout = __real_stdout;
}
