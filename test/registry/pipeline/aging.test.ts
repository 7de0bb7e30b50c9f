/**
 * A change that is over is garbage at once, but for what the past keeps of it. What the collection of young objects finds referred to from old
 * ones, dead ones too, it carries along until the next full collection (the child says how it is measured).
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { plainNode } from '../../plain-node.js';
import { temporaryFolder } from '../../storage/folder.js';

const program = fileURLToPath(new URL('./aging-child.js', import.meta.url));
const count = 6000;
/** The past keeps some 700; a parsed Deployment with what it is judged by takes 5,000 more. */
const most = 4000;

/** Bytes that grew old, by way of changing. */
async function measure(t: Test): Promise<Record<string, number>> {
  const [command, ...node] = plainNode;
  const directory = await temporaryFolder(t);
  const { stdout } = await promisify(execFile)(command, [
    ...node,
    '--initial-heap-size=1000',
    program,
    String(count),
    directory,
  ]);
  t.comment(stdout);
  return JSON.parse(stdout) as Record<string, number>;
}

const isTooMuch = (aged: Record<string, number>): boolean => Object.values(aged).some(bytes => bytes >= most);

t.test('changes of Deployments', { timeout: 300_000 }, async t => {
  const first = await measure(t);
  // On a busy machine one object that grew old by chance keeps all that follow it; what the code keeps, it keeps each time.
  const aged = isTooMuch(first) ? await measure(t) : first;
  t.strictSame(Object.keys(aged), ['merge', 'apply', 'update']);
  for (const [way, bytes] of Object.entries(aged)) {
    t.ok(bytes > 100, `${way}: the past is counted`);
    t.ok(bytes < most, `${way}: ${bytes} bytes of at most ${most} grew old`);
  }
});
