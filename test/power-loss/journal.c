/*
 * Loaded before the C library (LD_PRELOAD) on Linux: appends to the file POWER_JOURNAL, in order, what the process does to files
 * of the folder POWER_FOLDER. A change stands there before it is made, a sync when it has ended. The format is read by disk.ts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, TRUNCATE, CREATE, RENAME, UNLINK, SYNC };

struct record {
  uint64_t kind, inode, offset, length;
};

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int journal = -1;
static uint64_t written;
static const char *folder;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("POWER_JOURNAL");
  folder = getenv("POWER_FOLDER");
  if (path && folder) journal = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* A journal with a hole would prove nothing. */
static void note(uint64_t kind, uint64_t inode, uint64_t offset, const void *data, uint64_t length) {
  struct record head = {kind, inode, offset, length};
  struct iovec parts[] = {{&head, sizeof head}, {(void *)data, length}};
  if (syscall(SYS_writev, journal, parts, 2) != (long)(sizeof head + length)) abort();
  written += sizeof head + length;
}

static int is_ours(const char *path) {
  return journal >= 0 && strncmp(path, folder, strlen(folder)) == 0 && path[strlen(folder)] == '/';
}

static const char *name_of(const char *path) { return strrchr(path, '/') + 1; }

static uint64_t inode_of(int fd) {
  struct stat found;
  return journal >= 0 && fstat(fd, &found) == 0 && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)) ? found.st_ino : 0;
}

static int open_file(const char *path, int flags, mode_t mode) {
  if (!(flags & O_CREAT) || !is_ours(path)) return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  pthread_mutex_lock(&turn);
  int is_new = access(path, F_OK) != 0;
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  int error = errno;
  if (fd >= 0 && is_new) note(CREATE, inode_of(fd), 0, name_of(path), strlen(name_of(path)));
  else if (fd >= 0 && flags & O_TRUNC) note(TRUNCATE, inode_of(fd), 0, NULL, 0);
  pthread_mutex_unlock(&turn);
  errno = error;
  return fd;
}

static mode_t mode_of(int flags, va_list rest) { return flags & O_CREAT ? va_arg(rest, mode_t) : 0; }

#define OPEN(name)                              \
  int name(const char *path, int flags, ...) {  \
    va_list rest;                               \
    va_start(rest, flags);                      \
    int fd = open_file(path, flags, mode_of(flags, rest)); \
    va_end(rest);                               \
    return fd;                                  \
  }
OPEN(open)
OPEN(open64)

/* A file that is open for appending is written at its end, wherever its position is. */
static off64_t position_of(int fd) {
  int appends = (int)syscall(SYS_fcntl, fd, F_GETFL) & O_APPEND;
  return lseek64(fd, 0, appends ? SEEK_END : SEEK_CUR);
}

static ssize_t put(int fd, const void *data, size_t length, off64_t offset) {
  uint64_t inode = inode_of(fd);
  if (inode == 0) {
    return offset < 0 ? syscall(SYS_write, fd, data, length) : syscall(SYS_pwrite64, fd, data, length, offset);
  }
  pthread_mutex_lock(&turn);
  note(WRITE, inode, (uint64_t)(offset < 0 ? position_of(fd) : offset), data, length);
  ssize_t done = offset < 0 ? syscall(SYS_write, fd, data, length) : syscall(SYS_pwrite64, fd, data, length, offset);
  pthread_mutex_unlock(&turn);
  return done;
}

ssize_t write(int fd, const void *data, size_t length) { return put(fd, data, length, -1); }
ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) { return put(fd, data, length, offset); }

int ftruncate64(int fd, off64_t length) {
  uint64_t inode = inode_of(fd);
  pthread_mutex_lock(&turn);
  if (inode) note(TRUNCATE, inode, (uint64_t)length, NULL, 0);
  int result = (int)syscall(SYS_ftruncate, fd, length);
  pthread_mutex_unlock(&turn);
  return result;
}

int unlink(const char *path) {
  int ours = is_ours(path);
  pthread_mutex_lock(&turn);
  if (ours) note(UNLINK, 0, 0, name_of(path), strlen(name_of(path)));
  int result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  pthread_mutex_unlock(&turn);
  return result;
}

int rename(const char *from, const char *to) {
  char names[512];
  int ours = is_ours(from) && is_ours(to);
  pthread_mutex_lock(&turn);
  if (ours) {
    strcpy(stpcpy(stpcpy(names, name_of(from)), "/"), name_of(to));
    note(RENAME, 0, 0, names, strlen(names));
  }
  int result = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  pthread_mutex_unlock(&turn);
  return result;
}

/* A sync is worth what had been written when it began. */
static int sync_file(int fd, long call) {
  uint64_t inode = inode_of(fd);
  pthread_mutex_lock(&turn);
  uint64_t begun = written;
  pthread_mutex_unlock(&turn);
  int result = (int)syscall(call, fd);
  int error = errno;
  pthread_mutex_lock(&turn);
  if (inode && result == 0) note(SYNC, inode, begun, NULL, 0);
  pthread_mutex_unlock(&turn);
  errno = error;
  return result;
}

int fsync(int fd) { return sync_file(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_file(fd, SYS_fdatasync); }
