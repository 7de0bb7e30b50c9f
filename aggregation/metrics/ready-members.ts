import { plainError, StatusError } from '../../apimachinery/errors/status.js';
import { resources } from '../../api/karmada/well-known.js';
import type { Cluster } from '../../api/karmada/types.js';
import type { Informer, ControllerContext } from '../../client/runtime/interface.js';
import { isClusterReady } from '../../kinds/karmada/conditions.js';
import { unlessAborted } from '../../lib/unless-aborted.js';
import type { Member, Members } from '../interface.js';
import { sizeText } from '../remote/limits.js';

/** Milliseconds for the whole answer of a member. */
const defaultAnswerMs = 10_000;
/** The part of this time for a member whose last answer was too late. It gets all of it again when it is in time. */
const lateShare = 0.1;

interface ReadyMembersOptions {
  readonly members: Members;
  /** Milliseconds for the whole answer of a member. */
  readonly answerMs?: number | undefined;
  /** Called for a member whose answer is left out. */
  readonly onError: (error: unknown, cluster: string) => void;
}

/** The ready members, which are asked at the same time. What one of them does costs the answers of the others at most the time limit. */
export class ReadyMembers {
  readonly #clusters: Informer<Cluster>;
  readonly #options: ReadyMembersOptions;
  /** The names of those whose last answer was too late. */
  readonly #late = new Set<string>();

  constructor({ informers }: ControllerContext, options: ReadyMembersOptions) {
    this.#clusters = informers.informer<Cluster>(resources.clusters);
    this.#options = options;
    this.#clusters.onChange(({ old, new: cluster }) => {
      const { name = '' } = old?.metadata ?? {};
      if (cluster) return;
      this.#late.delete(name);
      void options.members.forget(name);
    });
  }

  /**
   * Resolves with the answers, in the order of the members' names. Failures are left out, as are answers that are undefined. Rejects only when
   * the request is aborted, or with an error of `exhausted`.
   */
  async ask<T>(
    request: AbortSignal,
    ask: (member: Member, signal: AbortSignal) => Promise<T | undefined>,
  ): Promise<NonNullable<T>[]> {
    await this.#clusters.synced;
    const ready = this.#clusters.list().filter(each => isClusterReady(each) && !each.metadata.deletionTimestamp);
    const answers = await Promise.all(
      ready
        .map(cluster => ({ cluster, name: cluster.metadata.name ?? '' }))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ cluster, name }) => this.#askOne(cluster, name, { request, ask })),
    );
    request.throwIfAborted();
    return answers.filter(answer => answer !== undefined && answer !== null);
  }

  async #askOne<T>(
    cluster: Cluster,
    name: string,
    { request, ask }: { request: AbortSignal; ask: (member: Member, signal: AbortSignal) => Promise<T | undefined> },
  ): Promise<T | undefined> {
    const { answerMs = defaultAnswerMs } = this.#options;
    const clock = AbortSignal.timeout(this.#late.has(name) ? answerMs * lateShare : answerMs);
    try {
      const member = await unlessAborted(this.#options.members.connect(cluster), clock);
      const answer = await ask(member, AbortSignal.any([request, clock, member.signal]));
      this.#late.delete(name);
      return answer;
    } catch (error) {
      if (error instanceof Exhausted) throw error;
      if (clock.aborted) this.#late.add(name);
      const isAbsent = error instanceof StatusError && error.code === 404;
      if (!isAbsent && !request.aborted) this.#options.onError(error, name);
      return undefined;
    }
  }
}

/** The members have sent more than one answer may hold, so there is none. */
class Exhausted extends StatusError {
  constructor(text: string) {
    super(plainError(text).status);
  }
}

/** Returns the error for more than an answer may hold, which ends `ask`. */
export const exhausted = (text: string): Error => new Exhausted(text);

/** Maximum number of values, and of metrics in a discovery document, of all members together. */
const maxEntries = 20_000;

/** Maximum bytes of the documents of all members together. */
const maxDocumentBytes = 32 * 1024 * 1024;

/** What one answer may hold of all members together. */
export class AnswerBudget {
  #entries = maxEntries;
  #bytes = maxDocumentBytes;

  /** Takes values, or metrics of a discovery document. Throws when there are not enough left. */
  readonly takeEntries = (count: number): void => {
    this.#entries -= count;
    if (this.#entries < 0) throw exhausted(`all clusters together have more than ${maxEntries} entries: select some`);
  };

  /** Takes bytes of documents. Throws when there are not enough left. */
  readonly takeBytes = (bytes: number): void => {
    this.#bytes -= bytes;
    if (this.#bytes < 0)
      throw exhausted(`all clusters together answer with more than ${sizeText(maxDocumentBytes)}: select some`);
  };
}
