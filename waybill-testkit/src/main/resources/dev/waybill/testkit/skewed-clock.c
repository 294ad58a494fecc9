/* Loaded before libc: the wall clock of one process is off by WAYBILL_SKEW_MILLIS. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Read each time: the environment of a Java process does not change, and a cache could race. */
static void skew(time_t *seconds, long *fraction, long fractions_per_second) {
  const char *text = getenv("WAYBILL_SKEW_MILLIS");
  long long millis = text ? atoll(text) : 0;
  *seconds += millis / 1000;
  *fraction += (millis % 1000) * (fractions_per_second / 1000);
  if (*fraction < 0) {
    *fraction += fractions_per_second;
    --*seconds;
  } else if (*fraction >= fractions_per_second) {
    *fraction -= fractions_per_second;
    ++*seconds;
  }
}

/* Straight to the kernel: looking up libc's own function needs a dynamic linker that is ready. */
int clock_gettime(clockid_t clock, struct timespec *now) {
  int failed = syscall(SYS_clock_gettime, clock, now);
  if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    skew(&now->tv_sec, &now->tv_nsec, 1000000000L);
  return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  int failed = syscall(SYS_gettimeofday, now, zone);
  if (!failed && now)
    skew(&now->tv_sec, &now->tv_usec, 1000000L);
  return failed;
}

time_t time(time_t *store) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (store)
    *store = now.tv_sec;
  return now.tv_sec;
}
