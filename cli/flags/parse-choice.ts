import { didYouMean, invalidFlag } from './flags.js';

/** Returns the value of a flag that has a fixed set of values. Throws UsageError, with the closest known value. */
export function parseChoice<T extends string>(flag: string, text: string, known: readonly T[]): T {
  const found = known.find(each => each === text);
  if (found === undefined) throw invalidFlag(flag, text, `want one of ${known.join(', ')}${didYouMean(text, known)}`);
  return found;
}
