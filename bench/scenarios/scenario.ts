import { repeat } from '../repeat.js';
import type { Sample } from '../sample.js';
import type { Target } from '../target.js';

export interface Scenario {
  readonly name: string;
  readonly about: string;
  /** It runs only when it is named: it takes minutes. */
  readonly isLong?: boolean;
  /** Returns why it cannot run on the target; undefined if it can. */
  skip?(target: Target): string | undefined;
  /** Runs the scenario. `count` is for cheap operations; expensive scenarios use a part of it. `namespace` is empty and its own. */
  run(target: Target, place: Place): Promise<readonly Sample[]>;
}

interface Place {
  readonly namespace: string;
  readonly count: number;
}

/** Returns a part of the count, at least one. */
export const partOf = (count: number, part: number): number => Math.max(1, Math.round(count / part));

/** Creates the objects that a scenario needs before it begins. */
export async function fill(
  target: Target,
  path: string,
  count: number,
  object: (name: string) => string,
): Promise<void> {
  await repeat({ count, width: 32 }, async index => {
    await target.send('POST', path, object(`o-${index}`));
  });
}
