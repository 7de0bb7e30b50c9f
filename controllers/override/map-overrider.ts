import type { KubeObject } from '../../apimachinery/interface.js';
import type { Overriders } from '../../api/karmada/types.js';
import { stringMap } from './patch.js';

type MapOverrider = NonNullable<Overriders['labelsOverrider']>[number];

/**
 * Applies overriders to labels or annotations, one after the other: add always sets a key, replace and remove ignore missing keys. The map is
 * copied once for all overriders.
 */
export function overrideMap(
  object: KubeObject,
  field: 'labels' | 'annotations',
  overriders: readonly MapOverrider[],
): KubeObject {
  const present = stringMap(object, field);
  if (!overriders.some(({ operator }) => present !== undefined || operator === 'add')) return object;
  const next = { ...present };
  for (const { operator, value: values } of overriders)
    for (const [key, value] of Object.entries(values ?? {})) {
      if (operator !== 'add' && !Object.hasOwn(next, key)) continue;
      if (operator === 'remove') delete next[key];
      else next[key] = value;
    }
  return { ...object, metadata: { ...object.metadata, [field]: next } };
}
