/** An API server, and the clients and the context that an agent has for it. */
import type { Test } from 'tap';
import type { Endpoint, RemoteClient } from '../../../aggregation/interface.js';
import { remote } from '../../../aggregation/remote/client.js';
import { resources } from '../../../api/karmada/well-known.js';
import { type Credential, issueClient } from '../../../authn/pki/authority.js';
import { createControllerContext } from '../../../client/runtime/context.js';
import type { ControllerContext } from '../../../client/runtime/interface.js';
import { type Clock, systemClock } from '../../../lib/clock.js';
import { silent } from '../../../server/logger.js';
import { object } from '../../aggregation/fleet.js';
import { runningServer, type TestServer } from '../../apiserver/running.js';

/** Issues a client certificate of a user. */
export const certificateOf = ({ pki }: TestServer, name: string, days?: number): Promise<Credential> =>
  issueClient(pki.authority, { name }, days === undefined ? {} : { days });

/** Returns where the server is, with the credentials of a client. */
export const endpointOf = ({ url, pki }: TestServer, { certificate, key }: Credential): Endpoint => ({
  ...{ server: url, ca: pki.authority.certificate },
  ...{ clientCertificate: certificate, clientKey: key },
});

/** Creates a client, which is closed after the test. */
export function clientOf(t: Test, endpoint: Endpoint): RemoteClient {
  const client = remote(endpoint, { userAgent: 'test' });
  t.teardown(() => client.close());
  return client;
}

/** Counts how often controllers have slept. */
export class CountingClock implements Clock {
  sleeps = 0;
  readonly #ahead: number;

  /** `aheadMs`: how far it is ahead of the clock of the system. */
  constructor(aheadMs = 0) {
    this.#ahead = aheadMs;
  }

  now(): number {
    return systemClock.now() + this.#ahead;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    this.sleeps++;
    return systemClock.sleep(milliseconds, signal);
  }
}

interface Agent {
  readonly server: TestServer;
  readonly context: ControllerContext;
  /** Ends the controllers of the context. */
  readonly end: () => void;
}

/** Starts a server with the Cluster `edge` in pull mode, and the context of an agent that reaches the server over TLS. */
export async function startAgent(t: Test, clock: Clock): Promise<Agent> {
  const server = await runningServer(t);
  await server.client.create(
    resources.clusters,
    object('cluster.karmada.io/v1alpha1', 'Cluster', 'edge', {
      metadata: { finalizers: ['example.com/held'] },
      spec: { syncMode: 'Pull' },
    }),
  );
  const ending = new AbortController();
  t.teardown(() => ending.abort());
  const client = clientOf(t, endpointOf(server, server.pki.admin));
  const context = createControllerContext({ client, clock, log: silent, signal: ending.signal });
  return { server, context, end: () => ending.abort() };
}
