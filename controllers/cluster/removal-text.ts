/** The texts that say what the removal of a cluster waits for. */
import type { Binding } from '../../api/karmada/types.js';
import { keyOf, splitKey } from '../../client/key.js';
import type { Informer, Key } from '../../client/runtime/interface.js';
import { walk } from '../../client/runtime/mirrors/walk.js';
import { findCondition } from '../../kinds/karmada/conditions.js';
import { shownList } from '../../lib/shown-list.js';

/** Maximum number of names in a message; the rest is shown as a count. */
const shownNames = 3;

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** Describes the Works of a namespace by their keys. */
export function worksText(works: ReadonlySet<Key>, space: string): string {
  const names = shownList([...works], shownNames, key => splitKey(key).name);
  return `${counted(works.size, 'Work')} in namespace ${space} not taken back yet (${names})`;
}

/**
 * Describes the bindings with a cluster as a target; undefined without any. There may be ten thousands, and the condition that says why they stay may be
 * any one's: they are read in several turns of the event loop.
 */
export async function bindingsText(
  cluster: string,
  mirrors: readonly Pick<Informer<Binding>, 'cached' | 'get' | 'keysByIndex'>[],
): Promise<string | undefined> {
  const shown: string[] = [];
  let count = 0;
  let why: string | undefined;
  for (const bindings of mirrors)
    for await (const binding of walk(bindings, bindings.keysByIndex('target', cluster))) {
      if (++count <= shownNames) shown.push(`${binding.kind} ${keyOf(binding)}`);
      const condition = findCondition(binding.status?.conditions, 'Scheduled');
      if (condition?.status === 'False') why ??= condition.message ?? '';
    }
  if (count === 0) return undefined;
  const more = count > shownNames ? ` and ${count - shownNames} more` : '';
  const reason = why ? `; the scheduler finds no other place: ${why}` : '';
  return `${counted(count, 'binding')} with it as a target (${shown.join(', ')}${more})${reason}`;
}
