/*
 * Loaded before the C library (LD_PRELOAD): every fsync and fdatasync takes MILLRACE_BENCH_SYNC_MS milliseconds more
 * (default 4), as it does on some disks for minutes at a time.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static int slow(const char *name, int fd) {
  const char *text = getenv("MILLRACE_BENCH_SYNC_MS");
  double ms = text ? strtod(text, NULL) : 4;
  struct timespec wait = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms * 1e6) % 1000000000L};
  nanosleep(&wait, NULL);
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  return real(fd);
}

int fsync(int fd) { return slow("fsync", fd); }
int fdatasync(int fd) { return slow("fdatasync", fd); }
