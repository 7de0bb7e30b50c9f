import type { Clock } from '../../lib/clock.js';
import { deepEqual } from '../../lib/json/equality.js';
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { gvkOf, parseApiVersion } from '../../apimachinery/meta/gvk.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import type { Client } from '../../client/interface.js';
import { findCondition } from '../../kinds/karmada/conditions.js';
import { clusterOfExecutionNamespace } from '../../api/karmada/names.js';
import type { AggregatedStatusItem, Binding, Condition, ObjectReference, Work } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { Interpreter } from '../interpreter/interface.js';
import type { Templates } from '../policy/templates.js';
import { withCondition } from '../../client/runtime/conditions.js';
import { NotYet } from '../../client/runtime/controller.js';
import type {
  ControllerContext,
  EventRecorder,
  Informer,
  Key,
  ObjectChange,
  ReconcileResult,
  WorkQueue,
} from '../../client/runtime/interface.js';
import { generationChanged } from '../../client/runtime/generation.js';
import { createAdaptiveDelay } from '../../client/runtime/adaptive-delay.js';
import { find } from '../../client/find.js';
import { updateObject } from '../../client/runtime/update.js';
import { existingClusters } from './render.js';
import { clusterResourceBindingKeyOf, resourceBindingKeyOf, workIndexers, worksOf } from './works-of-binding.js';

interface BindingStatusOptions {
  readonly templates: Templates;
  readonly interpreter: Interpreter;
  /** Returns the milliseconds after scheduling for which reports of clusters are awaited before a binding is written. */
  readonly firstReportMs?: () => number;
}

/**
 * Milliseconds after scheduling for which a binding is not written: without any report of a cluster while the process is idle, and without those
 * of all clusters under load, when the Works wait for their turn and the reports of several clusters follow each other.
 * differs: Karmada writes at once that not all Works are applied, and again for every report, also to the template.
 */
const firstReportLimits = { minMs: 1000, maxMs: 5000 } as const;

/** Attempts to write the status of a template that others change, too. */
const templateAttempts = 5;

/** One kind of binding. */
interface BindingKind {
  /** The name of its controller. */
  readonly name: string;
  readonly resource: GroupVersionResource;
  /** Returns the key of the binding of this kind that a Work belongs to. */
  readonly keyOf: (work: Work) => Key | undefined;
}

const bindingKinds: readonly BindingKind[] = [
  {
    name: 'resource-binding-status-controller',
    resource: resources.resourceBindings,
    keyOf: resourceBindingKeyOf,
  },
  {
    name: 'cluster-resource-binding-status-controller',
    resource: resources.clusterResourceBindings,
    keyOf: clusterResourceBindingKeyOf,
  },
];

/** Aggregates the statuses of Works for one kind of binding. */
class BindingStatus {
  readonly #bindings: Informer<Binding>;
  readonly #kind: BindingKind;
  readonly #works: Informer<Work>;
  readonly #options: BindingStatusOptions;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #recorder: EventRecorder;
  readonly #firstReportMs: () => number;

  constructor(
    kind: BindingKind,
    { client, clock, informers, recorder }: ControllerContext,
    options: BindingStatusOptions,
  ) {
    this.#kind = kind;
    this.#options = options;
    this.#firstReportMs = options.firstReportMs ?? createAdaptiveDelay(firstReportLimits);
    this.#client = client;
    this.#clock = clock;
    this.#recorder = recorder(kind.name);
    this.#works = informers.informer<Work>(resources.works, { indexers: workIndexers });
    this.#bindings = informers.informer<Binding>(kind.resource);
  }

  get synced(): readonly Promise<void>[] {
    return [this.#works.synced, this.#bindings.synced];
  }

  /** `adaptiveDelay` returns the milliseconds for which changes of one binding are gathered. */
  wire(queue: WorkQueue, adaptiveDelay: () => number): void {
    // The Works that exist at the start are not parsed, since all bindings with Works are reconciled then.
    this.#works.onLaterChange(change => {
      if (!this.#works.hasSynced) return;
      const { new: work } = change;
      // After a gap of the watch, a Work may be seen for the first time when it has a status already.
      const seen = work ?? change.old;
      if (!seen || (work && !mayHaveOtherStatus(change))) return;
      const key = this.#kind.keyOf(seen);
      if (key) queue.addAfter(key, adaptiveDelay());
    });
    this.#bindings.onChange(change => {
      const { key, oldCached, new: binding } = change;
      if (!binding?.status?.lastScheduledTime) {
        if (!oldCached && binding) this.#whenWorksAreKnown(key, () => queue.addAfter(key, adaptiveDelay()));
      } else if (isScheduled(change) || hasOtherTemplate(change)) queue.addAfter(key, adaptiveDelay());
    });
  }

  /** Calls `found` if the binding has Works, when their first list is in the mirror. */
  #whenWorksAreKnown(key: Key, found: () => void): void {
    const look = (): void => {
      const binding = this.#bindings.get(key);
      if (binding && worksOf(binding, this.#works).length > 0) found();
    };
    if (this.#works.hasSynced) look();
    else void this.#works.synced.then(look);
  }

  async reconcile(key: Key): Promise<ReconcileResult> {
    const binding = this.#bindings.get(key);
    if (!binding || binding.metadata.deletionTimestamp) return undefined;
    const items = aggregatedStatus(worksOf(binding, this.#works), binding.spec.resource);
    const waitMs = this.#firstReportMs();
    const left = scheduledAt(binding) + waitMs - this.#clock.now();
    const wanted = waitMs > firstReportLimits.minMs ? existingClusters(binding.spec).size : 1;
    if (left > 0 && hasFewerReports(binding, items, wanted)) return { againAfter: left };
    await this.#writeBinding(binding, items);
    // The template's status is written only once there are reports, or to clear earlier ones.
    if (items.length > 0 || binding.status?.aggregatedStatus?.length)
      await this.#writeTemplate(binding.spec.resource, items);
    return undefined;
  }

  async #writeBinding(binding: Binding, items: AggregatedStatusItem[]): Promise<void> {
    const change = (draft: Binding): void => {
      const status = (draft.status ??= {});
      if (items.length === 0) delete status.aggregatedStatus;
      else if (!deepEqual(status.aggregatedStatus, items)) status.aggregatedStatus = items;
      status.conditions = withCondition(status.conditions ?? [], fullyApplied(draft, items), this.#clock.now());
    };
    const written = await updateObject(this.#client, this.#kind.resource, binding, change, { subresource: 'status' });
    if (written === binding) return;
    const { namespace, name } = binding.metadata;
    const about = `${binding.kind}(${namespace ? `${namespace}/` : ''}${name})`;
    this.#succeeded(binding, `Update ${about} with AggregatedStatus successfully.`);
  }

  /** Writes the aggregated status to the template. It is read from the server, since its status is often the latest change. */
  async #writeTemplate(reference: ObjectReference, items: readonly AggregatedStatusItem[]): Promise<void> {
    const { apiVersion, kind, namespace = '', name } = reference;
    const { interpreter, templates } = this.#options;
    const source = templates.source(apiVersion, kind);
    // A cluster-scoped kind has no objects in a namespace, whatever the reference says.
    if (source?.resource.namespaced !== (namespace !== '')) return;
    if (!interpreter.has({ ...parseApiVersion(apiVersion), kind }, 'AggregateStatus')) return;
    for (let attempt = 1; ; attempt++) {
      const template = await find(this.#client, source.resource, { namespace, name });
      if (!template || !interpreter.has(gvkOf(template), 'AggregateStatus')) return;
      try {
        const { status } = await interpreter.aggregateStatus(template, items);
        if (deepEqual(status, template['status'])) return;
        await this.#client.update(source.resource, { ...template, status }, { subresource: 'status' });
        return this.#succeeded(template, 'Update Resource with AggregatedStatus successfully.');
      } catch (error) {
        if (error instanceof StatusError && error.code === 404) return;
        if (error instanceof StatusError && error.code === 409 && attempt < templateAttempts) continue;
        if (!(error instanceof NotYet))
          this.#recorder.event(template, 'Warning', 'AggregateStatusFailed', errorText(error));
        throw error;
      }
    }
  }

  #succeeded(about: KubeObject, message: string): void {
    this.#recorder.event(about, 'Normal', 'AggregateStatusSucceed', message);
  }
}

/**
 * Aggregates the statuses of a binding's Works into the status of the binding and of its template.
 * as pkg/controllers/status RBStatusController
 */
export function startBindingStatusControllers(context: ControllerContext, options: BindingStatusOptions): void {
  const adaptiveDelay = createAdaptiveDelay();
  for (const kind of bindingKinds) {
    const controller = new BindingStatus(kind, context, options);
    context.run({
      name: kind.name,
      synced: controller.synced,
      wire: queue => controller.wire(queue, adaptiveDelay),
      reconcile: key => controller.reconcile(key),
    });
  }
}

/** Reports whether the status of a Work may have changed. The former state is parsed only if the specification has changed, maybe besides the status. */
const mayHaveOtherStatus = (change: ObjectChange<Work>): boolean =>
  (change.oldCached && !generationChanged(change)) || !deepEqual(change.old?.status, change.new?.status);

/** Reports whether a binding may just have been scheduled for the first time, without parsing its former state. */
const isScheduled = (change: ObjectChange<Binding>): boolean =>
  !generationChanged(change) && !change.new?.status?.aggregatedStatus?.length;

/** Reports whether a binding has changed with its template, or was scheduled together with another change. */
const hasOtherTemplate = (change: ObjectChange<Binding>): boolean =>
  generationChanged(change) &&
  (change.old?.status?.lastScheduledTime === undefined ||
    change.old.spec.resource.resourceVersion !== change.new?.spec.resource.resourceVersion);

/** Returns the end of the second in which the binding was scheduled, in milliseconds; the API's time is in whole seconds. */
const scheduledAt = ({ status }: Binding): number => Date.parse(status?.lastScheduledTime ?? '') + 999;

/** Reports whether the binding has no status yet, and fewer than `wanted` clusters have reported whether their Work is applied. */
const hasFewerReports = ({ spec, status }: Binding, items: readonly AggregatedStatusItem[], wanted: number): boolean =>
  !status?.aggregatedStatus?.length &&
  existingClusters(spec).size > 0 &&
  items.filter(({ applied, appliedMessage }) => applied || appliedMessage !== undefined).length < wanted;

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
