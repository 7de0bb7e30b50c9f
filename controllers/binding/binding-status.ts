import { deepEqual } from '../../lib/json/equality.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { gvkOf, parseApiVersion } from '../../apimachinery/meta/gvk.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { findCondition } from '../../kinds/karmada/conditions.js';
import { clusterOfExecutionNamespace } from '../../api/karmada/names.js';
import type { AggregatedStatusItem, Binding, Condition, ObjectReference, Work } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { Interpreter } from '../interpreter/interface.js';
import type { Templates } from '../policy/templates.js';
import { withCondition } from '../../client/runtime/conditions.js';
import { keyOf } from '../../client/runtime/informer.js';
import type { ControllerContext, EventRecorder } from '../../client/runtime/interface.js';
import { createAdaptiveDelay } from '../../client/runtime/adaptive-delay.js';
import { find, updateObject } from '../../client/runtime/update.js';
import { existingClusters } from './render.js';
import { clusterResourceBindingKeyOf, resourceBindingKeyOf, workIndexers, worksOf } from './works-of-binding.js';

export interface BindingStatusOptions {
  readonly templates: Templates;
  readonly interpreter: Interpreter;
}

/**
 * Milliseconds after scheduling for which a binding without any report of a cluster is not written.
 * differs: Karmada writes at once that not all Works are applied, which is one more write for every binding.
 */
const firstReportMs = 1000;

/**
 * Aggregates the statuses of a binding's Works into the status of the binding and of its template.
 * as pkg/controllers/status RBStatusController
 */
export function startBindingStatusControllers(context: ControllerContext, options: BindingStatusOptions): void {
  const works = context.informers.informer<Work>(resources.works, { indexers: workIndexers });
  const adaptiveDelay = createAdaptiveDelay();
  for (const [name, resource, bindingOf] of [
    ['resource-binding-status-controller', resources.resourceBindings, resourceBindingKeyOf],
    ['cluster-resource-binding-status-controller', resources.clusterResourceBindings, clusterResourceBindingKeyOf],
  ] as const) {
    const bindings = context.informers.informer<Binding>(resource);
    const recorder = context.recorder(name);
    context.run({
      name,
      synced: [works.synced, bindings.synced],
      wire: queue => {
        works.onChange(({ old, new: work }) => {
          // After a gap of the watch, a Work may be seen for the first time when it has a status already.
          const seen = work ?? old;
          if (!seen || (work && deepEqual(old?.status, work.status))) return;
          const key = bindingOf(seen);
          if (key) queue.addAfter(key, adaptiveDelay());
        });
        bindings.onChange(({ old, new: binding }) => {
          if (!binding?.status?.lastScheduledTime) return;
          const seen = old?.status?.lastScheduledTime !== undefined;
          const sameTemplate = old?.spec.resource.resourceVersion === binding.spec.resource.resourceVersion;
          if (!seen || !sameTemplate) queue.addAfter(keyOf(binding), adaptiveDelay());
        });
      },
      reconcile: async key => {
        const binding = bindings.get(key);
        if (!binding || binding.metadata.deletionTimestamp) return undefined;
        const items = aggregatedStatus(worksOf(binding, works), binding.spec.resource);
        const left = scheduledAt(binding) + firstReportMs - context.clock.now();
        if (left > 0 && hasNoReport(binding, items)) return { againAfter: left };
        await writeBindingStatus(binding, items);
        // The template's status is written only once there are reports, or to clear earlier ones.
        if (items.length > 0 || binding.status?.aggregatedStatus?.length)
          await writeTemplateStatus(binding.spec.resource, items);
        return undefined;
      },
    });

    async function writeBindingStatus(binding: Binding, items: AggregatedStatusItem[]): Promise<void> {
      const { client, clock } = context;
      const written = await updateObject(
        client,
        resource,
        binding,
        draft => {
          const status = (draft.status ??= {});
          if (items.length === 0) delete status.aggregatedStatus;
          else if (!deepEqual(status.aggregatedStatus, items)) status.aggregatedStatus = items;
          status.conditions = withCondition(status.conditions ?? [], fullyApplied(draft, items), clock.now());
        },
        { subresource: 'status' },
      );
      if (written === binding) return;
      const { namespace, name: objectName } = binding.metadata;
      const about = `${binding.kind}(${namespace ? `${namespace}/` : ''}${objectName})`;
      recorder.event(
        binding,
        'Normal',
        'AggregateStatusSucceed',
        `Update ${about} with AggregatedStatus successfully.`,
      );
    }

    async function writeTemplateStatus(reference: ObjectReference, items: AggregatedStatusItem[]): Promise<void> {
      const { apiVersion, kind, namespace = '', name: objectName } = reference;
      const source = options.templates.source(apiVersion, kind);
      // A cluster-scoped kind has no objects in a namespace, whatever the reference says.
      if (source?.resource.namespaced !== (namespace !== '')) return;
      if (!options.interpreter.has({ ...parseApiVersion(apiVersion), kind }, 'AggregateStatus')) return;
      await aggregate(source.resource, { namespace, name: objectName }, items, options.interpreter, context, recorder);
    }
  }
}

/** Returns the end of the second in which the binding was scheduled, in milliseconds; the API's time is in whole seconds. */
const scheduledAt = ({ status }: Binding): number => Date.parse(status?.lastScheduledTime ?? '') + 999;

/** Reports whether the binding has no status yet and no cluster has reported whether its Work is applied. */
const hasNoReport = ({ spec, status }: Binding, items: readonly AggregatedStatusItem[]): boolean =>
  !status?.aggregatedStatus?.length &&
  existingClusters(spec).size > 0 &&
  items.every(({ applied, appliedMessage }) => !applied && appliedMessage === undefined);

/** Returns one item per Work that is not being deleted, sorted by cluster. */
function aggregatedStatus(works: readonly Work[], reference: ObjectReference): AggregatedStatusItem[] {
  return works
    .filter(work => !work.metadata.deletionTimestamp)
    .map(work => statusItem(work, reference))
    .sort((a, b) => (a.clusterName < b.clusterName ? -1 : 1));
}

function statusItem(work: Work, { apiVersion, kind, namespace = '', name }: ObjectReference): AggregatedStatusItem {
  const clusterName = clusterOfExecutionNamespace(work.metadata.namespace ?? '') ?? '';
  const condition = findCondition(work.status?.conditions, 'Applied');
  if (condition?.status !== 'True') {
    const appliedMessage = condition?.message;
    return { clusterName, ...(appliedMessage ? { appliedMessage } : {}), health: 'Unknown' };
  }
  const ordinal = work.spec.workload?.manifests?.findIndex(manifest => {
    const { metadata } = manifest;
    return (
      manifest.apiVersion === apiVersion &&
      manifest.kind === kind &&
      metadata.name === name &&
      (metadata.namespace ?? '') === namespace
    );
  });
  const manifest = work.status?.manifestStatuses?.find(({ identifier }) => identifier.ordinal === ordinal);
  return {
    clusterName,
    ...(manifest?.status === undefined ? {} : { status: manifest.status }),
    applied: true,
    health: manifest?.health ?? 'Unknown',
  };
}

/** Returns the condition FullyApplied: True if exactly the expected clusters have applied their Work. */
function fullyApplied(
  { spec }: Binding,
  items: readonly AggregatedStatusItem[],
): Omit<Condition, 'lastTransitionTime'> {
  const expected = existingClusters(spec);
  const complete =
    items.length > 0 &&
    items.length === expected.size &&
    items.every(({ clusterName, applied }) => applied && expected.has(clusterName));
  const type = 'FullyApplied';
  if (complete)
    return { type, status: 'True', reason: 'FullyAppliedSuccess', message: 'All works have been successfully applied' };
  const message = 'Failed to apply all works, see status.aggregatedStatus for details';
  return { type, status: 'False', reason: 'FullyAppliedFailed', message };
}

/** Writes the aggregated status to the template. It is read from the server, since its status is often the latest change. */
async function aggregate(
  resource: { group: string; version: string; resource: string },
  key: { namespace: string; name: string },
  items: readonly AggregatedStatusItem[],
  interpreter: Interpreter,
  { client }: ControllerContext,
  recorder: EventRecorder,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const template = await find(client, resource, key);
    if (!template || !interpreter.has(gvkOf(template), 'AggregateStatus')) return;
    try {
      const next = await interpreter.aggregateStatus(template, items);
      if (deepEqual(next['status'], template['status'])) return;
      await client.update(resource, { ...template, status: next['status'] }, { subresource: 'status' });
      recorder.event(
        template,
        'Normal',
        'AggregateStatusSucceed',
        'Update Resource with AggregatedStatus successfully.',
      );
      return;
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return;
      if (error instanceof StatusError && error.code === 409 && attempt < 5) continue;
      const text = errorText(error);
      recorder.event(template, 'Warning', 'AggregateStatusFailed', text);
      throw error;
    }
  }
}
