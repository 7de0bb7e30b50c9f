/** A control plane with members that report the status of Deployments at once; requests to all but one of them pass proxies that can fail. */
import path from 'node:path';
import type { Test } from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { namespacedName } from '../../../apimachinery/meta/gvk.js';
import { bindingName } from '../../../api/karmada/names.js';
import type { Binding, Cluster } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { kubernetesControllers } from '../../../cli/parts/kubernetes-controllers.js';
import { scheduler } from '../../../cli/parts/scheduler.js';
import { follow } from '../../../client/watch/follow.js';
import { isClusterReady } from '../../../kinds/karmada/conditions.js';
import { core, join, memberServer, object } from '../../aggregation/fleet.js';
import { runningServer, temporaryFolder, type TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { accountToken, deployment, deployments } from '../work/work-fixture.js';
import { faultyFront, type FaultyFront } from './faulty-front.js';

const all = (): boolean => true;

/** A member that is back counts as healthy at once; one that fails counts as ready for as long as by default. */
const probing = { frequencyMs: 500, thresholds: { successMs: 0, failureMs: 30_000 } };

/** The number of Deployments: more than a member has workers. */
const count = 9;

/** Sets the replicas of each changed Deployment as its status, in place of the controllers of a cluster. */
function reportStatuses(t: Test, { client }: TestServer): void {
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  follow(deployments, {
    client,
    signal: stop.signal,
    onError: () => undefined,
    onChange(_key, _was, is) {
      const current = is?.object;
      const { replicas } = (current?.['spec'] ?? {}) as { replicas?: number };
      if (!current || (current['status'] as { replicas?: number } | undefined)?.replicas === replicas) return;
      const status = { replicas, readyReplicas: replicas, observedGeneration: current.metadata.generation };
      // A conflict means that there is a newer state, which is reported instead.
      client.update(deployments, { ...current, status }, { subresource: 'status' }).catch(() => undefined);
    },
  });
}

async function startMember(t: Test): Promise<TestServer> {
  const member = await memberServer(t);
  reportStatuses(t, member);
  return member;
}

/** Replicas of a Deployment in the aggregated status of its binding, by member. */
type Shown = ReadonlyMap<string, number | undefined>;

/** The change of one template. */
interface Change {
  readonly name: string;
  /** When it was sent, or could have been seen at the earliest, by `performance.now()`. */
  readonly began: number;
}

/** What a control plane shows, updated by watches: reading it in a loop is cheap. */
class View {
  /** By the key of the binding. */
  readonly bindings = new Map<string, Shown>();
  readonly readyMembers = new Set<string>();
  /** When the healthy member first had a number of replicas, by the key of the binding and the number, by `performance.now()`. */
  readonly #seenAt = new Map<string, number>();
  readonly #stop = new AbortController();

  constructor({ client }: TestServer) {
    const common = { client, signal: this.#stop.signal, onError: () => undefined };
    follow(resources.resourceBindings, {
      ...common,
      onChange: (key, _was, is) => is && this.#changed(key, replicasIn(is.object)),
    });
    follow(resources.clusters, {
      ...common,
      onChange: (key, _was, is) => {
        if (is && isClusterReady(is.object as Cluster)) this.readyMembers.add(key);
        else this.readyMembers.delete(key);
      },
    });
  }

  /** Returns when the status over the healthy member had so many replicas. */
  seenAt(name: string, replicas: number): number | undefined {
    return this.#seenAt.get(`${namespacedName('default', bindingName('Deployment', name))}|${replicas}`);
  }

  stop(): void {
    this.#stop.abort();
  }

  #changed(key: string, shown: Shown): void {
    this.bindings.set(key, shown);
    const id = `${key}|${shown.get('good')}`;
    if (!this.#seenAt.has(id)) this.#seenAt.set(id, performance.now());
  }
}

/** A member behind a proxy. */
export class BadMember {
  readonly name: string;
  readonly front: FaultyFront;
  server: TestServer;

  constructor(name: string, server: TestServer, front: FaultyFront) {
    this.name = name;
    this.server = server;
    this.front = front;
  }
}

export class FaultScene {
  readonly bad: readonly BadMember[];
  readonly #t: Test;
  readonly #names: readonly string[];
  readonly #config: object;
  #control: TestServer;
  #view: View;
  #replicas = 1;

  constructor(t: Test, parts: Pick<FaultScene, 'bad'> & { control: TestServer; config: object }) {
    this.bad = parts.bad;
    this.#t = t;
    this.#control = parts.control;
    this.#view = new View(parts.control);
    this.#config = parts.config;
    this.#names = Array.from({ length: count }, (_, i) => `app-${i}`);
    t.teardown(() => this.#view.stop());
  }

  /** Propagates the Deployments to all members. */
  async create(): Promise<void> {
    const { client } = this.#control;
    await this.#allReady();
    await client.create(
      resources.propagationPolicies,
      object('policy.karmada.io/v1alpha1', 'PropagationPolicy', 'all', {
        metadata: { namespace: 'default' },
        spec: { resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }] },
      }),
    );
    await Promise.all(this.#names.map(name => client.create(deployments, deployment(name))));
    await this.converged();
  }

  /**
   * Stops the control plane while a half of the templates change, and starts it; `between` is called while it is stopped. The other half changes as
   * soon as it serves. Resolves with the latencies, for those of the first half from when it serves again.
   */
  async restart(between?: () => void): Promise<readonly number[]> {
    this.#replicas++;
    const half = Math.ceil(this.#names.length / 2);
    const before = await Promise.all(this.#names.slice(0, half).map(name => this.#patch(name)));
    this.#view.stop();
    await this.#control.stop();
    between?.();
    this.#control = await runningServer(this.#t, this.#config);
    this.#view = new View(this.#control);
    const began = performance.now();
    const after = await Promise.all(this.#names.slice(half).map(name => this.#patch(name)));
    return this.#latencies([...before.map(({ name }) => ({ name, began })), ...after]);
  }

  /** Puts an empty server in the place of a member. Its account has another token, which the control plane does not have. */
  async replace(member: BadMember): Promise<{ readonly token: string }> {
    const server = await startMember(this.#t);
    const token = await accountToken(server);
    member.front.passTo(server);
    await member.server.stop();
    member.server = server;
    return { token };
  }

  /** Replaces data of the secret of a member. */
  async setSecret({ name }: BadMember, data: Readonly<Record<string, string>>): Promise<void> {
    const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')] as const);
    const patch = { data: Object.fromEntries(encoded) };
    const key = { namespace: 'karmada-cluster', name };
    await this.#control.client.patch(core('secrets'), key, { type: 'merge', patch });
  }

  /**
   * Changes all templates several times. Resolves with the latencies: from sending each change until the status over the healthy member is
   * aggregated.
   */
  async change(times: number): Promise<readonly number[]> {
    const latencies: number[] = [];
    for (let i = 0; i < times; i++) {
      this.#replicas++;
      const changes = await Promise.all(this.#names.map(name => this.#patch(name)));
      latencies.push(...(await this.#latencies(changes)));
    }
    return latencies;
  }

  async #patch(name: string): Promise<Change> {
    const began = performance.now();
    const patch = { spec: { replicas: this.#replicas } };
    await this.#control.client.patch(deployments, { namespace: 'default', name }, { type: 'merge', patch });
    return { name, began };
  }

  async #latencies(changes: readonly Change[]): Promise<readonly number[]> {
    const seenAt = (name: string) => this.#view.seenAt(name, this.#replicas);
    await until('the statuses of the healthy member', () => changes.every(({ name }) => seenAt(name) !== undefined));
    return changes.map(({ name, began }) => (seenAt(name) ?? NaN) - began);
  }

  /** Resolves when all members have the templates of the last change, and the control plane their statuses. */
  async converged(): Promise<void> {
    const members = ['good', ...this.bad.map(({ name }) => name)];
    await this.#allReady();
    await until('all bindings show all members', () =>
      this.#allShow(shown => members.every(name => shown.get(name) === this.#replicas)),
    );
    for (const { name, server } of this.bad) {
      const { items } = await server.client.list(deployments);
      const replicas = items.map(({ spec }) => (spec as { replicas: number }).replicas);
      this.#t.same(replicas, Array(this.#names.length).fill(this.#replicas), `${name} has the last templates`);
    }
  }

  #allShow(holds: (shown: Shown) => boolean): boolean {
    const { bindings } = this.#view;
    return bindings.size === this.#names.length && [...bindings.values()].every(holds);
  }

  async #allReady(): Promise<void> {
    await until('all members are ready', () => this.#view.readyMembers.size === this.bad.length + 1);
  }
}

function replicasIn(binding: KubeObject): Shown {
  const items = (binding as Binding).status?.aggregatedStatus ?? [];
  return new Map(
    items.map(({ clusterName, status }) => [clusterName, (status as { replicas?: number } | undefined)?.replicas]),
  );
}

/** Starts the control plane, the member `good`, and members behind proxies. */
export async function faultScene(t: Test, badNames: readonly string[]): Promise<FaultScene> {
  const directory = await temporaryFolder(t);
  const config = {
    storage: { type: 'embedded', directory: path.join(directory, 'storage') },
    pkiDirectory: path.join(directory, 'pki'),
    parts: [kubernetesControllers(all), karmadaControllers(all, undefined, { probing }), scheduler()],
  } as const;
  const [control, good] = await Promise.all([runningServer(t, config), startMember(t)]);
  const authority = good.pki.authority.certificate;
  await join(control, 'good', { server: good.url, authority, token: await accountToken(good) });
  const bad = await Promise.all(
    badNames.map(async name => {
      const server = await startMember(t);
      return new BadMember(name, server, await faultyFront(t, server));
    }),
  );
  for (const { name, server, front } of bad)
    await join(control, name, { server: front.url, authority: front.authority, token: await accountToken(server) });
  const scene = new FaultScene(t, { bad, control, config });
  await scene.create();
  return scene;
}
