/** Agents that keep reverse tunnels to a control plane in this process, through a relay that can be cut off. */
import { once, setMaxListeners } from 'node:events';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import type { Test } from 'tap';
import type { Endpoint } from '../../../aggregation/interface.js';
import { keepTunnel } from '../../../aggregation/reverse-tunnel/keep-tunnel.js';
import type { PeerTimes } from '../../../aggregation/reverse-tunnel/peer-connections.js';
import type { ReverseTunnels } from '../../../aggregation/reverse-tunnel/reverse-tunnels.js';
import { runTunnelDirectory } from '../../../aggregation/reverse-tunnel/tunnel-directory.js';
import { configMaps } from '../../../api/kubernetes/resources.js';
import { issueClient, loadAuthority } from '../../../authn/pki/authority.js';
import { find } from '../../../client/find.js';
import { createControllerContext } from '../../../client/runtime/context.js';
import { systemClock } from '../../../lib/clock.js';
import type { Logger } from '../../../lib/logging/interface.js';
import type { RunningServer } from '../../../server/start-server.js';
import { silent } from '../../../server/logger.js';
import type { TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { grant, object, rbac } from '../fleet.js';

/** A way to a server, which can be cut, or go silent. */
export class Relay {
  readonly #server: net.Server;
  readonly #pairs = new Set<readonly [net.Socket, net.Socket]>();
  /** The clients whose bytes are dropped. */
  readonly #silent = new Set<net.Socket>();
  #isClosed = false;
  #isMute = false;
  /** The number of connections so far. */
  accepted = 0;

  constructor(port: number) {
    this.#server = net.createServer(client => {
      this.accepted++;
      client.on('error', () => undefined);
      if (this.#isClosed) return void client.destroy();
      if (this.#isMute) return void this.#silent.add(client.resume());
      const upstream = net.connect(port, '127.0.0.1');
      const pair = [client, upstream] as const;
      this.#pairs.add(pair);
      for (const [one, other] of [pair, [upstream, client] as const]) {
        one.on('error', () => undefined);
        one.on('close', () => {
          this.#pairs.delete(pair);
          other.destroy();
        });
        one.pipe(other);
      }
    });
  }

  static async start(t: Test, port: number): Promise<Relay> {
    const relay = new Relay(port);
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    t.teardown(() => {
      relay.cut();
      relay.#server.close();
    });
    return relay;
  }

  get port(): number {
    return (this.#server.address() as net.AddressInfo).port;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /** Breaks off all connections. */
  cut(): void {
    for (const client of this.#silent) client.destroy();
    for (const [client, upstream] of this.#pairs) {
      client.destroy();
      upstream.destroy();
    }
  }

  /** Breaks off all connections, and takes no others until `open`. */
  close(): void {
    this.#isClosed = true;
    this.cut();
  }

  open(): void {
    this.#isClosed = false;
  }

  /** Drops all bytes, as the network does when the machine of the server is gone. Connections are accepted until `unmute`. */
  mute(): void {
    this.#isMute = true;
    for (const [client, upstream] of this.#pairs) {
      client.unpipe(upstream).resume();
      upstream.unpipe(client).resume();
    }
  }

  unmute(): void {
    this.#isMute = false;
  }
}

/** Lets the agent of a cluster open its tunnel, and returns its credentials. */
export async function admitAgent({ client, pki, url }: TestServer, cluster: string): Promise<Endpoint> {
  const name = `system:karmada:agent:${cluster}`;
  const rules = [
    { apiGroups: ['cluster.karmada.io'], resources: ['clusters/tunnel'], verbs: ['create'], resourceNames: [cluster] },
  ];
  await client.create(rbac('clusterroles'), object('rbac.authorization.k8s.io/v1', 'ClusterRole', name, { rules }));
  await grant(client, name, { kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' }, name);
  const { certificate, key } = await issueClient(
    loadAuthority(pki.authority),
    { name, groups: ['system:karmada:agents'] },
    { days: 1 },
  );
  return { server: url, ca: pki.authority.certificate, clientCertificate: certificate, clientKey: key };
}

/** Waits until the tunnel of a cluster is open. */
export async function tunnelIsOpen({ metrics }: RunningServer, cluster: string, isOpen = true): Promise<void> {
  const line = `flagship_reverse_tunnel_open{cluster="${cluster}"} ${isOpen ? 1 : 0}`;
  await until(`the tunnel is ${isOpen ? 'open' : 'closed'}`, async () => (await metrics.metrics()).includes(line));
}

interface TunnelAgent {
  readonly relay: Relay;
  readonly endpoint: Endpoint;
  /** Ends the agent. */
  readonly stop: () => Promise<void>;
}

interface AgentOptions {
  readonly member: Endpoint;
  readonly log?: Logger;
}

/** Starts the part of an agent that keeps the tunnel, and waits until it is open. */
export async function tunnelAgent(
  t: Test,
  control: TestServer,
  cluster: string,
  { member, log = silent }: AgentOptions,
): Promise<TunnelAgent> {
  const endpoint = await admitAgent(control, cluster);
  const relay = await Relay.start(t, Number(new URL(control.url).port));
  const stop = new AbortController();
  const running = keepTunnel({
    ...{ cluster, userAgent: 'test-agent', log, clock: systemClock, signal: stop.signal, random: () => 0 },
    control: () => ({ ...endpoint, server: `https://127.0.0.1:${relay.port}` }),
    member: () => member,
  });
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  t.teardown(end);
  await tunnelIsOpen(control, cluster);
  return { relay, endpoint, stop: end };
}

export const endpointOf = ({ url, pki }: RunningServer): Endpoint => ({ server: url, ca: pki.authority.certificate });

export const entryKey = { namespace: 'karmada-system', name: 'reverse-tunnel-m' };

interface TestProcess {
  readonly tunnels: ReverseTunnels;
  /** Where others reach it. */
  readonly url: string | undefined;
  readonly times?: PeerTimes;
}

/** Runs the directory of a process on the store of the control plane. */
export function startProcess(t: Test, control: TestServer, process: TestProcess): void {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // Each connection that is being opened is a listener, as on the signal of a server.
  const { client, pki } = control;
  const context = createControllerContext({ client, clock: systemClock, log: silent, signal: stop.signal });
  const { certificate: clientCertificate, key: clientKey } = pki.admin;
  const credentials = { ca: pki.authority.certificate, clientCertificate, clientKey };
  runTunnelDirectory(context, { ...process, peerAt: server => ({ ...credentials, server }) });
  t.teardown(async () => {
    stop.abort();
    await context.finished();
  });
}

export const holderOf = async ({ client }: TestServer): Promise<string | undefined> => {
  const entry = await find(client, configMaps, entryKey);
  return (entry?.['data'] as Record<string, string> | undefined)?.['holder'];
};

/** Returns whether a connection to the member can be opened. */
export const opens = async (route: { readonly open: () => Promise<Duplex> } | undefined): Promise<boolean> => {
  const socket = await route?.open().catch(() => undefined);
  socket?.destroy();
  return socket !== undefined;
};
