/**
 * Implements API Priority and Fairness: every request is of a flow, every flow of a priority level, and a level has so many seats. A request
 * that finds none waits in a queue of its flow, for a while, or is turned away.
 */
import type { Identity } from '../../apimachinery/identity.js';
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/kubernetes/flowcontrol.js';
import type { RequestInfo } from '../interface.js';
import { borrow } from './borrow.js';
import { Level } from './level.js';
import { planOf, type SchemaPlan } from './plan.js';
import type { MatchesRequest } from './match.js';
import { dealer } from './shuffle-shard.js';

/** A schema as it runs. */
export interface Flow {
  readonly schema: SchemaPlan;
  readonly level: Level;
  /** hot: the queues of a request; undefined where there are none to choose from. */
  readonly hand: ((user: Identity, info: RequestInfo) => readonly number[]) | undefined;
}

interface Candidate {
  readonly flow: Flow;
  readonly matches: MatchesRequest;
}

export interface FlowControl {
  configure(schemas: readonly FlowSchema[], levels: readonly PriorityLevelConfiguration[]): void;
  /** Shares the seats out anew; every ten seconds. */
  adjust(): void;
  /** hot: which flow a request is of. */
  flowOf(user: Identity, info: RequestInfo): Flow;
  readonly levels: ReadonlyMap<string, Level>;
  /** What a level that met no bound has, as a fraction of what it would like. */
  readonly fairFraction: number;
}

function handOf({ name, distinguisher }: SchemaPlan, { plan: { queuing } }: Level): Flow['hand'] {
  if (!queuing) return undefined;
  const deal = dealer(name, queuing.queues, queuing.handSize);
  if (distinguisher === 'ByUser') return user => deal(user.name);
  if (distinguisher === 'ByNamespace') return (_user, info) => deal(info.namespace);
  return () => deal('');
}

/** `serverSeats`: of all levels but the exempt one. Works with the mandatory objects until it is configured. */
export function flowControl(serverSeats: number, clock: () => number): FlowControl {
  let levels = new Map<string, Level>();
  let flows: readonly Flow[] = [];
  let last: Flow;
  /** Who has been seen, and which rules are about them. */
  let candidates = new WeakMap<Identity, readonly Candidate[]>();
  let fairFraction = 0;

  const adjust = (): void => {
    fairFraction = borrow([...levels.values()], clock());
  };

  const configure: FlowControl['configure'] = (schemas, configurations) => {
    const plan = planOf(schemas, configurations, serverSeats);
    const next = new Map<string, Level>();
    for (const each of plan.levels) {
      const known = levels.get(each.name);
      known?.replan(each);
      next.set(each.name, known ?? new Level(each, clock));
    }
    // A level that has gone goes on for those who are in it.
    levels = next;
    flows = plan.schemas.flatMap(schema => {
      const level = levels.get(schema.level);
      return level ? [{ schema, level, hand: handOf(schema, level) }] : [];
    });
    last = flows.find(({ schema }) => schema.name === 'catch-all') as Flow;
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
      return last;
    },
    get levels() {
      return levels;
    },
    get fairFraction() {
      return fairFraction;
    },
  };
}
