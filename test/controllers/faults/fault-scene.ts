/** A control plane with two members that report the status of Deployments at once; requests to one of them pass a proxy that can fail. */
import path from 'node:path';
import type { Test } from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Binding, Cluster } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { kubernetesControllers } from '../../../cli/parts/kubernetes-controllers.js';
import { scheduler } from '../../../cli/parts/scheduler.js';
import { follow } from '../../../client/watch/follow.js';
import { isClusterReady } from '../../../kinds/karmada/conditions.js';
import { join, memberServer, object } from '../../aggregation/fleet.js';
import { runningServer, temporaryFolder, type TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { accountToken, deployment, deployments } from '../work/work-fixture.js';
import { faultyFront, type FaultyFront } from './faulty-front.js';

const all = (): boolean => true;

/** A member that is back counts as healthy at once; one that fails counts as ready for as long as by default. */
const probing = { frequencyMs: 500, thresholds: { successMs: 0, failureMs: 30_000 } };

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

/** Replicas of a Deployment in the aggregated status of its binding, by member. */
interface Shown {
  readonly good: number | undefined;
  readonly bad: number | undefined;
}

/** What a control plane shows, updated by watches: reading it in a loop is cheap. */
class View {
  /** By the key of the binding. */
  readonly bindings = new Map<string, Shown>();
  readonly readyMembers = new Set<string>();
  readonly #stop = new AbortController();

  constructor({ client }: TestServer) {
    const common = { client, signal: this.#stop.signal, onError: () => undefined };
    follow(resources.resourceBindings, {
      ...common,
      onChange: (key, _was, is) =>
        is && this.bindings.set(key, { good: replicasIn(is.object, 'good'), bad: replicasIn(is.object, 'bad') }),
    });
    follow(resources.clusters, {
      ...common,
      onChange: (key, _was, is) => {
        if (is && isClusterReady(is.object as Cluster)) this.readyMembers.add(key);
        else this.readyMembers.delete(key);
      },
    });
  }

  stop(): void {
    this.#stop.abort();
  }
}

export class FaultScene {
  readonly front: FaultyFront;
  readonly #t: Test;
  readonly #names: readonly string[];
  readonly #config: object;
  readonly #bad: TestServer;
  #control: TestServer;
  #view: View;
  #replicas = 1;

  constructor(t: Test, parts: Pick<FaultScene, 'front'> & { bad: TestServer; control: TestServer; config: object }) {
    this.front = parts.front;
    this.#t = t;
    this.#bad = parts.bad;
    this.#control = parts.control;
    this.#view = new View(parts.control);
    this.#config = parts.config;
    this.#names = Array.from({ length: 24 }, (_, i) => `app-${i}`);
    t.teardown(() => this.#view.stop());
  }

  /** Propagates the Deployments to both members. */
  async create(): Promise<void> {
    const { client } = this.#control;
    await this.#bothReady();
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

  /** Stops and starts the control plane; `between` is called while it is stopped. */
  async restart(between?: () => void): Promise<void> {
    this.#view.stop();
    await this.#control.stop();
    between?.();
    this.#control = await runningServer(this.#t, this.#config);
    this.#view = new View(this.#control);
  }

  /** Changes all templates. Resolves with the longest time in milliseconds until the status over the healthy member was aggregated. */
  async change(): Promise<number> {
    const { client } = this.#control;
    this.#replicas++;
    const began = performance.now();
    const patch = { spec: { replicas: this.#replicas } };
    await Promise.all(
      this.#names.map(name => client.patch(deployments, { namespace: 'default', name }, { type: 'merge', patch })),
    );
    await until('the statuses of the healthy member', () => this.#allShow(({ good }) => good === this.#replicas));
    return performance.now() - began;
  }

  /** Resolves when both members have the templates of the last change, and the control plane their statuses. */
  async converged(): Promise<void> {
    const isLast = (replicas: number | undefined): boolean => replicas === this.#replicas;
    await this.#bothReady();
    await until('all bindings show both members', () => this.#allShow(({ good, bad }) => isLast(good) && isLast(bad)));
    const { items } = await this.#bad.client.list(deployments);
    const replicas = items.map(({ spec }) => (spec as { replicas: number }).replicas);
    this.#t.same(replicas, Array(this.#names.length).fill(this.#replicas), 'the member has the last templates');
  }

  #allShow(holds: (shown: Shown) => boolean): boolean {
    const { bindings } = this.#view;
    return bindings.size === this.#names.length && [...bindings.values()].every(holds);
  }

  async #bothReady(): Promise<void> {
    await until('both members are ready', () => this.#view.readyMembers.size === 2);
  }
}

function replicasIn(binding: KubeObject, cluster: string): number | undefined {
  const item = (binding as Binding).status?.aggregatedStatus?.find(({ clusterName }) => clusterName === cluster);
  return (item?.status as { replicas?: number } | undefined)?.replicas;
}

/** Starts the control plane and the members `good` and `bad`, which is behind the proxy. */
export async function faultScene(t: Test): Promise<FaultScene> {
  const directory = await temporaryFolder(t);
  const config = {
    storage: { type: 'embedded', directory: path.join(directory, 'storage') },
    pkiDirectory: path.join(directory, 'pki'),
    parts: [kubernetesControllers(all), karmadaControllers(all, undefined, { probing }), scheduler()],
  } as const;
  const [control, good, bad] = await Promise.all([runningServer(t, config), memberServer(t), memberServer(t)]);
  const front = await faultyFront(t, bad);
  for (const member of [good, bad]) reportStatuses(t, member);
  const authority = good.pki.authority.certificate;
  await join(control, 'good', { server: good.url, authority, token: await accountToken(good) });
  await join(control, 'bad', { server: front.url, authority: front.authority, token: await accountToken(bad) });
  const scene = new FaultScene(t, { front, bad, control, config });
  await scene.create();
  return scene;
}
