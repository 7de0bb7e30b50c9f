import { semanticEqual } from '../../../lib/json/equality.js';
import { ownValue } from '../../../lib/collections/own-value.js';
import { parsePointer } from '../../../apimachinery/patch/json-pointer.js';
import { howToLift } from '../../../kinds/karmada/tenant-boundaries.js';
import type { OverridePolicy, Overriders } from '../../../api/karmada/types.js';
import type { Boundary } from './boundary.js';

type Plaintext = NonNullable<Overriders['plaintext']>[number];
type Fields = Readonly<Record<string, unknown>>;

const fieldIn = (value: unknown, key: string): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? ownValue(value as Fields, key) : undefined;

/** Returns the fields of an object's identity that an operation sets; undefined for a field that it removes. */
function identitySet({ path, operator, value }: Plaintext): Fields {
  const set = operator === 'remove' ? undefined : value;
  switch (`/${parsePointer(path).join('/')}`) {
    case '/apiVersion':
      return { apiVersion: set };
    case '/kind':
      return { kind: set };
    case '/metadata/name':
      return { name: set };
    case '/metadata/namespace':
      return { namespace: set };
    case '/metadata':
      return { name: fieldIn(set, 'name'), namespace: fieldIn(set, 'namespace') };
    default:
      return {};
  }
}

/** Returns the field of the identity that an operation sets to a value that no object selected by the policy has. */
function crossedField(policy: OverridePolicy, operation: Plaintext): string | undefined {
  const selectors = policy.spec.resourceSelectors ?? [];
  const crossed = Object.entries(identitySet(operation)).find(([field, value]) =>
    field === 'namespace'
      ? value !== policy.metadata.namespace
      : !selectors.some(selector => fieldIn(selector, field) === value),
  );
  return crossed?.[0];
}

const overridersOf = ({ spec }: OverridePolicy): Overriders[] => [
  ...(spec.overriders ? [spec.overriders] : []),
  ...(spec.overrideRules ?? []).map(({ overriders }) => overriders),
];

/**
 * Refuses early what would be refused each time the policy is applied. Only operations on the identity are checked here; the result of
 * an override of any kind is checked when it is applied (controllers/override).
 */
export const overridePolicyBoundary: Boundary = ({ object, old }) => {
  if (!object) return undefined;
  const policy = object as OverridePolicy;
  if (old && semanticEqual((old as OverridePolicy).spec, policy.spec)) return undefined;
  for (const { plaintext = [] } of overridersOf(policy)) {
    for (const operation of plaintext) {
      const field = crossedField(policy, operation);
      if (field === undefined) continue;
      return (
        `the plaintext overrider with the path ${operation.path} changes the ${field} of the object: an OverridePolicy may not ` +
        'change the apiVersion, kind, name or namespace of an object. Remove it, or ask a cluster administrator for a ' +
        `ClusterOverridePolicy ${howToLift}`
      );
    }
  }
  return undefined;
};
