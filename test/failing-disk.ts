/** A disk that answers EIO: a library between the server and the system's calls, since few machines let a test map a device that fails. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { Test } from 'tap';

/** Writes and reads of files under FAILING_FOLDER fail while FAILING_SWITCH contains a `w` or an `r`. A failing write has written its first half. */
const source = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int fails(int fd, char what) {
  int saved = errno, failing = 0;
  const char *folder = getenv("FAILING_FOLDER"), *name = getenv("FAILING_SWITCH");
  char link[64], file[4096], text[16];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = folder && name ? readlink(link, file, sizeof file - 1) : -1;
  if (length > 0 && !strncmp(file, folder, strlen(folder))) {
    ssize_t (*real)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");
    int control = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t got = control < 0 ? 0 : real(control, text, sizeof text);
    if (control >= 0) close(control);
    failing = got > 0 && memchr(text, what, got) != NULL;
  }
  errno = saved;
  return failing;
}

#define REAL(name, type, ...) type (*real)(__VA_ARGS__) = dlsym(RTLD_NEXT, #name)
#define EIO_IF(fd, what) if (fails(fd, what)) { errno = EIO; return -1; }
#define WRITE(name, offset_type) \\
  ssize_t name(int fd, const void *b, size_t n, offset_type at) { \\
    REAL(name, ssize_t, int, const void *, size_t, offset_type); \\
    if (fails(fd, 'w')) { real(fd, b, n / 2, at); errno = EIO; return -1; } \\
    return real(fd, b, n, at); \\
  }
WRITE(pwrite, off_t)
WRITE(pwrite64, off64_t)
ssize_t write(int fd, const void *b, size_t n) { REAL(write, ssize_t, int, const void *, size_t); EIO_IF(fd, 'w'); return real(fd, b, n); }
ssize_t writev(int fd, const struct iovec *v, int n) { REAL(writev, ssize_t, int, const struct iovec *, int); EIO_IF(fd, 'w'); return real(fd, v, n); }
ssize_t pwritev(int fd, const struct iovec *v, int n, off_t at) { REAL(pwritev, ssize_t, int, const struct iovec *, int, off_t); EIO_IF(fd, 'w'); return real(fd, v, n, at); }
int fsync(int fd) { REAL(fsync, int, int); EIO_IF(fd, 'w'); return real(fd); }
int fdatasync(int fd) { REAL(fdatasync, int, int); EIO_IF(fd, 'w'); return real(fd); }
int ftruncate(int fd, off_t n) { REAL(ftruncate, int, int, off_t); EIO_IF(fd, 'w'); return real(fd, n); }
int ftruncate64(int fd, off64_t n) { REAL(ftruncate64, int, int, off64_t); EIO_IF(fd, 'w'); return real(fd, n); }
ssize_t read(int fd, void *b, size_t n) { REAL(read, ssize_t, int, void *, size_t); EIO_IF(fd, 'r'); return real(fd, b, n); }
ssize_t pread(int fd, void *b, size_t n, off_t at) { REAL(pread, ssize_t, int, void *, size_t, off_t); EIO_IF(fd, 'r'); return real(fd, b, n, at); }
ssize_t pread64(int fd, void *b, size_t n, off64_t at) { REAL(pread64, ssize_t, int, void *, size_t, off64_t); EIO_IF(fd, 'r'); return real(fd, b, n, at); }
`;

/** Returns the path of the library; throws when it cannot be compiled. */
function compiled(folder: string): string {
  const library = path.join(folder, 'failing.so');
  const args = ['-shared', '-fPIC', '-o', library, '-x', 'c', '-', '-ldl'];
  execFileSync('cc', args, { input: source, stdio: ['pipe', 'ignore', 'ignore'] });
  return library;
}

function canFail(): boolean {
  if (process.platform !== 'linux') return false;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'flagship-failing-'));
  try {
    const library = compiled(folder);
    const file = path.join(folder, 'switch');
    fs.writeFileSync(file, 'w');
    const env = { ...process.env, LD_PRELOAD: library, FAILING_FOLDER: path.join(folder, 'x'), FAILING_SWITCH: file };
    const script = `try { require('fs').writeFileSync(${JSON.stringify(path.join(folder, 'x'))}, 'x') } catch ({ code }) { console.log(code) }`;
    return execFileSync(process.execPath, ['-e', script], { env, encoding: 'utf8' }).includes('EIO');
  } catch {
    return false;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** The reason to skip tests with a failing disk; false if there can be one. */
export const noFailingDisk = canFail() ? false : 'there is no C compiler, or its library is not loaded';

interface FailingDisk {
  /** Calls a function; processes that it starts before it waits for anything use the disk. */
  use<T>(start: () => T): T;
  /** From now on these system calls fail with EIO. */
  fail(...calls: readonly ('reads' | 'writes')[]): void;
  /** From now on nothing fails. */
  mend(): void;
}

/** Returns a disk that holds the files under a folder. `tools`: a folder on another disk. */
export function failingDisk(t: Test, folder: string, tools: string): FailingDisk {
  const file = path.join(tools, 'switch');
  fs.writeFileSync(file, '');
  const environment = { LD_PRELOAD: compiled(tools), FAILING_FOLDER: `${folder}/`, FAILING_SWITCH: file };
  t.teardown(() => fs.rmSync(file, { force: true }));
  return {
    use(start) {
      Object.assign(process.env, environment);
      try {
        return start();
      } finally {
        for (const name of Object.keys(environment)) Reflect.deleteProperty(process.env, name);
      }
    },
    fail: (...calls) => fs.writeFileSync(file, calls.map(call => call.charAt(0)).join('')),
    mend: () => fs.writeFileSync(file, ''),
  };
}
