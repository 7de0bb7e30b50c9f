import type { Writable } from 'node:stream';

/** Ignores the error of a closed pipe (`flagship --help | head -1`), as shell programs do. Other errors are thrown. */
export function ignoreClosedPipe(output: Writable): void {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
