/*
 * The endpoint of the benchmark: HTTP/1.1 POST with keep-alive on loopback, one thread, as cheap as it can be, so that
 * it is never the part that is measured. The first segment of the path says how it behaves:
 *
 *   /ok/...     200 "ok"; its latency is taken when the body holds "t":<CLOCK_MONOTONIC in microseconds>
 *   /slow/...   200 "ok", SLOW_MS after it was asked
 *   /error/...  500
 *   /hang/...   reads the request and never answers
 *   GET /stats  one line of JSON: counts, and percentiles of the latency in microseconds
 *   GET /reset  sets everything /stats shows to zero
 *
 * Prints "listening on <port>" once it serves. Ends with its standard input, so that it never outlives its parent.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_EVENTS 256
#define SLOW_MS 100
#define FIRST_BUFFER 4096
/* Every power of two is cut into this many buckets: percentiles are right to 0.8 %. */
#define SUB_BUCKETS 128
#define BUCKETS (SUB_BUCKETS * 58)

static const char OK[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
static const char ERROR[] = "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 5\r\n\r\nerror";

struct connection {
  int fd;
  int hung, over;
  size_t used, size;
  char *in;
  /* Where it stands among those that are answered later, and when that is; 0 of one that is not. */
  uint64_t due;
  struct connection *before, *after;
};

/* Connections that wait for their answers. All wait equally long, so the first is always the next. */
static struct connection *first_late, *last_late;

static struct {
  uint64_t ok, error, hung, bytes, measured, slowest;
  uint64_t buckets[BUCKETS];
} stats;

static uint64_t now_micros(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

static unsigned bucket_of(uint64_t v) {
  if (v < SUB_BUCKETS * 2) return (unsigned)v;
  unsigned shift = (unsigned)(63 - __builtin_clzll(v)) - 7;
  unsigned bucket = shift * SUB_BUCKETS + (unsigned)(v >> shift);
  return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

static uint64_t value_of(unsigned bucket) {
  if (bucket < SUB_BUCKETS * 2) return bucket;
  unsigned shift = bucket / SUB_BUCKETS - 1;
  return (uint64_t)(bucket - shift * SUB_BUCKETS) << shift;
}

static uint64_t percentile(double p) {
  uint64_t want = (uint64_t)((double)stats.measured * p), seen = 0;
  for (unsigned i = 0; i < BUCKETS; i++) {
    seen += stats.buckets[i];
    if (seen > want) return value_of(i);
  }
  return stats.slowest;
}

static void measure(const char *body, size_t length) {
  const char *mark = memmem(body, length, "\"t\":", 4);
  if (!mark) return;
  uint64_t sent = 0;
  const char *c = mark + 4;
  while (c < body + length && *c == ' ') c++;
  for (; c < body + length && *c >= '0' && *c <= '9'; c++) sent = sent * 10 + (uint64_t)(*c - '0');
  uint64_t now = now_micros();
  if (sent == 0 || sent > now) return;
  uint64_t took = now - sent;
  stats.measured++;
  stats.buckets[bucket_of(took)]++;
  if (took > stats.slowest) stats.slowest = took;
}

static void *grow(void *memory, size_t size) {
  void *grown = realloc(memory, size);
  if (!grown) {
    perror("realloc");
    exit(1);
  }
  return grown;
}

/*
 * At once and whole: an answer is small and a connection has one request under way, so a socket that can't take it has
 * a peer that stopped reading, and is dropped.
 */
static void reply(struct connection *c, const char *bytes, size_t length) {
  if (send(c->fd, bytes, length, MSG_NOSIGNAL) != (ssize_t)length) c->over = 1;
}

static void reply_stats(struct connection *c) {
  char body[512], answer[768];
  int length = snprintf(body, sizeof body,
                        "{\"ok\":%llu,\"error\":%llu,\"hung\":%llu,\"bytes\":%llu,\"measured\":%llu,"
                        "\"p50\":%llu,\"p90\":%llu,\"p99\":%llu,\"p999\":%llu,\"max\":%llu}\n",
                        (unsigned long long)stats.ok, (unsigned long long)stats.error, (unsigned long long)stats.hung,
                        (unsigned long long)stats.bytes, (unsigned long long)stats.measured,
                        (unsigned long long)percentile(0.5), (unsigned long long)percentile(0.9),
                        (unsigned long long)percentile(0.99), (unsigned long long)percentile(0.999),
                        (unsigned long long)stats.slowest);
  length = snprintf(answer, sizeof answer,
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", length, body);
  reply(c, answer, (size_t)length);
}

/* Content-Length of a request's head, 0 where it has none. */
static size_t body_length(const char *head, size_t length) {
  const char *line = head, *end = head + length;
  while ((line = memchr(line, '\n', (size_t)(end - line)))) {
    line++;
    if (end - line > 15 && strncasecmp(line, "content-length:", 15) == 0) return strtoul(line + 15, NULL, 10);
  }
  return 0;
}

static void answer_late(struct connection *c) {
  c->due = now_micros() + SLOW_MS * 1000u;
  c->before = last_late;
  c->after = NULL;
  if (last_late) last_late->after = c;
  else first_late = c;
  last_late = c;
}

static void leave_late(struct connection *c) {
  if (!c->due) return;
  c->due = 0;
  if (c->before) c->before->after = c->after;
  else first_late = c->after;
  if (c->after) c->after->before = c->before;
  else last_late = c->before;
}

static void serve(struct connection *c, const char *head, const char *body, size_t body_size) {
  if (memcmp(head, "GET /reset", 10) == 0) {
    memset(&stats, 0, sizeof stats);
    reply(c, OK, sizeof OK - 1);
  } else if (memcmp(head, "GET /stats", 10) == 0) {
    reply_stats(c);
  } else if (memcmp(head, "POST /hang", 10) == 0) {
    stats.hung++;
    c->hung = 1;
  } else if (memcmp(head, "POST /error", 11) == 0) {
    stats.error++;
    reply(c, ERROR, sizeof ERROR - 1);
  } else if (memcmp(head, "POST /slow", 10) == 0) {
    answer_late(c);
  } else {
    stats.ok++;
    stats.bytes += body_size;
    measure(body, body_size);
    reply(c, OK, sizeof OK - 1);
  }
}

/* Serves every request that is whole; what is left of the last one moves to the front. */
static void serve_whole(struct connection *c) {
  size_t at = 0;
  while (!c->hung && !c->over && c->used - at >= 16) {
    const char *head = c->in + at;
    const char *end = memmem(head, c->used - at, "\r\n\r\n", 4);
    if (!end) break;
    size_t head_size = (size_t)(end - head) + 4, body_size = body_length(head, head_size - 2);
    if (c->used - at < head_size + body_size) break;
    serve(c, head, head + head_size, body_size);
    at += head_size + body_size;
  }
  memmove(c->in, c->in + at, c->used - at);
  c->used -= at;
}

/* Answers 0 when the connection is over. */
static int take(struct connection *c) {
  if (c->used == c->size) {
    c->size *= 2;
    c->in = grow(c->in, c->size);
  }
  ssize_t got = recv(c->fd, c->in + c->used, c->size - c->used, 0);
  if (got == 0) return 0;
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  /* A hanging endpoint reads on and forgets what it reads: else the closing of the peer would never be seen. */
  if (c->hung) return 1;
  c->used += (size_t)got;
  serve_whole(c);
  return !c->over;
}

static void drop(struct connection *c) {
  leave_late(c);
  close(c->fd);
  free(c->in);
  free(c);
}

/* Answers what is due, and says how many milliseconds there are until something is; -1 when nothing waits. */
static int serve_late(void) {
  uint64_t now = now_micros();
  while (first_late && first_late->due <= now) {
    struct connection *c = first_late;
    leave_late(c);
    stats.ok++;
    reply(c, OK, sizeof OK - 1);
    if (c->over) shutdown(c->fd, SHUT_RDWR);
  }
  return first_late ? (int)((first_late->due - now) / 1000u) + 1 : -1;
}

static void accept_all(int epoll, int listener) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), one = 1;
    if (fd < 0) return;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct connection *c = calloc(1, sizeof *c);
    if (!c) exit(1);
    c->fd = fd;
    c->size = FIRST_BUFFER;
    c->in = grow(NULL, c->size);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
  }
}

static int listen_on_loopback(unsigned short *port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 4096) < 0 ||
      getsockname(fd, (struct sockaddr *)&address, &size) < 0) {
    perror("listen");
    exit(1);
  }
  *port = ntohs(address.sin_port);
  return fd;
}

int main(void) {
  unsigned short port;
  int listener = listen_on_loopback(&port), epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event listening = {.events = EPOLLIN, .data.ptr = &port}, parent = {.events = EPOLLIN, .data.ptr = NULL};
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &listening);
  epoll_ctl(epoll, EPOLL_CTL_ADD, STDIN_FILENO, &parent);
  printf("listening on %u\n", port);
  fflush(stdout);

  struct epoll_event ready[MAX_EVENTS];
  for (;;) {
    int count = epoll_wait(epoll, ready, MAX_EVENTS, serve_late());
    for (int i = 0; i < count; i++) {
      struct connection *c = ready[i].data.ptr;
      if (!c) return 0;
      if ((void *)c == (void *)&port) {
        accept_all(epoll, listener);
        continue;
      }
      if (!take(c)) drop(c);
    }
  }
}
