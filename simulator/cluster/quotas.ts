import type { ResourceQuota } from '../../openapi/gen/core-v1.js';
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { addAmount, amountsText } from '../../apimachinery/quantity/amounts.js';
import { deepEqual } from '../../lib/json/equality.js';
import { zeroQuantity } from '../../apimachinery/quantity/quantity.js';
import { quotaMatches, objectCountName, type Evaluator } from '../../admission/plugins/quota/evaluator.js';
import { evaluatorOf } from '../../admission/plugins/quota/evaluators.js';
import type { Catalogue, ResourceDefinition } from '../../registry/interface.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext, Informer, Key, WorkQueue } from '../../client/runtime/interface.js';
import { updateObject } from '../../client/runtime/update.js';
import { pods, services } from '../../api/kubernetes/resources.js';

const core = (resource: string): GroupVersionResource => ({ group: '', version: 'v1', resource });
const quotas = core('resourcequotas');

/** Resources that quotas always count, besides those that they name as `count/...`. */
const defaultResources = [
  pods,
  services,
  ...['configmaps', 'secrets', 'persistentvolumeclaims', 'replicationcontrollers', 'resourcequotas'].map(core),
];

/** Milliseconds for which deletions are collected before a recount. */
const settleMs = 50;
/** Milliseconds before the status that another writer changed is recounted: by then all writes that admission has counted are visible. */
const recountMs = 1000;

interface Counted {
  readonly evaluator: Evaluator;
  readonly objects: Informer<KubeObject>;
}

class Quotas {
  readonly #context: ControllerContext;
  readonly #catalogue: Catalogue;
  readonly #quotas: Informer<ResourceQuota>;
  /** The resources that are counted. */
  readonly #counted: Counted[] = [];
  readonly #definitions = new Set<ResourceDefinition>();
  /** Set once changes are watched. */
  #queue: WorkQueue | undefined;

  constructor(context: ControllerContext, catalogue: Catalogue) {
    this.#context = context;
    this.#catalogue = catalogue;
    this.#quotas = context.informers.informer<ResourceQuota>(quotas);
    for (const resource of defaultResources) this.#count(catalogue.find(resource));
  }

  run(): void {
    this.#context.run({
      name: 'resourcequota-controller',
      synced: [this.#quotas.synced, ...this.#counted.map(({ objects }) => objects.synced)],
      wire: queue => this.#wire(queue),
      reconcile: key => this.#reconcile(key),
    });
  }

  #wire(queue: WorkQueue): void {
    this.#queue = queue;
    this.#quotas.onChange(({ old, new: quota }) => {
      if (!quota) return;
      const specChanged = !old || !deepEqual(old.spec, quota.spec);
      queue.addAfter(keyOf(quota), specChanged ? 0 : recountMs);
    });
    for (const counted of this.#counted) this.#recountOnRemoval(counted, queue);
  }

  async #reconcile(key: Key): Promise<void> {
    const quota = this.#quotas.get(key);
    if (!quota) return;
    await this.#countNamed(quota);
    const status = { hard: { ...quota.spec?.hard }, used: this.#usedOf(quota) };
    const { client } = this.#context;
    await updateObject(client, quotas, quota, draft => void (draft.status = status), { subresource: 'status' });
  }

  /** Starts to count the resources that a quota names for the first time. */
  async #countNamed({ spec }: ResourceQuota): Promise<void> {
    const unknown = Object.keys(spec?.hard ?? {}).filter(
      name => name.startsWith('count/') && !this.#counted.some(({ evaluator }) => evaluator.counts(name)),
    );
    if (unknown.length === 0) return;
    const named = [...this.#catalogue.all()].filter(({ group, plural }) =>
      unknown.includes(objectCountName(group, plural)),
    );
    await Promise.all(named.flatMap(definition => this.#count(definition) ?? []).map(({ objects }) => objects.synced));
  }

  /** Starts to count a resource; returns undefined if it is counted already, or cannot be. */
  #count(definition: ResourceDefinition | undefined): Counted | undefined {
    const evaluator = definition && !this.#definitions.has(definition) ? evaluatorOf(definition) : undefined;
    if (!definition || !evaluator) return undefined;
    this.#definitions.add(definition);
    const { group, plural, versions } = definition;
    const version = versions.find(({ served }) => served)?.name ?? '';
    const objects = this.#context.informers.informer({ group, version, resource: plural });
    const counted = { evaluator, objects };
    this.#counted.push(counted);
    if (this.#queue) this.#recountOnRemoval(counted, this.#queue);
    return counted;
  }

  #recountOnRemoval({ objects }: Counted, queue: WorkQueue): void {
    objects.onChange(({ old, new: now }) => {
      if (now && !hasEnded(old, now)) return;
      for (const quota of this.#quotas.list((now ?? old)?.metadata.namespace)) queue.addAfter(keyOf(quota), settleMs);
    });
  }

  #usedOf(quota: ResourceQuota): Record<string, string> {
    const names = Object.keys(quota.spec?.hard ?? {});
    const used = new Map(names.map(name => [name, zeroQuantity]));
    const limiting = { ...quota, status: { hard: quota.spec?.hard ?? {} } };
    const now = this.#context.clock.now();
    for (const { evaluator, objects } of this.#counted) {
      if (!names.some(name => evaluator.counts(name))) continue;
      for (const object of objects.list(quota.metadata.namespace)) {
        if (!quotaMatches(limiting, evaluator, object)) continue;
        for (const [name, amount] of evaluator.usage(object, new Date(now)))
          if (used.has(name)) addAmount(used, name, amount);
      }
    }
    return amountsText(used);
  }
}

/** Sets the limits and the usage in the status of every ResourceQuota. Admission adds to the usage; this controller recounts it. */
export function startQuotas(context: ControllerContext, catalogue: Catalogue): void {
  new Quotas(context, catalogue).run();
}

/** Returns whether a Pod has just ended, so that it uses nothing any more. */
function hasEnded(old: KubeObject | undefined, now: KubeObject): boolean {
  const phase = (object: KubeObject | undefined): unknown =>
    (object?.['status'] as { phase?: string } | undefined)?.phase;
  return phase(old) !== phase(now) && (phase(now) === 'Succeeded' || phase(now) === 'Failed');
}
