import { invalidFlag } from '../flags.js';

/** Returns a flag for the number of workers of controllers. */
export const workersFlag = (what: string) =>
  ({
    type: 'number',
    value: 'N',
    default: 0,
    help: `Number of ${what} that are synced at once; 0: the built-in number`,
  }) as const;

/** Returns the number of workers by controller, without controllers that have the built-in number. Throws UsageError. */
export function parseWorkers<F extends string>(
  values: Readonly<Record<NoInfer<F>, number>>,
  controllersOf: Readonly<Record<F, readonly string[]>>,
): Record<string, number> {
  const workers: Record<string, number> = {};
  for (const flag of Object.keys(controllersOf) as F[]) {
    const count = values[flag];
    if (count < 0) throw invalidFlag(flag, count, 'must not be negative');
    if (count > 0) for (const controller of controllersOf[flag]) workers[controller] = count;
  }
  return workers;
}
