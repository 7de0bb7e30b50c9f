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
/** The values that the error message lists as supported, sorted. */
const podLevelResources = ['cpu', 'hugepages-', 'memory'];

const hugePages = 'hugepages-';
const quotaHugePages = 'requests.hugepages-';

/** Reports whether a resource is huge pages of some size, `hugepages-2Mi`. as pkg/apis/core/helper IsHugePageResourceName */
export const isHugePages = (name: string): boolean => name.startsWith(hugePages);
/** Returns `2Mi` for `hugepages-2Mi`. */
export const pageSizeOf = (name: string): string => name.slice(hugePages.length);
const isQuotaHugePages = (name: string): boolean => isHugePages(name) || name.startsWith(quotaHugePages);

/** Reports whether a resource belongs to Kubernetes. as pkg/apis/core/helper IsNativeResource */
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

/** Reports whether a resource belongs to a vendor: `example.com/gpu`. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false;
  return checkQualifiedName(`requests.${name}`).length === 0;
}

/** Reports whether nodes count the resource besides CPU, memory, storage and pods. as pkg/scheduler/util IsScalarResourceName */
export const isScalarResource = (name: string): boolean =>
  isExtendedResource(name) ||
  isHugePages(name) ||
  name.includes('kubernetes.io/') ||
  name.startsWith('attachable-volumes-');

/** Reports whether the limits may exceed the available amount. */
export const isOvercommitAllowed = (name: string): boolean => isNativeResource(name) && !isHugePages(name);
/**
 * Reports whether fractions of a resource mean nothing: it is counted, or belongs to a device plugin.
 * as pkg/apis/core/helper IsIntegerResourceName
 */
export const isIntegerResource = (name: string): boolean => countedResources.has(name) || isExtendedResource(name);
/** Reports whether a Pod as a whole can request a resource. as component-helpers/resource IsSupportedPodLevelResource */
export const isPodLevelResource = (name: string): boolean => name === 'cpu' || name === 'memory' || isHugePages(name);
/** Reports whether quotas can limit a resource of Kubernetes. as pkg/apis/core/helper IsStandardQuotaResourceName */
export const isStandardQuotaResource = (name: string): boolean => quotaResources.has(name) || isQuotaHugePages(name);

/** Reports faults of `name` at `field`. */
type NameRule = (name: string, field: Field<unknown>) => void;

/** Checks the name of any resource: a name without a domain has to be one of Kubernetes. as pkg/apis/core/validation validateResourceName */
export const checkResourceName: NameRule = (name, field) => {
  const texts = checkQualifiedName(name);
  for (const text of texts) field.invalid(text, name);
  if (texts.length > 0 || name.includes('/')) return;
  if (!standardResources.has(name) && !isQuotaHugePages(name))
    field.invalid('must be a standard resource type or fully qualified', name);
};

/** Checks the name of a resource that a container requests. as pkg/apis/core/validation validateContainerResourceName */
export const checkContainerResourceName: NameRule = (name, field) => {
  checkResourceName(name, field);
  if (!name.includes('/')) {
    if (!containerResources.has(name) && !isHugePages(name))
      field.invalid('must be a standard resource for containers', name);
  } else if (!isNativeResource(name) && !isExtendedResource(name))
    field.invalid("doesn't follow extended resource name standard", name);
};

/** Checks the name of a resource that a Pod as a whole requests. as pkg/apis/core/validation validatePodResourceName */
export const checkPodResourceName: NameRule = (name, field) => {
  if (field.passes(() => checkResourceName(name, field)) && !isPodLevelResource(name))
    field.notSupported(podLevelResources, name);
};

/** Checks the name of a resource that a quota limits. as pkg/apis/core/validation ValidateResourceQuotaResourceName */
export const checkQuotaResourceName: NameRule = (name, field) => {
  checkResourceName(name, field);
  if (!name.includes('/') && !isStandardQuotaResource(name))
    field.invalid('must be a standard resource for quota', name);
};
