import { splitKey } from '../../../client/key.js';
import type { Informer, Key } from '../../../client/runtime/interface.js';
import type { Binding } from '../../../api/karmada/types.js';

/** Returns the other members of the affinity groups to which a binding belongs in one of its states. */
export function* peerKeys(
  key: Key,
  states: readonly (Binding | undefined)[],
  namespaced: Pick<Informer<Binding>, 'keysByIndex'>,
): Generator<Key> {
  for (const group of ['affinityGroup', 'antiAffinityGroup'] as const) {
    const values = new Set(states.map(state => state?.spec.workloadAffinityGroups?.[group]));
    for (const value of values)
      if (value)
        for (const peer of namespaced.keysByIndex(group, `${splitKey(key).namespace}/${value}`))
          if (peer !== key) yield peer;
  }
}
