import { fork } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Endpoint } from '../../aggregation/interface.js';
import { requestedTokens } from '../../aggregation/members/accounts.js';
import { joinCluster } from '../../aggregation/members/join.js';
import { remote } from '../../aggregation/remote/client.js';
import type { Client } from '../../client/interface.js';
import type { Cluster } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { repeat } from '../repeat.js';
import { isClusterReady } from '../../kinds/karmada/conditions.js';
import type { FleetMember } from '../../simulator/fleet.js';
import { plainNode } from '../../tools/plain-node.js';

/** Simulated members in a process of their own. */
export interface MembersProcess {
  readonly pid: number;
  readonly names: readonly string[];
  /** Their API servers, with the credentials of an administrator, in the order of the names. */
  readonly endpoints: readonly Endpoint[];
  /**
   * Joins the members to a control plane, several at a time. Resolves when all clusters are Ready there, with the milliseconds that each member
   * took to join.
   */
  join(control: Endpoint): Promise<readonly number[]>;
  /** Stops the process and removes its folder. */
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL('./main.js', import.meta.url));
const userAgent = 'karmadactl/bench';
const tokens = requestedTokens(24 * 3600);
const timeoutMs = 180_000;
const pollMs = 100;
const joinWidth = 4;

interface MembersOptions {
  /** The beginning of their names (`member`). */
  readonly prefix?: string;
  /** They have no nodes and run no workloads. */
  readonly light?: boolean;
}

/** Starts members `member1`, `member2`, ... in another process, so that their CPU time is not that of the control plane. */
export async function startMembers(
  count: number,
  { prefix = 'member', light = false }: MembersOptions = {},
): Promise<MembersProcess> {
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'flagship-members-'));
  const names = Array.from({ length: count }, (_, i) => `${prefix}${i + 1}`);
  const [execPath, ...execArgv] = plainNode;
  const options = { execPath, execArgv, serialization: 'advanced' } as const;
  const child = fork(program, [directory, light ? 'light' : 'full', ...names], options);
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    if (child.connected) child.disconnect();
    await exited;
    await fs.rm(directory, { recursive: true, force: true });
  };
  const started = once(child, 'message') as Promise<[readonly FleetMember[]]>;
  const failed = exited.then(([code]) => {
    throw new Error(`the members ended with ${code}`);
  });
  failed.catch(() => undefined); // It is awaited only until the members have started.
  try {
    const [members] = await Promise.race([started, failed]);
    const endpoints = members.map(endpointOf);
    return { pid: child.pid ?? 0, names, endpoints, join: control => joinAll(members, control), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const endpointOf = ({ url, caBundle, admin }: FleetMember): Endpoint => ({
  server: url,
  ca: caBundle,
  clientCertificate: admin.certificate,
  clientKey: admin.key,
});

async function joinOne(each: FleetMember, control: Client): Promise<void> {
  const { name, url: endpoint, caBundle: authority } = each;
  const member = remote(endpointOf(each), { userAgent });
  await joinCluster({ name, control, member, endpoint, authority, tokens }).finally(() => member.close());
}

async function joinAll(members: readonly FleetMember[], endpoint: Endpoint): Promise<readonly number[]> {
  const control = remote(endpoint, { userAgent });
  try {
    const joining = [...members];
    const latencies = await repeat({ count: members.length, width: joinWidth }, async () => {
      const next = joining.shift();
      if (next) await joinOne(next, control);
    });
    const end = performance.now() + timeoutMs;
    while (!(await control.list(resources.clusters)).items.every(cluster => isClusterReady(cluster as Cluster))) {
      if (performance.now() > end) throw new Error(`the members are not ready after ${timeoutMs / 1000} s`);
      await pause(pollMs);
    }
    return latencies;
  } finally {
    await control.close();
  }
}
