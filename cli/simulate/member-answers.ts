import type { RemoteClient } from '../../aggregation/interface.js';
import type { Status } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { jsonText, parseJson } from '../../lib/json/json.js';
import { type MemberAnswer, memberQuestionOf, estimateTableOf } from '../../scheduler/estimators/member-question.js';
import type { EstimateQuery, EstimateTable } from '../../scheduler/interface.js';

const path = '/apis/cluster.karmada.io/v1alpha1/clusters/*/estimates';

/** Questions whose answers are kept. Many resources of a control plane have the same requirements. */
const maxKnown = 200;

/** What is known about one question, of the clusters that were asked about. */
interface Known {
  readonly asked: Set<string>;
  readonly table: Map<string, number>;
}

/** Asks a control plane for the estimates by which its scheduler decides. A control plane that estimates nothing is asked once. */
export class MemberAnswers {
  readonly #client: Pick<RemoteClient, 'raw'>;
  readonly #failed: (text: string) => void;
  readonly #known = new Map<string, Known>();
  #isOff = false;

  /** `failed` is called at most once, if members cannot be asked although the control plane estimates. */
  constructor(client: Pick<RemoteClient, 'raw'>, failed: (text: string) => void) {
    this.#client = client;
    this.#failed = failed;
  }

  /** Returns the estimates; none if the control plane has no estimators. Never rejects. */
  readonly answer = async (query: EstimateQuery): Promise<EstimateTable> => {
    const known = this.#knownFor(query);
    const clusters = query.clusters.filter(({ metadata }) => !known.asked.has(metadata.name ?? ''));
    if (clusters.length > 0 && !this.#isOff) {
      for (const [name, estimate] of await this.#ask({ ...query, clusters })) known.table.set(name, estimate);
      for (const { metadata } of clusters) known.asked.add(metadata.name ?? '');
    }
    return known.table;
  };

  #knownFor({ spec, components }: EstimateQuery): Known {
    const key = jsonText([spec.resource.namespace, components ?? spec.replicaRequirements ?? null]);
    let known = this.#known.get(key);
    if (known) this.#known.delete(key);
    else known = { asked: new Set(), table: new Map() };
    this.#known.set(key, known);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= maxKnown) break;
      this.#known.delete(oldest);
    }
    return known;
  }

  async #ask(query: EstimateQuery): Promise<EstimateTable> {
    try {
      const headers = { 'content-type': 'application/json' };
      const body = Buffer.from(jsonText(memberQuestionOf(query)));
      const { status, body: answer } = await this.#client.raw({ method: 'POST', path, headers, body });
      if (status === 200) return estimateTableOf(parseJson(answer.toString()) as MemberAnswer);
      // The control plane has no estimators, or is of a version without this path.
      if (status === 404 || status === 405) this.#isOff = true;
      else this.#fail((parseJson(answer.toString()) as Status).message ?? `status ${status}`);
    } catch (error) {
      this.#fail(errorText(error));
    }
    return new Map();
  }

  #fail(text: string): void {
    if (this.#isOff) return;
    this.#isOff = true;
    this.#failed(text);
  }
}
