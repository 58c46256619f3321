/* Faults on purpose, loaded into the program with LD_PRELOAD.
 *
 *   FAULT_AT=n    the n-th call that changes a file is the one that goes wrong:
 *   FAULT=kill      the process is killed before it
 *   FAULT=torn      half of the bytes are written, then the process is killed
 *   FAULT=full      there is no space for it, nor for any later one
 *   FAULT_CLOCK=1 the clock of the day jumps by days, forth and back, with every reading
 *   FAULT_COUNT=f writes the number of calls to the file f when the program ends
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static long calls;

static long wantedCall(void) {
  const char* text = getenv("FAULT_AT");
  return text == NULL ? 0 : atol(text);
}

static int isWanted(const char* fault) {
  const char* text = getenv("FAULT");
  return text != NULL && strcmp(text, fault) == 0;
}

/* Whether the call fails; does not return where the process is killed. */
static int meetsFault(void) {
  const long wanted = wantedCall();
  ++calls;
  if (wanted == 0 || calls < wanted) return 0;
  if (isWanted("full")) {
    errno = ENOSPC;
    return 1;
  }
  if (calls == wanted && isWanted("kill")) raise(SIGKILL);
  return 0;
}

static int isTorn(void) {
  return calls == wantedCall() && isWanted("torn");
}

static ssize_t writePart(int file, const void* bytes, size_t size, off_t offset) {
  static ssize_t (*next)(int, const void*, size_t, off_t);
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "pwrite64");
  if (meetsFault()) return -1;
  if (!isTorn()) return next(file, bytes, size, offset);
  next(file, bytes, size / 2, offset);
  raise(SIGKILL);
  return -1;
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  return writePart(file, bytes, size, offset);
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off_t offset) {
  return writePart(file, bytes, size, offset);
}

static int cut(int file, off_t size) {
  static int (*next)(int, off_t);
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "ftruncate64");
  return meetsFault() ? -1 : next(file, size);
}

int ftruncate(int file, off_t size) {
  return cut(file, size);
}

int ftruncate64(int file, off_t size) {
  return cut(file, size);
}

int rename(const char* from, const char* to) {
  static int (*next)(const char*, const char*);
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "rename");
  return meetsFault() ? -1 : next(from, to);
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  static int (*next)(clockid_t, struct timespec*);
  static int readings;
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "clock_gettime");
  const int status = next(clock, now);
  if (clock == CLOCK_REALTIME && getenv("FAULT_CLOCK") != NULL) {
    ++readings;
    now->tv_sec += (readings % 2 == 0 ? -1L : 1L) * readings * 86400L;
  }
  return status;
}

time_t time(time_t* result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != NULL) *result = now.tv_sec;
  return now.tv_sec;
}

__attribute__((destructor)) static void tellCalls(void) {
  const char* name = getenv("FAULT_COUNT");
  FILE* file = name == NULL ? NULL : fopen(name, "w");
  if (file == NULL) return;
  fprintf(file, "%ld\n", calls);
  fclose(file);
}
