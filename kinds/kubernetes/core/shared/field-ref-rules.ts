/** Validates references to fields of the pod and to resources of its containers. */
// as pkg/apis/core/validation validateObjectFieldSelector, validateContainerResourceFieldSelector
import { checkQualifiedName } from '../../../../apimachinery/meta/names.js';
import { parseQuantity, quantityText } from '../../../../apimachinery/quantity/quantity.js';
import type { Field } from '../../../shared/rules/field.js';
import { notEmpty } from '../../../shared/rules/name-rules.js';
import type { ObjectFieldSelector, ResourceFieldSelector } from '../../../../api/kubernetes/core.js';

/** All paths of the downward API; a field may support fewer. */
// as pkg/apis/core/pods ConvertDownwardAPIFieldLabel
const known: ReadonlySet<string> = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);
const subscripted = /^(.*?)\['(.*)'\]$/s;

/** Splits `metadata.labels['key']` into path and key. */
function subscriptOf(fieldPath: string): readonly [string, string | undefined] {
  const [, path, key] = subscripted.exec(fieldPath) ?? [];
  return path === undefined || path === '' ? [fieldPath, undefined] : [path, key];
}

function conversionError(version: string, path: string, key: string | undefined): string | undefined {
  if (version !== 'v1') return `unsupported pod version: ${version}`;
  if (key !== undefined)
    return path === 'metadata.annotations' || path === 'metadata.labels'
      ? undefined
      : `field label does not support subscript: ${path}['${key}']`;
  if (path === 'spec.host' || known.has(path)) return undefined;
  return `field label not supported: ${path}`;
}

/** `paths`: the supported paths for this field, sorted. */
export function fieldRef(ref: Field<ObjectFieldSelector>, paths: readonly string[]): void {
  const { apiVersion = '', fieldPath = '' } = ref.value ?? {};
  if (apiVersion === '') {
    ref.at('apiVersion').required();
    return;
  }
  if (fieldPath === '') {
    ref.at('fieldPath').required();
    return;
  }
  const [path, key] = subscriptOf(fieldPath);
  const error = conversionError(apiVersion, path, key);
  if (error !== undefined) {
    ref.at('fieldPath').invalid(`error converting fieldPath: ${error}`);
    return;
  }
  const internal = path === 'spec.host' ? 'spec.nodeName' : path;
  if (key === undefined) {
    if (!paths.includes(internal)) ref.at('fieldPath').notSupported(paths, internal);
    return;
  }
  const subscript = internal === 'metadata.annotations' ? key.toLowerCase() : key;
  for (const text of checkQualifiedName(subscript)) ref.invalid(text, subscript);
}

/** Sorted. */
const resourcePaths = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const hugePages = ['limits.hugepages-', 'requests.hugepages-'];
const sizes = '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei';

/** `volume`: the reference is outside a container, whose name is therefore required. */
export function resourceFieldRef(ref: Field<ResourceFieldSelector>, place: { readonly volume: boolean }): void {
  const { containerName = '', resource = '' } = ref.value ?? {};
  if (place.volume && containerName === '') ref.at('containerName').required();
  else if (resource === '') notEmpty(ref.at('resource'));
  else if (!resourcePaths.includes(resource) && !hugePages.some(prefix => resource.startsWith(prefix)))
    ref.at('resource').notSupported(resourcePaths);
  divisor(ref, resource);
}

function divisor(ref: Field<ResourceFieldSelector>, resource: string): void {
  const quantity = parseQuantity(ref.value?.divisor ?? 0);
  if (quantity.unscaled === 0n) return;
  const text = quantityText(quantity);
  const report = (supported: string, what: string): void =>
    ref.at('divisor').invalid(`only divisor's values ${supported} are supported with the ${what} resource`, resource);
  const isSize = sizes.split(', ').includes(text);
  if (resource.endsWith('.cpu')) {
    if (text !== '1m' && text !== '1') report('1m and 1', 'cpu');
  } else if (resource.endsWith('.memory')) {
    if (!isSize) report(sizes, 'memory');
  } else if (resource.endsWith('.ephemeral-storage')) {
    if (!isSize) report(sizes, 'local ephemeral storage');
  } else if (hugePages.some(prefix => resource.startsWith(prefix)) && !isSize) report(sizes, 'hugepages');
}
