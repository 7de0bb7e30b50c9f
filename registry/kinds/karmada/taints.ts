import type { Fault } from '../../../openapi/interface.js';
import { child, index, invalidValue, notSupported, required, valueFault } from '../../../openapi/meta/faults.js';
import { checkLabelKey, checkLabelValue } from '../../../openapi/meta/names.js';
import type { Taint } from './types.js';

/** What Karmada acts upon; PreferNoSchedule is none of it. */
const effects = ['NoSchedule', 'NoExecute'];

/** Of the taints of a cluster, or of a policy that taints clusters. as pkg/util/lifted ValidateClusterTaints */
export function taintFaults(taints: readonly Taint[], path: string): Fault[] {
  const faults: Fault[] = [];
  const seen = new Set<string>();
  for (const [i, taint] of taints.entries()) {
    const at = index(path, i);
    const { key = '', value = '', effect = '' } = taint as Partial<Taint>;
    for (const text of checkLabelKey(key)) faults.push(invalidValue(child(at, 'key'), key, text));
    const wrong = checkLabelValue(value);
    if (wrong.length > 0) faults.push(invalidValue(child(at, 'value'), value, wrong.join(';')));
    if (effect === '') faults.push(required(child(at, 'effect')));
    else if (!effects.includes(effect)) faults.push(notSupported(child(at, 'effect'), effect, effects));
    const identity = `${effect} ${key}`;
    if (seen.has(identity))
      faults.push(valueFault('FieldValueDuplicate', at, taint, 'taints must be unique by key and effect pair'));
    seen.add(identity);
  }
  return faults;
}
