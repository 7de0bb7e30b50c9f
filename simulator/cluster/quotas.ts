import type { ResourceQuota } from '../../openapi/gen/core-v1.js';
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { addAmount, amountsText } from '../../apimachinery/quantity/amounts.js';
import { deepEqual } from '../../lib/json/equality.js';
import { zeroQuantity } from '../../apimachinery/quantity/quantity.js';
import { quotaMatches, countOf, type Evaluator } from '../../admission/plugins/quota/evaluator.js';
import { evaluatorOf } from '../../admission/plugins/quota/evaluators.js';
import type { Catalogue, ResourceDefinition } from '../../registry/interface.js';
import { keyOf } from '../../client/runtime/informer.js';
import type { ControllerContext, Informer, WorkQueue } from '../../client/runtime/interface.js';
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

/** Sets the limits and the usage in the status of every ResourceQuota. Admission adds to the usage; this controller recounts it. */
export function startQuotas(context: ControllerContext, catalogue: Catalogue): void {
  const { client, clock, informers } = context;
  const mirror = informers.informer<ResourceQuota>(quotas);
  const mirrors: Counted[] = [];
  const mirrored = new Set<ResourceDefinition>();
  let queue: WorkQueue | undefined;

  function recountOnRemoval({ objects }: Counted, queue: WorkQueue): void {
    objects.onChange(({ old, new: now }) => {
      if (now && !hasEnded(old, now)) return;
      for (const quota of mirror.list((now ?? old)?.metadata.namespace)) queue.addAfter(keyOf(quota), settleMs);
    });
  }

  function watchObjects(definition: ResourceDefinition | undefined): Counted | undefined {
    const evaluator = definition && !mirrored.has(definition) ? evaluatorOf(definition) : undefined;
    if (!definition || !evaluator) return undefined;
    mirrored.add(definition);
    const { group, plural, versions } = definition;
    const version = versions.find(({ served }) => served)?.name ?? '';
    const counted = { evaluator, objects: informers.informer({ group, version, resource: plural }) };
    mirrors.push(counted);
    if (queue) recountOnRemoval(counted, queue);
    return counted;
  }

  /** Starts to count the resources that a quota names for the first time. */
  async function countNamed({ spec }: ResourceQuota): Promise<void> {
    const unknown = Object.keys(spec?.hard ?? {}).filter(
      name => name.startsWith('count/') && !mirrors.some(({ evaluator }) => evaluator.counts(name)),
    );
    if (unknown.length === 0) return;
    const named = [...catalogue.all()].filter(({ group, plural }) => unknown.includes(countOf(group, plural)));
    await Promise.all(named.flatMap(definition => watchObjects(definition) ?? []).map(({ objects }) => objects.synced));
  }

  for (const resource of defaultResources) watchObjects(catalogue.find(resource));

  function usedOf(quota: ResourceQuota): Record<string, string> {
    const names = Object.keys(quota.spec?.hard ?? {});
    const used = new Map(names.map(name => [name, zeroQuantity]));
    const limiting = { ...quota, status: { hard: quota.spec?.hard ?? {} } };
    for (const { evaluator, objects } of mirrors) {
      if (!names.some(name => evaluator.counts(name))) continue;
      for (const object of objects.list(quota.metadata.namespace)) {
        if (!quotaMatches(limiting, evaluator, object)) continue;
        for (const [name, amount] of evaluator.usage(object, new Date(clock.now()))) {
          if (used.has(name)) addAmount(used, name, amount);
        }
      }
    }
    return amountsText(used);
  }

  context.run({
    name: 'resourcequota-controller',
    synced: [mirror.synced, ...mirrors.map(({ objects }) => objects.synced)],
    wire(own) {
      queue = own;
      mirror.onChange(({ old, new: quota }) => {
        if (!quota) return;
        const specChanged = !old || !deepEqual(old.spec, quota.spec);
        own.addAfter(keyOf(quota), specChanged ? 0 : recountMs);
      });
      for (const counted of mirrors) recountOnRemoval(counted, own);
    },
    reconcile: async key => {
      const quota = mirror.get(key);
      if (!quota) return;
      await countNamed(quota);
      const status = { hard: { ...quota.spec?.hard }, used: usedOf(quota) };
      await updateObject(client, quotas, quota, draft => void (draft.status = status), { subresource: 'status' });
    },
  });
}

/** Returns whether a Pod has just ended, so that it uses nothing any more. */
function hasEnded(old: KubeObject | undefined, now: KubeObject): boolean {
  const phase = (object: KubeObject | undefined): unknown =>
    (object?.['status'] as { phase?: string } | undefined)?.phase;
  return phase(old) !== phase(now) && (phase(now) === 'Succeeded' || phase(now) === 'Failed');
}
