import { ExpectedError } from '../../../lib/logging/cause.js';
import { isLess } from './read.js';

type Read = (condition: unknown) => unknown;

/** Returns the latest condition of each key, in the order in which the keys first occur. Throws without a key, or if times cannot be compared. */
export function latestByKey(conditions: readonly unknown[], keyOf: Read, timeOf: Read): readonly unknown[] {
  const latest = new Map<unknown, unknown>();
  for (const condition of conditions) {
    const key = keyOf(condition);
    if (key === undefined) throw new ExpectedError('a condition has no type');
    const earlier = latest.get(key);
    if (earlier === undefined || isLess(timeOf(earlier), timeOf(condition), 'the time of a condition'))
      latest.set(key, condition);
  }
  return [...latest.values()];
}
