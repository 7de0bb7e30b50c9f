import type { KubeObject } from '../../apimachinery/interface.js';
import type { Overriders } from '../../api/karmada/types.js';
import { stringMap } from './patch.js';

type MapOverrider = NonNullable<Overriders['labelsOverrider']>[number];

/** Labels or annotations: add always sets; replace and remove leave alone what is not there. */
export function overrideMap(object: KubeObject, field: 'labels' | 'annotations', overrider: MapOverrider): KubeObject {
  const present = stringMap(object, field);
  const next = { ...present };
  for (const [key, value] of Object.entries(overrider.value ?? {})) {
    if (overrider.operator !== 'add' && !Object.hasOwn(next, key)) continue;
    if (overrider.operator === 'remove') delete next[key];
    else next[key] = value;
  }
  if (!present && overrider.operator !== 'add') return object;
  return { ...object, metadata: { ...object.metadata, [field]: next } };
}
