/** The boundary of an OverridePolicy: it may change the content of an object, but not its identity. */
import { ExpectedError } from '../../lib/logging/cause.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { jsonText } from '../../lib/json/json.js';
import { ownValue } from '../../lib/collections/own-value.js';
import { howToLift } from '../../kinds/karmada/tenant-boundaries.js';
import type { OverridePolicy } from '../../api/karmada/types.js';

/** The fields that decide which object of a member a manifest is applied to. */
const identity = ['apiVersion', 'kind', 'metadata.name', 'metadata.namespace'] as const;

/** Thrown if an override would change the identity of an object, which is not applied then. */
export class BoundaryError extends ExpectedError {}

/** Returns the value of a field. An override can put a value of any type anywhere. Inherited properties are ignored, since JSON has none. */
function fieldOf(object: unknown, field: (typeof identity)[number]): unknown {
  let value = object;
  for (const key of field.split('.')) {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
    value = ownValue(value as Record<string, unknown>, key);
  }
  return value;
}

const shownLength = 100;

/** Returns a value as JSON for the message, shortened, since a value of a policy can have any size. */
function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value !== null && typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
  const text = jsonText(value);
  return text.length > shownLength ? `${text.slice(0, shownLength)}...` : text;
}

/** Returns the message for an override that changes the identity of an object; undefined if it does not. */
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
