/** What a recorded scenario leaves open, by `FILE/NAME`. */

export interface Variation {
  readonly reason: string;
  /** Seconds that Karmada itself waits before a state, in addition to the time limit. */
  readonly timerSeconds?: number;
  /** Whether the members may have each other's parts. */
  readonly swapsMembers?: boolean;
  /** Paths that are not compared. */
  readonly ignore?: readonly (readonly string[])[];
}

export const variations: Readonly<Record<string, Variation>> = {
  'scenarios/cron-hpa': { reason: 'its rule applies at the start of the next minute', timerSeconds: 60 },
  'gates/application-failover-never': {
    reason: 'its policy tolerates an unhealthy application for four seconds',
    timerSeconds: 4,
  },
  'scenarios/job-divided': {
    reason:
      'which member gets the odd completion depends on a hash of a uid, in Karmada too. Pods of Jobs end in a simulated member; in the ' +
      'recorded ones, they ran forever',
    swapsMembers: true,
    ignore: [
      ['status', 'aggregatedStatus', '0', 'status'],
      ['status', 'aggregatedStatus', '1', 'status'],
      ['items', '0', 'status', 'manifestStatuses', '0', 'status'],
    ],
  },
};

/** Returns the value with the names of the two members exchanged. */
export const withSwappedMembers = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value).replaceAll(/\bmember([12])\b/g, (_, n) => (n === '1' ? 'member2' : 'member1'))) as T;
