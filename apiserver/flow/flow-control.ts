/**
 * Implements API Priority and Fairness: every request belongs to a flow, every flow to a priority level, and each level has a number of seats. A
 * request that finds no seat waits in a queue of its flow for a limited time, or is rejected.
 */
import type { Identity } from '../../apimachinery/identity.js';
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/kubernetes/flowcontrol.js';
import type { RequestInfo } from '../interface.js';
import { borrow } from './borrow.js';
import { PriorityLevel } from './level.js';
import { flowPlanOf, type SchemaPlan } from './plan.js';
import type { MatchesRequest } from './match.js';
import { dealer } from './shuffle-shard.js';

/** A FlowSchema at run time. */
export interface Flow {
  readonly schema: SchemaPlan;
  readonly level: PriorityLevel;
  /** hot: returns the queues that a request may use (its hand, in shuffle sharding); undefined when the level has no queues. */
  readonly hand: ((user: Identity, info: RequestInfo) => readonly number[]) | undefined;
}

interface Candidate {
  readonly flow: Flow;
  readonly matches: MatchesRequest;
}

function handOf({ name, distinguisher }: SchemaPlan, { plan: { queuing } }: PriorityLevel): Flow['hand'] {
  if (!queuing) return undefined;
  const deal = dealer(name, queuing.queues, queuing.handSize);
  if (distinguisher === 'ByUser') return user => deal(user.name);
  if (distinguisher === 'ByNamespace') return (_user, info) => deal(info.namespace);
  return () => deal('');
}

/** The flows and priority levels of a server. It works with the mandatory objects until it is configured. */
export class FlowControl {
  readonly #serverSeats: number;
  readonly #clock: () => number;
  #levels = new Map<string, PriorityLevel>();
  #flows: readonly Flow[] = [];
  #catchAll!: Flow;
  /** The rules that apply to a user, by users that were seen. */
  #candidates = new WeakMap<Identity, readonly Candidate[]>();
  #fairFraction = 0;

  /** `serverSeats`: the seats of all levels that are not exempt. `clock`: milliseconds. */
  constructor(serverSeats: number, clock: () => number) {
    this.#serverSeats = serverSeats;
    this.#clock = clock;
    this.configure([], []);
  }

  configure(schemas: readonly FlowSchema[], configurations: readonly PriorityLevelConfiguration[]): void {
    const plan = flowPlanOf(schemas, configurations, this.#serverSeats);
    const next = new Map<string, PriorityLevel>();
    for (const each of plan.levels) {
      const known = this.#levels.get(each.name);
      known?.replan(each);
      next.set(each.name, known ?? new PriorityLevel(each, this.#clock));
    }
    // A removed level continues for the requests that it has.
    this.#levels = next;
    this.#flows = plan.schemas.flatMap(schema => {
      const level = next.get(schema.level);
      return level ? [{ schema, level, hand: handOf(schema, level) }] : [];
    });
    this.#catchAll = this.#flows.find(({ schema }) => schema.name === 'catch-all') as Flow;
    this.#candidates = new WeakMap();
    this.adjust();
  }

  /** Divides the seats again; to be called every ten seconds. */
  adjust(): void {
    this.#fairFraction = borrow([...this.#levels.values()], this.#clock());
  }

  /** hot: returns the flow of a request. */
  flowOf(user: Identity, info: RequestInfo): Flow {
    for (const { flow, matches } of this.#candidates.get(user) ?? this.#candidatesOf(user))
      if (matches(info)) return flow;
    return this.#catchAll;
  }

  get levels(): ReadonlyMap<string, PriorityLevel> {
    return this.#levels;
  }

  /** The seats of each level without a reached bound, as a fraction of its target. */
  get fairFraction(): number {
    return this.#fairFraction;
  }

  #candidatesOf(user: Identity): readonly Candidate[] {
    const found = this.#flows.flatMap(flow =>
      flow.schema.rules.filter(rule => rule.user(user)).map(({ request }) => ({ flow, matches: request })),
    );
    this.#candidates.set(user, found);
    return found;
  }
}
