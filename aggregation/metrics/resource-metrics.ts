/** Reads metrics.k8s.io of all ready members, as if they were one cluster. as karmada pkg/metricsadapter/provider ResourceMetricsProvider */
import { conflict, notFound } from '../../apimachinery/errors/status.js';
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { sortInSteps } from '../../lib/collections/sort-in-steps.js';
import { inTimeSlices } from '../../lib/time-slice.js';
import { resourceMetrics } from '../../api/kubernetes/metrics.js';
import type { ListQuery } from '../../client/interface.js';
import { ComputedObject } from '../../kinds/kubernetes/metrics/computed-object.js';
import { metadataSelection } from '../../kinds/kubernetes/metrics/selected.js';
import type { ListAnswer, Pipeline, RequestScope } from '../../registry/pipeline/interface.js';
import type { Member } from '../interface.js';
import { sizeText } from '../remote/limits.js';
import { pathOf } from '../remote/paths.js';
import type { ObserveFreshness } from './freshness.js';
import { maxMetricsValues, memberObject, refuseFor } from './member-document.js';
import { receivedMetrics } from './received-metrics.js';
import { exhausted, type ReadyMembers } from './ready-members.js';

/** Maximum bytes of the list of one member. */
const maxMemberBytes = 64 * 1024 * 1024;
/** Maximum memory of the lists of all members together in bytes. */
const maxMergedBytes = 256 * 1024 * 1024;
/** Memory of an item besides its text, in bytes. */
const itemOverhead = 256;

const resourceOf = (plural: string): GroupVersionResource => ({ ...resourceMetrics, resource: plural });

/** An object of a cluster, with what it is sorted by. */
interface Measured {
  readonly cluster: string;
  readonly object: ComputedObject;
}

const order = (a: Measured, b: Measured): number =>
  a.object.key === b.object.key ? (a.cluster < b.cluster ? -1 : 1) : a.object.key < b.object.key ? -1 : 1;

export class MergedResourceMetrics implements Pick<Pipeline, 'get' | 'list' | 'convert'> {
  readonly #members: ReadyMembers;
  readonly #observe: ObserveFreshness;

  constructor(members: ReadyMembers, observe: ObserveFreshness) {
    this.#members = members;
    this.#observe = observe;
  }

  // differs: upstream looks the name up in a mirror of all Pods and Nodes of the members, which this server does not need to keep
  async get({ definition, namespace, signal }: RequestScope, name: string): ReturnType<Pipeline['get']> {
    const { plural, kind } = definition;
    const path = pathOf(resourceOf(plural), { ...(namespace !== '' && { namespace }), name });
    const found = await this.#members.ask(signal, async (member, signal) => {
      const refuse = refuseFor(member, path);
      const object = await memberObject(member, path, signal);
      const { metadata } = object;
      if (metadata.name !== name || (metadata.namespace ?? '') !== namespace) return refuse('it is another object');
      return receivedMetrics(kind, object, member.name, refuse);
    });
    const [only, ...others] = found;
    const resource = { group: '', resource: plural };
    if (!only) throw notFound(resource, name);
    // differs: upstream loses the code of the conflict, and answers with 500
    if (others.length > 0)
      throw conflict(resource, name, `the ${plural.slice(0, -1)}(${name}) found in more than one clusters`);
    this.#observe(resourceMetrics.group, only['timestamp'] as string);
    return { stored: new ComputedObject(only) };
  }

  /** Members answer with whole lists, so there are no pages. as metrics-server pkg/api */
  async list(call: RequestScope, query: ListQuery): Promise<ListAnswer> {
    const { byFields } = metadataSelection(call, query);
    const { labelSelector, fieldSelector } = query;
    const wanted: ListQuery = {
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
      ...(call.namespace !== '' && { namespace: call.namespace }),
    };
    let left = maxMergedBytes;
    const take = (bytes: number): void => {
      left -= bytes + itemOverhead;
      if (left < 0)
        throw exhausted(`the metrics of all clusters take more than ${sizeText(maxMergedBytes)}: select some`);
    };
    const lists = await this.#members.ask(call.signal, (member, signal) =>
      this.#listOf(member, signal, { call, wanted, byFields, take }),
    );
    const all = await inTimeSlices(sortInSteps(lists.flat(), order));
    return { metadata: {}, items: all.map(({ object }) => object) };
  }

  convert(_scope: RequestScope, stored: Parameters<Pipeline['convert']>[1]): KubeObject {
    return stored.object;
  }

  async #listOf(member: Member, signal: AbortSignal, request: ListRequest): Promise<Measured[]> {
    const { call, wanted, byFields, take } = request;
    const { kind, plural } = call.definition;
    const resource = resourceOf(plural);
    const refuse = refuseFor(member, pathOf(resource));
    const found: Measured[] = [];
    const onItem = (item: KubeObject): void => {
      // A member may serve objects of other namespaces than those that the user may read.
      if (call.namespace !== '' && item.metadata.namespace !== call.namespace) return;
      if (!byFields(item.metadata)) return;
      const object = new ComputedObject(receivedMetrics(kind, item, member.name, refuse));
      take(object.json.length);
      this.#observe(resourceMetrics.group, item['timestamp'] as string);
      found.push({ cluster: member.name, object });
    };
    await member.client.scan(resource, wanted, {
      signal,
      maxBytes: maxMemberBytes,
      maxItemValues: maxMetricsValues,
      onItem,
    });
    return found;
  }
}

interface ListRequest {
  readonly call: RequestScope;
  readonly wanted: ListQuery;
  readonly byFields: ReturnType<typeof metadataSelection>['byFields'];
  /** Takes bytes of the memory for all members. */
  readonly take: (bytes: number) => void;
}
