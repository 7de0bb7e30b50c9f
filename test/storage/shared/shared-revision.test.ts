import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { setImmediate as turn } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { Revision } from '../../../storage/interface.js';
import { toRevision } from '../../../storage/revision.js';
import { sharedRevisionReader, openSharedRevision } from '../../../storage/shared/shared-revision.js';
import type { Found } from './board-child.js';

const program = fileURLToPath(new URL('board-child.js', import.meta.url));

interface Child {
  readonly process: ChildProcess;
  /** Resolves with the next line of output of the process or its child. */
  line(): Promise<string>;
}

function start(t: Test, args: readonly string[], descriptor?: number): Child {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit', descriptor] });
  t.teardown(() => child.kill('SIGKILL'));
  const lines: AsyncIterator<string> = createInterface({ input: child.stdout as Readable })[Symbol.asyncIterator]();
  return {
    process: child,
    async line() {
      const next = await lines.next();
      if (next.done === true) throw new Error('it has ended');
      return next.value;
    },
  };
}

function moving(t: Test, from: number) {
  let move = (_: Revision): void => undefined;
  const board = openSharedRevision({
    announce(listener) {
      move = listener;
      listener(toRevision(from));
      return () => (move = () => undefined);
    },
  });
  t.teardown(() => board.close());
  return { board, move: (to: number) => move(toRevision(to)) };
}

t.test('another process reads only complete revisions that never decrease', async t => {
  const middle = 2 ** 32;
  const { board, move } = moving(t, 1);
  const last = middle + 150_000;
  const reader = start(t, ['reader', String(last)], board.descriptor);
  t.equal(await reader.line(), 'ready');
  let hasRead = false;
  const moved = reader.line().finally(() => (hasRead = true));
  // Both processes run at the same time for as long as the reader needs to see several changes.
  for (let revision = 2; !hasRead; revision++) {
    move(revision);
    if (revision % 1000 === 0) await turn();
  }
  t.equal(await moved, 'moved');
  for (let revision = middle - 150_000; revision <= last; revision++) move(revision);
  const { back, end } = JSON.parse(await reader.line()) as Found;
  t.equal(end, 'reached');
  t.equal(back, 0);
});

t.test('a revision is not used after its owner was killed', async t => {
  const owner = start(t, ['owner']);
  t.equal(await owner.line(), 'ready');
  owner.process.kill('SIGKILL');
  const { back, end } = JSON.parse(await owner.line()) as Found;
  t.equal(end, 'unavailable');
  t.equal(back, 0);
});

t.test('an incomplete write is read again, with a limit', t => {
  const { board, move } = moving(t, 5);
  const newest = sharedRevisionReader(board.descriptor, pid => pid === process.pid);
  t.equal(newest(), 5);
  move(2 ** 40 + 3);
  t.equal(newest(), 2 ** 40 + 3);
  fs.writeSync(board.descriptor, Buffer.from([9]), 0, 1, 4);
  t.throws(newest, { code: 'unavailable' });
  move(2 ** 40 + 9);
  t.equal(newest(), 2 ** 40 + 9);
  t.equal(fs.fstatSync(board.descriptor).nlink, 0, 'another process cannot open it');
  t.equal(fs.fstatSync(board.descriptor).mode & 0o777, 0o600);
  t.throws(() => openSharedRevision({}), 'a store without a revision');
  t.end();
});
