/** What kube-apiserver can make of an object that says it is of another type than was expected. */
import { readApiVersion } from '../../apimachinery/meta/gvk.js';
import { goQuote } from '../../lib/go/go-text.js';
import { ownValue } from '../../lib/collections/own-value.js';
import { isRegistered } from './registered.js';

/** A type as objects name it. */
interface Named {
  readonly apiVersion: string;
  readonly kind: string;
}

/** What is expected: a kind of a group, in any version. */
interface Expected {
  readonly group: string;
  readonly kind: string;
}

/** `version`: another version of what was expected. `unknown`: it cannot be read. `other`: it can, and not be converted. */
export type Kinship = { readonly type: 'version' } | { readonly type: 'unknown' | 'other'; readonly why: string };

/** Where Go registers the kinds of a group, which its errors tell. */
const schemeNames: Readonly<Record<string, string>> = {
  'apiextensions.k8s.io': 'k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55',
  'apiregistration.k8s.io': 'k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go:28',
};

const schemeOf = (group: string): string => ownValue(schemeNames, group) ?? 'pkg/api/legacyscheme/scheme.go:30';

/** Go's name of a group's internal package. */
const internalPackage = (group: string): string => (group === '' ? 'core' : (group.split('.')[0] ?? ''));

/** Whether a kind is converted to that of its name in another group. */
const moved = (group: string, kind: string): boolean => group === 'extensions' || kind === 'Event' || kind === 'Scale';

/** as apimachinery/pkg/runtime Scheme */
export function kinship(given: Named, expected: Expected): Kinship {
  const groupVersion = readApiVersion(given.apiVersion);
  const scheme = schemeOf(expected.group);
  // Extensions know their own kinds only.
  const isHere = groupVersion && schemeOf(groupVersion.group) === scheme;
  if (!isHere || !isRegistered({ ...groupVersion, kind: given.kind })) {
    const why = `no kind ${goQuote(given.kind)} is registered for version ${goQuote(given.apiVersion)} in scheme ${goQuote(scheme)}`;
    return { type: 'unknown', why };
  }
  const isSame = groupVersion.group === expected.group || moved(groupVersion.group, given.kind);
  if (isSame && given.kind === expected.kind) return { type: 'version' };
  const types = `(${groupVersion.version}.${given.kind}) to (${internalPackage(expected.group)}.${expected.kind})`;
  return { type: 'other', why: `converting ${types}: unknown conversion` };
}

/** The same of an object that names no version: it is read as the internal one, which knows no fields by their names in JSON. */
export function internalKinship(kind: string, expected: Expected, version: string): Kinship {
  const { group } = expected;
  if (kind === expected.kind) return { type: 'version' };
  if (!isRegistered({ group, version, kind })) {
    const where = `the internal version of group ${goQuote(group)} in scheme ${goQuote(schemeOf(group))}`;
    return { type: 'unknown', why: `no kind ${goQuote(kind)} is registered for ${where}` };
  }
  const home = internalPackage(group);
  return { type: 'other', why: `converting (${home}.${kind}) to (${home}.${expected.kind}): unknown conversion` };
}
