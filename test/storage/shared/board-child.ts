/**
 * `reader LAST`: reads the board that it is given as descriptor 3 as fast as it can, until LAST stands there or its owner is gone, and says what it
 * found. `owner`: has a board, a reader, and nothing else to do.
 */
import { spawn } from 'node:child_process';
import process from 'node:process';
import { sharedRevisionReader, openSharedRevision } from '../../../storage/shared/shared-revision.js';
import { StorageError } from '../../../storage/error.js';
import { toRevision } from '../../../storage/revision.js';

/** What a reader says at its end, as JSON. */
export interface Found {
  readonly reads: number;
  /** How often it found another one than before. */
  readonly moves: number;
  /** How often that was an older one. */
  readonly back: number;
  readonly end: string;
}

const boardDescriptor = 3;

function read(last: number): Found {
  const newest = sharedRevisionReader(boardDescriptor, pid => process.ppid === pid);
  let [before, reads, moves, back] = [0, 0, 0, 0];
  process.stdout.write('ready\n');
  try {
    for (; before < last; reads++) {
      const found = newest();
      if (found !== before) moves++;
      if (found < before) back++;
      before = found;
    }
    return { reads, moves, back, end: 'reached' };
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return { reads, moves, back, end: error.code };
  }
}

const [, file = '', role, last] = process.argv;
if (role === 'reader') process.stdout.write(`${JSON.stringify(read(Number(last)))}\n`);
if (role === 'owner') {
  const { descriptor } = openSharedRevision({
    announce(listener) {
      listener(toRevision(7));
      return () => undefined;
    },
  });
  spawn(process.execPath, [file, 'reader', '8'], { stdio: ['ignore', 'inherit', 'inherit', descriptor] });
}
