/** How kube-apiserver decodes an object with another type than expected. */
import { readApiVersion } from '../../apimachinery/meta/gvk.js';
import { goQuote } from '../../lib/go/go-text.js';
import { ownValue } from '../../lib/collections/own-value.js';
import { isRegistered } from './registered.js';

/** The type in an object. */
interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The expected kind, in any version. */
interface Expected {
  readonly group: string;
  readonly kind: string;
}

/** `version`: another version of the expected kind. `unknown`: cannot be decoded. `other`: can be decoded, but not converted. */
type Convertibility = { readonly type: 'version' } | { readonly type: 'unknown' | 'other'; readonly why: string };

/** The source lines where upstream registers the kinds of a group, which are part of its messages. */
const schemeNames: Readonly<Record<string, string>> = {
  'apiextensions.k8s.io': 'k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55',
  'apiregistration.k8s.io': 'k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go:28',
};

const schemeOf = (group: string): string => ownValue(schemeNames, group) ?? 'pkg/api/legacyscheme/scheme.go:30';

/** Returns the name of a group's internal Go package. */
const internalPackage = (group: string): string => (group === '' ? 'core' : (group.split('.')[0] ?? ''));

/** Reports whether a kind is converted to the kind of the same name in another group. */
const isMoved = (group: string, kind: string): boolean =>
  group === 'extensions' || kind === 'Event' || kind === 'Scale';

/** Reports whether an object of the given type can be converted to the expected kind. as apimachinery/pkg/runtime Scheme */
export function convertibility(given: TypeMeta, expected: Expected): Convertibility {
  const groupVersion = readApiVersion(given.apiVersion);
  const scheme = schemeOf(expected.group);
  // The schemes of apiextensions and apiregistration have only their own kinds.
  const isSameScheme = groupVersion && schemeOf(groupVersion.group) === scheme;
  if (!isSameScheme || !isRegistered({ ...groupVersion, kind: given.kind })) {
    const why = `no kind ${goQuote(given.kind)} is registered for version ${goQuote(given.apiVersion)} in scheme ${goQuote(scheme)}`;
    return { type: 'unknown', why };
  }
  const isSame = groupVersion.group === expected.group || isMoved(groupVersion.group, given.kind);
  if (isSame && given.kind === expected.kind) return { type: 'version' };
  const types = `(${groupVersion.version}.${given.kind}) to (${internalPackage(expected.group)}.${expected.kind})`;
  return { type: 'other', why: `converting ${types}: unknown conversion` };
}

/** As `convertibility`, for an object without apiVersion, which upstream decodes as the internal version. `version`: that of the request. */
export function internalConvertibility(kind: string, expected: Expected, version: string): Convertibility {
  const { group } = expected;
  if (kind === expected.kind) return { type: 'version' };
  if (!isRegistered({ group, version, kind })) {
    const where = `the internal version of group ${goQuote(group)} in scheme ${goQuote(schemeOf(group))}`;
    return { type: 'unknown', why: `no kind ${goQuote(kind)} is registered for ${where}` };
  }
  const packageName = internalPackage(group);
  return {
    type: 'other',
    why: `converting (${packageName}.${kind}) to (${packageName}.${expected.kind}): unknown conversion`,
  };
}
