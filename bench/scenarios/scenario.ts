import { repeat, type Sample } from '../sample.js';
import type { Target } from '../target.js';

export interface Scenario {
  readonly name: string;
  readonly about: string;
  /** Why it cannot run there; undefined when it can. */
  skip?(target: Target): string | undefined;
  /** `count`: of cheap operations; a scenario of dear ones does a part of it. `namespace`: its own, empty. */
  run(target: Target, place: Place): Promise<readonly Sample[]>;
}

export interface Place {
  readonly namespace: string;
  readonly count: number;
}

/** A part of the count, at least one. */
export const partOf = (count: number, part: number): number => Math.max(1, Math.round(count / part));

/** Objects that a scenario needs before it begins. */
export async function fill(
  target: Target,
  path: string,
  count: number,
  object: (name: string) => string,
): Promise<void> {
  await repeat({ count, width: 32 }, async index => {
    await target.ask('POST', path, object(`o-${index}`));
  });
}
