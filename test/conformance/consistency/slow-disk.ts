/** Loaded into a server before its program: while the file FLAGSHIP_SLOW_DISK exists, the disk takes its time to make writes durable. */
import fs from 'node:fs';
import process from 'node:process';

const slowest = 400; // ms
const mark = process.env['FLAGSHIP_SLOW_DISK'] ?? '';
const { fdatasync, write } = fs;

const slowly = (work: () => void): void => {
  if (fs.existsSync(mark)) setTimeout(work, Math.random() * slowest);
  else work();
};

// A store makes what it writes durable by the one or the other.
fs.fdatasync = ((...given: Parameters<typeof fdatasync>) => slowly(() => fdatasync(...given))) as typeof fs.fdatasync;
fs.write = ((...given: Parameters<typeof write>) => slowly(() => write(...given))) as typeof fs.write;
