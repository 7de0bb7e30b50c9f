/** Serves metrics.k8s.io of a simulated member, as its metrics-server. */
import { notFound } from '../../apimachinery/errors/status.js';
import type { KubeObject, ObjectMeta } from '../../apimachinery/interface.js';
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import { resourceMetrics, type Usage } from '../../api/kubernetes/metrics.js';
import { nodes, pods } from '../../api/kubernetes/resources.js';
import { timestamp } from '../../client/runtime/conditions.js';
import type { ControllerContext, Informer } from '../../client/runtime/interface.js';
import { ComputedObject } from '../../kinds/kubernetes/metrics/computed-object.js';
import { metadataSelection } from '../../kinds/kubernetes/metrics/selected.js';
import { sortInSteps } from '../../lib/collections/sort-in-steps.js';
import { eachInTurns, inTimeSlices } from '../../lib/time-slice.js';
import type { Node } from '../../openapi/gen/core-v1.js';
import type { Pipeline, RequestScope } from '../../registry/pipeline/interface.js';
import type { Pod } from '../pods/state.js';
import { loadOf, nodeLoad } from './load.js';

const apiVersion = `${resourceMetrics.group}/${resourceMetrics.version}`;
/** The time over which a metrics server measures. */
const window = '30s';

const isMeasured = ({ status }: Pod): boolean => status?.phase === 'Running';

/** Reads the usage of the nodes and the running Pods of a member. */
export class ResourceMetrics implements Pick<Pipeline, 'get' | 'list' | 'convert'> {
  readonly #context: ControllerContext;
  readonly #nodes: Informer<Node>;
  readonly #pods: Informer<Pod>;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#nodes = context.informers.informer<Node>(nodes);
    this.#pods = context.informers.informer<Pod>(pods);
  }

  async get(call: RequestScope, name: string): ReturnType<Pipeline['get']> {
    await this.#synced();
    const { definition, namespace } = call;
    const key = namespacedName(namespace, name);
    const pod = definition.namespaced ? this.#pods.get(key) : undefined;
    const node = definition.namespaced ? undefined : this.#nodes.get(key);
    if (pod && isMeasured(pod)) return { stored: new ComputedObject(this.#podMetrics(pod)) };
    if (pod) throw notFound({ group: resourceMetrics.group, resource: 'podmetrics' }, key);
    if (!node) throw notFound({ group: '', resource: definition.plural }, name);
    return { stored: new ComputedObject(this.#nodeMetrics(node, await this.#usageByNode())) };
  }

  async list(call: RequestScope, query: Parameters<Pipeline['list']>[1]): ReturnType<Pipeline['list']> {
    const { byLabels, byFields } = metadataSelection(call, query);
    await this.#synced();
    const isSelected = ({ metadata }: KubeObject): boolean => byLabels(metadata) && byFields(metadata);
    const items: ComputedObject[] = [];
    if (call.definition.namespaced)
      await eachInTurns(this.#pods.list(call.namespace || undefined), pod => {
        if (isMeasured(pod) && isSelected(pod)) items.push(new ComputedObject(this.#podMetrics(pod)));
      });
    else {
      const usage = await this.#usageByNode();
      for (const node of this.#nodes.list())
        if (isSelected(node)) items.push(new ComputedObject(this.#nodeMetrics(node, usage)));
    }
    const sorted = await inTimeSlices(sortInSteps(items, (a, b) => (a.key < b.key ? -1 : 1)));
    return { metadata: {}, items: sorted };
  }

  convert(_scope: RequestScope, stored: Parameters<Pipeline['convert']>[1]): KubeObject {
    return stored.object;
  }

  async #synced(): Promise<void> {
    await Promise.all([this.#nodes.synced, this.#pods.synced]);
  }

  #podMetrics(pod: Pod): KubeObject {
    const { name = '', namespace = '' } = pod.metadata;
    return this.#measured('PodMetrics', pod, { name, namespace }, { containers: loadOf(pod) });
  }

  /** Returns the usage of all containers of each node. */
  async #usageByNode(): Promise<ReadonlyMap<string, readonly Usage[]>> {
    const byNode = new Map<string, Usage[]>();
    await eachInTurns(this.#pods.list(), pod => {
      const node = pod.spec?.nodeName;
      if (node === undefined || !isMeasured(pod)) return;
      const known = byNode.get(node) ?? [];
      byNode.set(node, known);
      for (const { usage } of loadOf(pod)) known.push(usage);
    });
    return byNode;
  }

  #nodeMetrics(node: Node, byNode: ReadonlyMap<string, readonly Usage[]>): KubeObject {
    const { name = '', annotations } = node.metadata;
    return this.#measured('NodeMetrics', node, { name }, { usage: nodeLoad(annotations, byNode.get(name) ?? []) });
  }

  #measured(kind: string, { metadata }: KubeObject, key: ObjectMeta, fields: object): KubeObject {
    const now = timestamp(this.#context.clock.now());
    const { labels } = metadata;
    return {
      kind,
      apiVersion,
      metadata: { ...key, creationTimestamp: now, ...(labels && { labels }) },
      timestamp: now,
      window,
      ...fields,
    };
  }
}
