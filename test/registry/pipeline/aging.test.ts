/**
 * A change that is over is garbage at once, but for what the past keeps of it. What the collection of young objects finds referred to from old
 * ones, dead ones too, it carries along until the next full collection (the child says how it is measured).
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { plainNode } from '../../plain-node.js';
import { temporaryFolder } from '../../storage/folder.js';

const program = fileURLToPath(new URL('./aging-child.js', import.meta.url));
const count = 6000;
/** The past keeps some 700; a parsed Deployment with what it is judged by takes 5,000 more. */
const most = 4000;

t.test('changes of Deployments', async t => {
  const [command, ...node] = plainNode;
  const directory = await temporaryFolder(t);
  const { stdout } = await promisify(execFile)(command, [
    ...node,
    '--initial-heap-size=1000',
    program,
    String(count),
    directory,
  ]);
  const aged = JSON.parse(stdout) as Record<string, number>;
  t.comment(stdout);
  t.strictSame(Object.keys(aged), ['merge', 'apply', 'update']);
  for (const [way, bytes] of Object.entries(aged)) {
    t.ok(bytes > 100, `${way}: the past is counted`);
    t.ok(bytes < most, `${way}: ${bytes} bytes of at most ${most} grew old`);
  }
});
