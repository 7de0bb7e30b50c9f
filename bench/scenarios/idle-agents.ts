import { setTimeout as pause } from 'node:timers/promises';
import { ensureNamespace } from '../../aggregation/members/ensure.js';
import { remote } from '../../aggregation/remote/client.js';
import { executionNamespace } from '../../api/karmada/names.js';
import type { Cluster } from '../../api/karmada/types.js';
import { namespaces, resources } from '../../api/karmada/well-known.js';
import { leases } from '../../api/kubernetes/resources.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Client } from '../../client/interface.js';
import { formatMicroTime } from '../../lib/go/time.js';
import { measure, type Sample } from '../sample.js';
import type { Target } from '../target.js';
import { idle } from '../usage.js';
import { removeClusters } from './remove-clusters.js';
import { partOf, type Scenario } from './scenario.js';

const defaultSeconds = 30;

/** The APIs of a member, as the status of its Cluster lists them. */
const apiEnablements = Array.from({ length: 25 }, (_, group) => ({
  groupVersion: `group-${group}.example.io/v1`,
  resources: Array.from({ length: 6 }, (_, i) => ({ kind: `Kind${i}`, name: `kind${i}s` })),
}));

/** Returns the scenario in which clusters in pull mode are idle for this time: all that their agents do then is done by clients of their own. */
export const idleAgentsFor = (seconds: number): Scenario => ({
  name: 'idle-agents',
  about: `clusters in pull mode whose agents only write signs of life, each over its own connection and with open watches: the Leases of the cluster and of the leader election, and then a status, for ${seconds} s each`,
  isLong: true,
  async run(target, { count }) {
    const agents = Array.from({ length: partOf(count, 10) }, (_, i) => new Agent(target, `pull${i + 1}`));
    try {
      for (const agent of agents) await agent.start();
      return await Promise.race([signsOfLife(target, agents, seconds), ...agents.flatMap(({ watches }) => watches)]);
    } finally {
      const joined = agents.filter(({ hasJoined }) => hasJoined).map(({ name }) => name);
      await Promise.all(agents.map(agent => agent.stop())).finally(() => removeClusters(target, joined));
    }
  },
});

export const idleAgents = idleAgentsFor(defaultSeconds);

/** Measures the Leases and then the statuses. Rejects when the agents are stopped meanwhile. */
async function signsOfLife(target: Target, agents: readonly Agent[], seconds: number): Promise<readonly Sample[]> {
  await idle(target.pids);
  const write = (name: string, everyMs: number, act: (agent: Agent) => Promise<void>): Promise<Sample> =>
    measure(target, `${agents.length} agents, ${name}`, () => repeatedly(agents, act, { everyMs, seconds }));
  return [await write('Leases', 4000, agent => agent.renew()), await write('status', 10_000, agent => agent.report())];
}

/** Lets all agents act in every period, evenly spread over it. Returns the latencies in milliseconds. */
async function repeatedly(
  agents: readonly Agent[],
  act: (agent: Agent) => Promise<void>,
  { everyMs, seconds }: { readonly everyMs: number; readonly seconds: number },
): Promise<readonly number[]> {
  const latencies: number[] = [];
  const end = performance.now() + seconds * 1000;
  const run = async (agent: Agent, index: number): Promise<void> => {
    const { stopped: signal } = agent;
    await pause((index / agents.length) * everyMs, undefined, { signal });
    while (performance.now() < end) {
      const began = performance.now();
      await act(agent);
      latencies.push(performance.now() - began);
      await pause(Math.max(0, everyMs - (performance.now() - began)), undefined, { signal });
    }
  };
  await Promise.all(agents.map(run));
  return latencies;
}

const ready = { status: 'True', reason: 'ClusterReady' } as const;
const gone = { status: 'False', reason: 'ClusterNotReachable' } as const;

/** What an agent without changes does in the control plane. */
class Agent {
  readonly name: string;
  /** Its watches. Each rejects when it fails or ends, also after `stop`. */
  readonly watches: Promise<never>[] = [];
  readonly #client: Client;
  readonly #stop = new AbortController();
  readonly #leases = new Map<string, KubeObject>();
  readonly #close: () => Promise<void>;
  #hasJoined = false;
  #renewals = 0;

  constructor(target: Target, name: string) {
    this.name = name;
    const client = remote(target.endpoint, { userAgent: 'karmada-agent/bench' });
    this.#client = client;
    this.#close = () => client.close();
  }

  /** Reports whether it has created its Cluster. One that existed before belongs to someone else. */
  get hasJoined(): boolean {
    return this.#hasJoined;
  }

  /** Aborts when it is stopped. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  /** Creates the Cluster and the Leases, and opens the watches. */
  async start(): Promise<void> {
    const spec = { syncMode: 'Pull', id: this.name };
    const metadata = { name: this.name };
    const draft = { apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata, spec };
    await this.#client.create(resources.clusters, draft);
    this.#hasJoined = true;
    for (const namespace of [namespaces.cluster, namespaces.system]) {
      await ensureNamespace(this.#client, namespace);
      await this.#renew(namespace);
    }
    await this.#report(ready, { kubernetesVersion: 'v1.36.0', apiEnablements });
    this.#watch(resources.clusters, { fieldSelector: `metadata.name=${this.name}` });
    this.#watch(resources.works, { namespace: executionNamespace(this.name) });
    this.#watch(resources.interpreterCustomizations, {});
  }

  /** Renews one of its Leases: that of the cluster 6 times per minute, and that of the leader election 9 times. */
  async renew(): Promise<void> {
    await this.#renew(this.#renewals++ % 5 < 2 ? namespaces.cluster : namespaces.system);
  }

  async #renew(namespace: string): Promise<void> {
    const known = this.#leases.get(namespace);
    const spec = { holderIdentity: this.name, leaseDurationSeconds: 40, renewTime: formatMicroTime(Date.now()) };
    const metadata = known?.metadata ?? { namespace, name: this.name };
    const draft = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
    this.#leases.set(
      namespace,
      await (known ? this.#client.update(leases, draft) : this.#client.create(leases, draft)),
    );
  }

  /** Writes a condition that differs from the last one. */
  report(): Promise<void> {
    return this.#report(ready);
  }

  async #report(state: typeof ready | typeof gone, more: Partial<NonNullable<Cluster['status']>> = {}): Promise<void> {
    const now = new Date().toISOString();
    const condition = { type: 'Ready', ...state, message: now, lastTransitionTime: now };
    const status: Cluster['status'] = { ...more, conditions: [condition] };
    const patch = { type: 'merge', patch: { status } } as const;
    await this.#client.patch(resources.clusters, { name: this.name }, patch, { subresource: 'status' });
  }

  /**
   * Deletes the Leases, which nothing else deletes, and closes the connection. The Cluster stays, but is not Ready: the removal of one that is would
   * wait for 40 s for its agent to take the Works of propagated namespaces back.
   */
  async stop(): Promise<void> {
    this.#stop.abort();
    try {
      const { name } = this;
      const deletions = [...this.#leases.keys()].map(namespace => this.#client.delete(leases, { namespace, name }));
      await Promise.all([...deletions, this.#hasJoined && this.#report(gone)]);
    } finally {
      await this.#close();
    }
  }

  #watch(...query: Parameters<Client['list']>): void {
    const watch = this.#follow(...query);
    watch.catch(() => undefined); // The measurement awaits it, and begins later.
    this.watches.push(watch);
  }

  async #follow(...[resource, query]: Parameters<Client['list']>): Promise<never> {
    const resourceVersion = (await this.#client.list(resource, query)).metadata.resourceVersion ?? '';
    const events = this.#client.watch(resource, { ...query, resourceVersion }, this.#stop.signal);
    for await (const _ of events);
    throw new Error(`the watch of ${resource.resource} ended`);
  }
}
