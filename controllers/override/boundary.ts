/** The limit of an OverridePolicy: it changes what an object holds, never which object it is. */
import { ExpectedError } from '../../lib/logging/cause.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { jsonText } from '../../lib/json/json.js';
import { ownValue } from '../../lib/collections/own-value.js';
import { howToLift } from '../../kinds/karmada/tenant-boundaries.js';
import type { OverridePolicy } from '../../api/karmada/types.js';

/** The fields that decide which object of a member a manifest is applied to. */
const identity = ['apiVersion', 'kind', 'metadata.name', 'metadata.namespace'] as const;

/** Thrown where an override would change the identity of an object: nothing of it may be applied. */
export class BoundaryError extends ExpectedError {}

/** An override can put a value of any type anywhere. Inherited properties do not count: they are not in the JSON that is sent. */
function fieldOf(object: unknown, field: (typeof identity)[number]): unknown {
  let value = object;
  for (const key of field.split('.')) {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
    value = ownValue(value as Record<string, unknown>, key);
  }
  return value;
}

const shownLength = 100;

/** A value as JSON, shortened: it comes from a policy and can be of any size. */
function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value !== null && typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
  const text = jsonText(value);
  return text.length > shownLength ? `${text.slice(0, shownLength)}...` : text;
}

/** Says how `after` is another object than `before`; undefined where it is the same one. */
export function boundaryCrossed(policy: OverridePolicy, before: KubeObject, after: unknown): string | undefined {
  const field = identity.find(each => fieldOf(before, each) !== fieldOf(after, each));
  if (field === undefined) return undefined;
  const { namespace, name } = policy.metadata;
  const object = `${before.kind} ${before.metadata.namespace}/${before.metadata.name}`;
  const change = `from ${shown(fieldOf(before, field))} to ${shown(fieldOf(after, field))}`;
  return (
    `OverridePolicy ${namespace}/${name} changes ${field} of ${object} ${change}: an OverridePolicy may not change the ` +
    'apiVersion, kind, name or namespace of an object. Remove this override, or ask a cluster administrator for a ' +
    `ClusterOverridePolicy ${howToLift}`
  );
}
