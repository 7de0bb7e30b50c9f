/** Loaded into a server before its program: while the file FLAGSHIP_SLOW_DISK exists, the disk takes its time to make writes durable. */
import fs from 'node:fs';
import process from 'node:process';

const slowest = 400; // ms
const mark = process.env['FLAGSHIP_SLOW_DISK'] ?? '';
const { fdatasync } = fs;

function slowly(descriptor: number, done: (error: NodeJS.ErrnoException | null) => void): void {
  if (fs.existsSync(mark)) setTimeout(() => fdatasync(descriptor, done), Math.random() * slowest);
  else fdatasync(descriptor, done);
}

fs.fdatasync = slowly as typeof fs.fdatasync;
