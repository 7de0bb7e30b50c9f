/** Loaded into a server before its program. Delays durable writes while the file that FLAGSHIP_SLOW_DISK names exists. */
import fs from 'node:fs';
import process from 'node:process';

const maxDelayMs = 400;
const mark = process.env['FLAGSHIP_SLOW_DISK'] ?? '';
const { fdatasync, write } = fs;

const slowly = (work: () => void): void => {
  if (fs.existsSync(mark)) setTimeout(work, Math.random() * maxDelayMs);
  else work();
};

// A store makes writes durable with one of these calls.
fs.fdatasync = ((...given: Parameters<typeof fdatasync>) => slowly(() => fdatasync(...given))) as typeof fs.fdatasync;
fs.write = ((...given: Parameters<typeof write>) => slowly(() => write(...given))) as typeof fs.write;
