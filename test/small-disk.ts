/** Separate file systems for tests of full, read-only or replaced disks. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';

const mount = (folder: string, options: string): void =>
  void execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' });
const unmount = (folder: string): void => void execFileSync('umount', ['-l', folder], { stdio: 'ignore' });

function canMount(): boolean {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'flagship-mount-'));
  try {
    mount(folder, 'size=1m');
    unmount(folder);
    return true;
  } catch {
    return false;
  } finally {
    fs.rmdirSync(folder);
  }
}

/** The reason to skip tests that mount file systems; false if they can be mounted. */
export const noMounts = canMount() ? false : 'file systems cannot be mounted here';

export interface SmallDisk {
  readonly folder: string;
  /** Fills the file system except for `free` bytes, rounded to pages. */
  fill(free: number): void;
  /** Removes the file that `fill` has written. */
  empty(): void;
  /** Remounts the file system as read-only or writable. */
  remount(mode: 'ro' | 'rw'): void;
}

/** Mounts a file system with this number of mebibytes at the folder, until the test ends. */
export function smallDisk(t: Test, folder: string, mebibytes: number): SmallDisk {
  mount(folder, `size=${mebibytes}m`);
  t.teardown(() => unmount(folder));
  const filler = path.join(folder, 'filler');
  return {
    folder,
    fill(free) {
      const { bavail, bsize } = fs.statfsSync(folder);
      try {
        fs.appendFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - free)));
      } catch (error) {
        // Another process has used the free space meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    empty: () => fs.rmSync(filler, { force: true }),
    remount: mode => void execFileSync('mount', ['-o', `remount,${mode}`, folder], { stdio: 'ignore' }),
  };
}
