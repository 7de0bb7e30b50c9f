/**
 * `reader LAST`: reads the shared revision of descriptor 3 in a loop until it is LAST or its owner is gone, and prints the result. Before, it
 * prints `moved` once it has seen several changes.
 * `owner`: creates a shared revision and starts a reader.
 */
import { spawn } from 'node:child_process';
import process from 'node:process';
import { sharedRevisionReader, openSharedRevision } from '../../../storage/shared/shared-revision.js';
import { StorageError } from '../../../storage/error.js';
import { toRevision } from '../../../storage/revision.js';

/** The result of a reader, printed as JSON. */
export interface Found {
  /** Number of changes to an older revision. */
  readonly back: number;
  readonly end: string;
}

const boardDescriptor = 3;
const reportedMoves = 10;

function read(last: number): Found {
  const newest = sharedRevisionReader(boardDescriptor, pid => process.ppid === pid);
  let [before, moves, back] = [0, 0, 0];
  process.stdout.write('ready\n');
  try {
    while (before < last) {
      const found = newest();
      if (found !== before && ++moves === reportedMoves) process.stdout.write('moved\n');
      if (found < before) back++;
      before = found;
    }
    return { back, end: 'reached' };
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return { back, end: error.code };
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
