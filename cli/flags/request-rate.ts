import type { TokenRate } from '../../lib/token-bucket.js';
import { invalidFlag } from './flags.js';

/** Returns the rate of requests that `--PREFIX-qps` and `--PREFIX-burst` give; undefined: no limit. Throws UsageError. */
export function parseRequestRate<P extends 'cluster-api' | 'kube-api'>(
  prefix: P,
  values: Readonly<Record<`${P}-qps`, string> & Record<`${P}-burst`, number>>,
): TokenRate | undefined {
  const [text, burst] = [values[`${prefix}-qps`], values[`${prefix}-burst`]];
  if (!/^\d+(?:\.\d+)?$/.test(text)) throw invalidFlag(`${prefix}-qps`, text, 'want a number');
  if (burst < 1) throw invalidFlag(`${prefix}-burst`, burst, 'must be positive');
  return Number(text) > 0 ? { perSecond: Number(text), burst } : undefined;
}
