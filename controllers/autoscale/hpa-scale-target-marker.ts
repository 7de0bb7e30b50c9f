import type { HorizontalPodAutoscaler } from '../../openapi/gen/autoscaling-v2.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import { parseApiVersion } from '../../apimachinery/meta/gvk.js';
import { labels } from '../../api/karmada/well-known.js';
import { find, ignoreNotFound } from '../../client/find.js';
import type { Client } from '../../client/interface.js';
import { splitKey } from '../../client/key.js';
import type { ControllerContext, Informer, Key, WorkQueue } from '../../client/runtime/interface.js';

const autoscalers = { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers' } as const;

/** Separates the parts of a reference; none of them contains it. */
const separator = '|';

/** Returns the key of the object that an HPA scales: `NAMESPACE/APIVERSION|KIND|NAME`. */
function targetOf({ metadata: { namespace = '' }, spec }: HorizontalPodAutoscaler): string {
  const { apiVersion = '', kind = '', name = '' } = spec?.scaleTargetRef ?? {};
  return `${namespace}/${[apiVersion, kind, name].join(separator)}`;
}

const isPropagated = ({ metadata }: HorizontalPodAutoscaler): boolean =>
  labels.propagationPolicyId in (metadata.labels ?? {}) || labels.clusterPropagationPolicyId in (metadata.labels ?? {});

/** The label decides that members keep the replicas that their HPAs set. as pkg/controllers/hpascaletargetmarker HpaScaleTargetMarker */
class HpaScaleTargetMarker {
  readonly #client: Client;
  readonly #hpas: Informer<HorizontalPodAutoscaler>;

  constructor({ client, informers }: ControllerContext) {
    this.#client = client;
    const indexers = { target: (hpa: HorizontalPodAutoscaler) => (isPropagated(hpa) ? [targetOf(hpa)] : []) };
    this.#hpas = informers.informer<HorizontalPodAutoscaler>(autoscalers, { indexers });
  }

  get synced(): readonly Promise<void>[] {
    return [this.#hpas.synced];
  }

  wire(queue: WorkQueue): void {
    this.#hpas.onChange(({ old, new: hpa }) => {
      if (old && (!hpa || targetOf(old) !== targetOf(hpa))) queue.add(targetOf(old));
      if (hpa && isPropagated(hpa)) queue.add(targetOf(hpa));
    });
  }

  /** Sets the label of an object that any propagated HPA scales, and removes it from others. */
  async reconcile(key: Key): Promise<void> {
    const { namespace, name: reference } = splitKey(key);
    const [apiVersion = '', kind = '', name = ''] = reference.split(separator);
    const resource = await this.#client.mapper.forKind({ ...parseApiVersion(apiVersion), kind });
    if (!resource) throw new ExpectedError(`no matches for kind "${kind}" in version "${apiVersion}"`);
    // A cluster-scoped object is found whatever the namespace, and this client has more rights than the user.
    if (!resource.namespaced) return;
    const target = await find(this.#client, resource, { namespace, name });
    if (!target) return;
    // differs: upstream removes the label although another HPA scales the object, too
    const wanted = this.#hpas.byIndex('target', key).length > 0 ? 'true' : undefined;
    if (target.metadata.labels?.[labels.retainReplicas] === wanted) return;
    const patch = { metadata: { labels: { [labels.retainReplicas]: wanted ?? null } } };
    await ignoreNotFound(this.#client.patch(resource, { namespace, name }, { type: 'merge', patch }));
  }
}

/** Labels what propagated HorizontalPodAutoscalers scale, so that the replicas that members set are retained. */
export function startHpaScaleTargetMarker(context: ControllerContext): void {
  const marker = new HpaScaleTargetMarker(context);
  context.run({
    name: 'hpa-scale-target-marker',
    synced: marker.synced,
    reconcile: key => marker.reconcile(key),
    wire: queue => marker.wire(queue),
  });
}
