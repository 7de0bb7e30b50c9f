import type { Writable } from 'node:stream';

/** Ignores that the reader of the output is gone (`flagship --help | head -1`), as shell programs do. */
export function quietWhenUnread(output: Writable): void {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
