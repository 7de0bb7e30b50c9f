import type { Writable } from 'node:stream';

/** Lets the process go on when the reader of its output is gone (`flagship --help | head -1`), as programs of a shell do. */
export function quietWhenUnread(output: Writable): void {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
