import type { Clock } from '../../lib/clock.js';
import { findCondition } from '../../kinds/karmada/conditions.js';
import type { Cluster, ManifestStatus, Work } from '../../api/karmada/types.js';
import { keyOf } from '../../client/key.js';
import { createAdaptiveDelay } from '../../client/runtime/adaptive-delay.js';
import type { NewCondition } from '../../client/runtime/conditions.js';
import type { ControllerContext, EventRecorder, Key, WorkQueue } from '../../client/runtime/interface.js';
import type { Interpreter } from '../interpreter/interface.js';
import type { MemberWatch } from '../members/member-watch.js';
import { reflectWork } from './reflect-work.js';

/** The first report of a Work that was applied, before it is written. */
export interface PostponedReport {
  readonly uid: string | undefined;
  /** The generation of the Work that was applied. */
  readonly generation: number | undefined;
  readonly conditions: readonly NewCondition[];
  /** Milliseconds since the epoch. From then on the conditions are written, even without a status. */
  readonly until: number;
}

interface Entry extends PostponedReport {
  /** The Work will be reconciled soon, and needs not be woken. */
  isDue: boolean;
}

/** Maximum time in milliseconds for which a report is postponed, and the minimum for which it is postponed at all. */
const maxMs = 2000;
const minMs = 100;

/**
 * The first conditions of Works that are written later, together with the first status. Under load, that saves one write per Work and those
 * that follow from it; nothing is postponed while the process is idle. Reports that are lost at a restart are made again, since a Work without
 * the condition Applied is applied again. differs: Karmada writes the conditions at once, and the status afterwards.
 */
export class FirstReports {
  readonly #clock: Clock;
  readonly #postponeMs: () => number;
  /** Returns the milliseconds after which the status is looked for. */
  readonly #adaptiveDelay = createAdaptiveDelay();
  readonly #postponed = new Map<Key, Entry>();

  /** `postponeMs` returns the milliseconds for which reports may be postponed now. */
  constructor(clock: Clock, postponeMs: () => number = createAdaptiveDelay({ minMs: 0, maxMs })) {
    this.#clock = clock;
    this.#postponeMs = postponeMs;
  }

  /** Postpones the conditions. Returns when to reconcile the Work; undefined if the caller must write them now. */
  postpone(work: Work, conditions: readonly NewCondition[]): { readonly againAfter: number } | undefined {
    const waitMs = this.#postponeMs();
    if (waitMs < minMs || findCondition(work.status?.conditions, 'Applied')) return undefined;
    const { uid, generation } = work.metadata;
    this.#postponed.set(keyOf(work), { uid, generation, conditions, until: this.#clock.now() + waitMs, isDue: true });
    return { againAfter: this.#adaptiveDelay() };
  }

  /** Reports whether the Work was applied, and its report is not written yet. */
  has(key: Key): boolean {
    return this.#postponed.has(key);
  }

  /** Wakes the Work whose object has changed, if its report is postponed. */
  wake(key: Key | undefined, queue: Pick<WorkQueue, 'addAfter'>): void {
    const entry = key === undefined ? undefined : this.#postponed.get(key);
    if (!entry || entry.isDue || key === undefined) return;
    entry.isDue = true;
    queue.addAfter(key, this.#adaptiveDelay());
  }

  /** Returns the report of a Work that is being reconciled. That of a Work that does not exist any more is dropped. */
  of(key: Key, work: Work | undefined): PostponedReport | undefined {
    const entry = this.#postponed.get(key);
    if (!entry) return undefined;
    entry.isDue = false;
    if (entry.uid === work?.metadata.uid) return entry;
    this.#postponed.delete(key);
    return undefined;
  }

  /** Drops a report that is being written, or is outdated. */
  drop(key: Key): void {
    this.#postponed.delete(key);
  }
}

interface StatusDeps {
  readonly context: ControllerContext;
  readonly members: MemberWatch;
  readonly interpreter: Interpreter;
}

/** The work status controller, which reflects the objects again after the write, records the Events. */
const silent: EventRecorder = { event: () => undefined };

/** Returns the statuses of the objects of a Work; the milliseconds after which to look again if some are missing before `until`. */
export async function firstStatuses(
  work: Work,
  cluster: Cluster,
  until: number,
  { context: { client, clock, log }, members, interpreter }: StatusDeps,
): Promise<readonly ManifestStatus[] | number> {
  const awaited = { leftMs: until - clock.now(), what: 'health' } as const;
  const unknown = (error: unknown): void =>
    log.debug({ work: keyOf(work), err: error }, 'the first status of a Work is not known');
  try {
    const reflected = await reflectWork(work, cluster, awaited, {
      client,
      members,
      interpreter,
      clock,
      recorder: silent,
    });
    if (typeof reflected === 'number') return reflected;
    if (reflected.failure) unknown(reflected.failure);
    return reflected.statuses;
  } catch (error) {
    unknown(error);
    return [];
  }
}
