import type { KubeObject } from '../../apimachinery/interface.js';
import type { JsonPatchOp } from '../../apimachinery/patch/json-patch.js';
import type { Overriders } from '../../api/karmada/types.js';
import { strictPatch } from './patch.js';
import { podSpecPath, valueAt } from './pod-spec.js';

type CommandOverrider = NonNullable<Overriders['commandOverrider']>[number];

/** Adds or removes values of the command or the arguments of the containers of that name. */
export function overrideCommand(
  object: KubeObject,
  field: 'command' | 'args',
  overrider: CommandOverrider,
): KubeObject {
  const path = podSpecPath(object.kind);
  const containers = path === undefined ? undefined : valueAt(object, [...path, 'containers']);
  if (!path || !Array.isArray(containers)) return object;
  const ops: JsonPatchOp[] = [];
  for (const [i, container] of (containers as Record<string, unknown>[]).entries()) {
    if (container['name'] !== overrider.containerName) continue;
    const present = container[field] as string[] | undefined | null;
    const value = change(present ?? [], overrider);
    ops.push({ op: present == null ? 'add' : 'replace', path: `/${path.join('/')}/containers/${i}/${field}`, value });
  }
  return ops.length === 0 ? object : strictPatch(object, ops);
}

function change(present: readonly string[], { operator, value = [] }: CommandOverrider): string[] {
  if (operator === 'add') return [...present, ...value];
  if (operator === 'remove') {
    const removed = new Set(value);
    return present.filter(word => !removed.has(word));
  }
  return [...present];
}
