/** Memory of an object without its parsed form (see the child for the measurement). */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { plainNode } from '../../../tools/plain-node.js';
import { startEtcd, withoutEtcd } from '../../storage/etcd-server.js';
import { temporaryFolder } from '../../storage/folder.js';

const program = fileURLToPath(new URL('./memory-child.js', import.meta.url));
const count = 3000;

interface Costs {
  /** Size of an object as JSON. */
  readonly bytes: number;
  readonly loaded: number;
  readonly read: number;
  readonly listed: number;
}

async function measure(t: Test, place: string): Promise<void> {
  const [command, ...node] = plainNode;
  const { stdout } = await promisify(execFile)(command, [...node, program, String(count), place]);
  const costs = JSON.parse(stdout) as Costs;
  const most = 2 * costs.bytes + 1024;
  t.comment(stdout);
  t.ok(costs.bytes > 1024 && costs.loaded > costs.bytes / 2, 'it is in memory');
  for (const stage of ['loaded', 'read', 'listed'] as const)
    t.ok(costs[stage] <= most, `${stage}: ${costs[stage]} bytes of at most ${most}`);
}

t.test('memory per object, embedded', async t => measure(t, await temporaryFolder(t)));
t.test('memory per object, etcd', { skip: withoutEtcd }, async t => measure(t, (await startEtcd(t)).endpoint));
