import type { GroupVersionResource } from '../../apimachinery/interface.js';
import type { Binding, Cluster } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { Client, ObjectKey } from '../../client/interface.js';
import { keyOf } from '../../client/key.js';
import { ClusterSnapshot } from '../loop/cluster-snapshot.js';
import type { AnswerEstimates, ScheduleOptions, SchedulingInput } from '../interface.js';
import { explainDecision } from './explain.js';
import type { SchedulingExplanation } from './explanation.js';

interface ExplanationDeps {
  readonly client: Pick<Client, 'get' | 'list'>;
  /** The options of the scheduler. */
  readonly options: ScheduleOptions;
  /** Absent: members are not asked. */
  readonly answer?: AnswerEstimates | undefined;
}

/** Number of objects in one page of a list. */
const pageSize = 500;

/** Reads all objects of a list page by page. */
async function* all<T>(
  client: Pick<Client, 'list'>,
  resource: GroupVersionResource,
  namespace = '',
): AsyncGenerator<T> {
  let next: string | undefined;
  do {
    const list = await client.list(resource, { namespace, limit: pageSize, ...(next && { continue: next }) });
    yield* list.items as T[];
    next = list.metadata.continue;
  } while (next);
}

/** Explains bindings by the objects that the API has now. It needs no scheduler in this process. */
export class Explanations {
  readonly #deps: ExplanationDeps;

  constructor(deps: ExplanationDeps) {
    this.#deps = deps;
  }

  /** Rejects with NotFound for a binding that does not exist. No answers of members are waited for once the signal aborts. */
  async of(resource: GroupVersionResource, key: ObjectKey, signal: AbortSignal): Promise<SchedulingExplanation> {
    const { client, options, answer } = this.#deps;
    const binding = (await client.get(resource, key)) as Binding;
    // A cluster lists hundreds of kinds, which most have in common.
    const snapshot = new ClusterSnapshot();
    for await (const cluster of all<Cluster>(client, resources.clusters)) snapshot.set(keyOf(cluster), cluster);
    return explainDecision({
      ...{ binding, clusters: snapshot.list, peers: await this.#peers(binding), options },
      answer: answer && (query => answer(query, signal)),
    });
  }

  /** Returns the bindings of the (anti-)affinity groups of a binding. Those of other groups are not kept. */
  async #peers({ metadata, spec }: Binding): Promise<SchedulingInput['peers']> {
    const { workloadAffinityGroups: groups } = spec;
    if (!groups || !metadata.namespace) return undefined;
    const members: Binding[] = [];
    for await (const other of all<Binding>(this.#deps.client, resources.resourceBindings, metadata.namespace))
      if (other.metadata.uid !== metadata.uid && other.spec.workloadAffinityGroups) members.push(other);
    return (group, value) => members.filter(member => member.spec.workloadAffinityGroups?.[group] === value);
  }
}
