import { lines } from '../../aggregation/remote/mirror/lines.js';
import { isConditionTrue } from '../../apimachinery/meta/conditions.js';
import type { Condition } from '../../api/karmada/types.js';
import { resourceBindings } from '../objects.js';
import type { Target } from '../target.js';

const timeoutMs = 3_600_000;

interface BindingEvent {
  readonly object: {
    readonly metadata: { readonly name: string };
    readonly status?: { readonly conditions?: readonly Condition[] };
  };
}

/** Resolves when this number of bindings is fully applied. Rejects with the number that is, such as after four minutes without a change. */
async function allApplied(body: AsyncIterable<Buffer>, count: number): Promise<void> {
  const applied = new Set<string>();
  const follow = async (): Promise<void> => {
    for await (const line of lines(body)) {
      const { object } = JSON.parse(line.toString('utf8')) as BindingEvent;
      if (isConditionTrue(object.status?.conditions, 'FullyApplied')) applied.add(object.metadata.name);
      if (applied.size === count) return;
    }
    throw new Error('the watch ended');
  };
  try {
    await follow();
  } catch (cause) {
    throw new Error(`${applied.size} of ${count} bindings were applied`, { cause });
  }
}

/**
 * Watches the bindings of a namespace. Resolves when the watch is open, with a promise that resolves when this number of them is fully applied, and
 * rejects after an hour.
 */
export async function watchApplied(
  target: Target,
  namespace: string,
  count: number,
): Promise<{ readonly applied: Promise<void> }> {
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(timeoutMs)]);
  const body = await target.stream(`${resourceBindings(namespace)}?watch=1&resourceVersion=0`, signal);
  const applied = allApplied(body, count).finally(() => ending.abort());
  applied.catch(() => undefined); // It is awaited after the templates were written.
  return { applied };
}
