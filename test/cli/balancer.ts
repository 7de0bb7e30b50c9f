import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import type { Test } from 'tap';
import type { ApiClient } from '../conformance/call.js';

interface Balanced {
  readonly port: number;
  readonly server: Pick<ApiClient, 'call'>;
}

export interface Balancer {
  readonly port: number;
  add(replica: Balanced): void;
  /** The number of replicas that the balancer would use. */
  readonly size: number;
  /** Returns whether the balancer would use the replica for a new connection. */
  uses(replica: Balanced): boolean;
}

/** Interval of the /readyz checks, and how long a replica may take to answer one, in milliseconds. */
const intervalMs = 50;
const answerMs = 2000;

/** Starts a layer 4 load balancer, which spreads connections over the replicas whose /readyz returns 200. */
export async function startBalancer(t: Test): Promise<Balancer> {
  const ready = new Map<Balanced, boolean>();
  let turn = 0;
  const sockets = new Set<net.Socket>();

  /** The replicas that are asked. */
  const asked = new Set<Balanced>();

  async function check(replica: Balanced): Promise<void> {
    if (asked.has(replica)) return;
    asked.add(replica);
    const late = setTimeout(() => ready.set(replica, false), answerMs);
    const status = await replica.server.call('GET', '/readyz').then(
      reply => reply.status,
      () => 0,
    );
    clearTimeout(late);
    asked.delete(replica);
    ready.set(replica, status === 200);
  }

  function checkReady(): void {
    for (const replica of ready.keys()) void check(replica);
  }

  const server = net.createServer(socket => {
    const usable = [...ready].filter(([, isReady]) => isReady).map(([replica]) => replica);
    const chosen = usable[turn++ % usable.length];
    if (!chosen) return socket.destroy();
    const to = net.connect(chosen.port, '127.0.0.1');
    for (const [one, other] of [
      [socket, to],
      [to, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.end();
      });
    }
    socket.pipe(to).pipe(socket);
    return undefined;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const timer = setInterval(checkReady, intervalMs);
  t.teardown(() => {
    clearInterval(timer);
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    port: (server.address() as AddressInfo).port,
    add: replica => void ready.set(replica, false),
    get size() {
      return [...ready.values()].filter(Boolean).length;
    },
    uses: replica => ready.get(replica) === true,
  };
}
