/** The whole control plane as its own process, which is measured from inside while the servers that it calls misbehave. */
import type { Test } from 'tap';
import { toBase64 } from '../../../apimachinery/codec/base64.js';
import { apiClient, type ApiClient } from '../../conformance/call.js';
import { isTooLong, type JudgedStall, limits } from '../../stalls/limits.js';
import { ResidentPeak } from '../../stalls/process-files.js';
import { startWatched, type WatchedServer } from '../../stalls/server.js';
import { type HostileServer, hostileServer, type Protocol } from './server.js';

/** What the process did since `begin`. */
interface Report {
  readonly stall: JudgedStall;
  /** Highest resident memory, in bytes. */
  readonly peak: number;
}

export interface Fixture {
  readonly server: ApiClient;
  readonly hostile: HostileServer;
  readonly watched: WatchedServer;
  /** Resets the measurement of stalls and memory. */
  begin(): Promise<void>;
  /** Returns the measurement since `begin`. */
  report(): Promise<Report>;
  /** Returns the memory usage of the process after a garbage collection, in bytes. */
  readonly memory: () => Promise<NodeJS.MemoryUsage>;
  /** Creates an object; throws when it is refused. */
  create(path: string, object: object): Promise<void>;
  /** Joins a cluster at an address of the hostile server; `proxyURL` is the proxy in front of it. */
  join(name: string, url: string, proxyURL?: string): Promise<void>;
  /** Deletes a cluster; resolves when it is gone. */
  leave(name: string): Promise<void>;
}

/** Returns the value. Throws with the exit of the server if there is none. */
function required<T>(value: T | undefined, { end, unexpectedLines }: WatchedServer): T {
  if (value === undefined) throw new Error(`the server ended: ${end()} ${unexpectedLines().join(' ').slice(0, 1000)}`);
  return value;
}

/** Asserts that no stall was longer than the limits of the stall suite. */
export function assertStall(t: Test, { stall }: Report, name: string): void {
  t.notOk(
    isTooLong(stall, limits.stallOfMany),
    `${name}: the longest stall was ${stall.cpu.toFixed(1)} ms of CPU, slowness ${stall.slowness.toFixed(1)}`,
  );
}

/** Starts the control plane and the hostile server. */
export async function startFixture(t: Test, protocol: Protocol = 'http/1.1'): Promise<Fixture> {
  const hostile = await hostileServer(t, protocol);
  const watched = await startWatched(t, { flags: [] }); // with all controllers
  const peak = new ResidentPeak(watched.pid);
  t.teardown(() => peak.stop());
  const server = apiClient(watched.endpoint, 'test/1.0');
  t.teardown(() => server.close());

  async function create(where: string, object: object): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const { status, text } = await server.call('POST', where, { headers, body: JSON.stringify(object) });
    if (status !== 201) throw new Error(`POST ${where}: ${status} ${text}`);
  }

  const namespace = 'karmada-cluster';
  await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }).catch(
    () => undefined, // it may exist already
  );

  return {
    server,
    hostile,
    watched,
    create,
    async begin() {
      peak.begin();
      await watched.beginStalls();
    },
    report: async () => ({ stall: required(await watched.longestStall(), watched), peak: peak.bytes }),
    memory: async () => required(await watched.memory(), watched),
    async join(name, url, proxyURL) {
      const data = { token: toBase64('token'), caBundle: toBase64(hostile.authority) };
      const metadata = { name, namespace };
      await create(`/api/v1/namespaces/${namespace}/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata, data });
      await create('/apis/cluster.karmada.io/v1alpha1/clusters', {
        apiVersion: 'cluster.karmada.io/v1alpha1',
        kind: 'Cluster',
        metadata: { name },
        spec: {
          ...{ syncMode: 'Push', apiEndpoint: url },
          ...{ secretRef: { namespace, name }, impersonatorSecretRef: { namespace, name } },
          ...(proxyURL !== undefined && { proxyURL }),
        },
      });
    },
    async leave(name) {
      const cluster = `/apis/cluster.karmada.io/v1alpha1/clusters/${name}`;
      await server.call('DELETE', cluster);
      while ((await server.call('GET', cluster)).status !== 404);
    },
  };
}
