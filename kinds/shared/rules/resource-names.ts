/** Classifies resource names: Kubernetes' own, and those of vendors. */
// as pkg/apis/core/helper
import { checkQualifiedName } from '../../../apimachinery/meta/names.js';
import type { Field } from './field.js';

const container = ['cpu', 'memory', 'ephemeral-storage'];
const requests = container.map(name => `requests.${name}`);
const limits = container.map(name => `limits.${name}`);
const counted = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];

const containerResources: ReadonlySet<string> = new Set(container);
const quotaResources: ReadonlySet<string> = new Set([
  ...container,
  ...requests,
  'requests.storage',
  ...limits,
  ...counted,
]);
const standardResources: ReadonlySet<string> = new Set([...quotaResources, 'storage']);
const countedResources: ReadonlySet<string> = new Set(counted);
/** The supported values in a fault, sorted. */
const podLevelResources = ['cpu', 'hugepages-', 'memory'];

const hugePages = 'hugepages-';
const quotaHugePages = 'requests.hugepages-';

export const isHugePages = (name: string): boolean => name.startsWith(hugePages);
/** Returns `2Mi` for `hugepages-2Mi`. */
export const pageSizeOf = (name: string): string => name.slice(hugePages.length);
const isQuotaHugePages = (name: string): boolean => isHugePages(name) || name.startsWith(quotaHugePages);

export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

/** Reports whether a resource belongs to a vendor: `example.com/gpu`. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false;
  return checkQualifiedName(`requests.${name}`).length === 0;
}

/** Reports whether the limits may exceed the available amount. */
export const isOvercommitAllowed = (name: string): boolean => isNativeResource(name) && !isHugePages(name);
export const isIntegerResource = (name: string): boolean => countedResources.has(name) || isExtendedResource(name);
export const isPodLevelResource = (name: string): boolean => name === 'cpu' || name === 'memory' || isHugePages(name);
export const isStandardQuotaResource = (name: string): boolean => quotaResources.has(name) || isQuotaHugePages(name);

/** `at`: where faults are reported; `name` is the value that they show. */
type NameRule = (name: string, at: Field<unknown>) => void;

// as pkg/apis/core/validation validateResourceName
export const resourceName: NameRule = (name, at) => {
  const texts = checkQualifiedName(name);
  for (const text of texts) at.invalid(text, name);
  if (texts.length > 0 || name.includes('/')) return;
  if (!standardResources.has(name) && !isQuotaHugePages(name))
    at.invalid('must be a standard resource type or fully qualified', name);
};

export const containerResourceName: NameRule = (name, at) => {
  resourceName(name, at);
  if (!name.includes('/')) {
    if (!containerResources.has(name) && !isHugePages(name))
      at.invalid('must be a standard resource for containers', name);
  } else if (!isNativeResource(name) && !isExtendedResource(name))
    at.invalid("doesn't follow extended resource name standard", name);
};

export const podResourceName: NameRule = (name, at) => {
  if (at.passes(() => resourceName(name, at)) && !isPodLevelResource(name)) at.notSupported(podLevelResources, name);
};

export const quotaResourceName: NameRule = (name, at) => {
  resourceName(name, at);
  if (!name.includes('/') && !isStandardQuotaResource(name)) at.invalid('must be a standard resource for quota', name);
};
