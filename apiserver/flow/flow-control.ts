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

export interface FlowControl {
  configure(schemas: readonly FlowSchema[], levels: readonly PriorityLevelConfiguration[]): void;
  /** Divides the seats again; to be called every ten seconds. */
  adjust(): void;
  /** hot: returns the flow of a request. */
  flowOf(user: Identity, info: RequestInfo): Flow;
  readonly levels: ReadonlyMap<string, PriorityLevel>;
  /** The seats of each level without a reached bound, as a fraction of its target. */
  readonly fairFraction: number;
}

function handOf({ name, distinguisher }: SchemaPlan, { plan: { queuing } }: PriorityLevel): Flow['hand'] {
  if (!queuing) return undefined;
  const deal = dealer(name, queuing.queues, queuing.handSize);
  if (distinguisher === 'ByUser') return user => deal(user.name);
  if (distinguisher === 'ByNamespace') return (_user, info) => deal(info.namespace);
  return () => deal('');
}

/** `serverSeats`: the seats of all levels that are not exempt. Works with the mandatory objects until it is configured. */
export function flowControl(serverSeats: number, clock: () => number): FlowControl {
  let levels = new Map<string, PriorityLevel>();
  let flows: readonly Flow[] = [];
  let catchAll: Flow;
  /** The rules that apply to a user, by users that were seen. */
  let candidates = new WeakMap<Identity, readonly Candidate[]>();
  let fairFraction = 0;

  const adjust = (): void => {
    fairFraction = borrow([...levels.values()], clock());
  };

  const configure: FlowControl['configure'] = (schemas, configurations) => {
    const plan = flowPlanOf(schemas, configurations, serverSeats);
    const next = new Map<string, PriorityLevel>();
    for (const each of plan.levels) {
      const known = levels.get(each.name);
      known?.replan(each);
      next.set(each.name, known ?? new PriorityLevel(each, clock));
    }
    // A removed level continues for the requests that it has.
    levels = next;
    flows = plan.schemas.flatMap(schema => {
      const level = levels.get(schema.level);
      return level ? [{ schema, level, hand: handOf(schema, level) }] : [];
    });
    catchAll = flows.find(({ schema }) => schema.name === 'catch-all') as Flow;
    candidates = new WeakMap();
    adjust();
  };

  const candidatesOf = (user: Identity): readonly Candidate[] => {
    const found = flows.flatMap(flow =>
      flow.schema.rules.filter(rule => rule.user(user)).map(({ request }) => ({ flow, matches: request })),
    );
    candidates.set(user, found);
    return found;
  };

  configure([], []);
  return {
    configure,
    adjust,
    flowOf(user, info) {
      for (const { flow, matches } of candidates.get(user) ?? candidatesOf(user)) if (matches(info)) return flow;
      return catchAll;
    },
    get levels() {
      return levels;
    },
    get fairFraction() {
      return fairFraction;
    },
  };
}
