/** Validates amounts of resources: of containers, pods, claims. */
// as pkg/apis/core/validation
import {
  type Quantity,
  compareQuantities,
  parseQuantity,
  quantityText,
  quantityValue,
  scaledValue,
} from '../../../../apimachinery/quantity/quantity.js';
import type { Field } from '../../../shared/rules/field.js';
import { dnsLabel } from '../../../shared/rules/name-rules.js';
import {
  checkContainerResourceName,
  isHugePages,
  isIntegerResource,
  isOvercommitAllowed,
  pageSizeOf,
  checkPodResourceName,
} from '../../../shared/rules/resource-names.js';
import { notFoundValue } from '../../../../apimachinery/errors/faults.js';
import type { ResourceClaim, ResourceRequirements } from '../../../../api/kubernetes/core.js';

/** Returns the quantity in a field; undefined if it is unset. Does not throw, since decoding has checked that quantities can be parsed. */
export function quantityAt(field: Field<string | number>): Quantity | undefined {
  return field.value === undefined ? undefined : parseQuantity(field.value);
}

const text = (field: Field<string | number>): string => quantityText(parseQuantity(field.value ?? 0));
const sign = (field: Field<string | number>): number => {
  const unscaled = quantityAt(field)?.unscaled ?? 0n;
  return unscaled < 0n ? -1 : unscaled > 0n ? 1 : 0;
};

/** Refuses a quantity below zero. as pkg/apis/core/validation ValidateNonnegativeQuantity */
export function nonNegativeQuantity(field: Field<string | number>): void {
  if (sign(field) < 0) field.invalid('must be greater than or equal to 0', text(field));
}

/** Refuses zero and less. as pkg/apis/core/validation ValidatePositiveQuantityValue */
export function positiveQuantity(field: Field<string | number>): void {
  if (sign(field) <= 0) field.invalid('must be greater than zero', text(field));
}

/** Refuses a quantity below zero, rounded up to a whole number as the text shows it. as pkg/apis/core/validation validateBasicResource */
export function basicQuantity(field: Field<string | number>): void {
  const value = quantityValue(parseQuantity(field.value ?? 0));
  if (value < 0) field.invalid('must be a valid resource quantity', value);
}

const isWhole = (quantity: Quantity): boolean => quantity.scale >= 0 || scaledValue(quantity, -3) % 1000n === 0n;

/** Resource amounts are never negative, and some are whole numbers. */
export function resourceQuantity(name: string, field: Field<string | number>): void {
  const quantity = quantityAt(field);
  if (!quantity) return;
  if (quantity.unscaled < 0n) field.invalid('must be greater than or equal to 0', text(field));
  // hot: most amounts are whole, and the name takes longer to check
  if (!isWhole(quantity) && isIntegerResource(name)) field.invalid('must be an integer', text(field));
}

function isMultipleOfPage(name: string, quantity: Quantity): boolean {
  let page: Quantity;
  try {
    page = parseQuantity(pageSizeOf(name));
  } catch {
    return false; // the name has no size: no page fits
  }
  if (page.unscaled <= 0n || !isWhole(page)) return false;
  return scaledValue(quantity, 0) % scaledValue(page, 0) === 0n;
}

/** Which errors are accepted because the stored object already has them. */
interface ResourceOptions {
  readonly allowIndivisibleHugePages?: boolean;
}

type ResourceNameRule = (name: string, at: Field<unknown>) => void;

/** `claimNames`: the claims of the pod; a container can use only these. */
function resourceRequirements(
  resources: Field<ResourceRequirements>,
  nameRule: ResourceNameRule,
  claimNames: readonly string[],
  options: ResourceOptions,
): void {
  const names = { plain: false, huge: false };
  const amount = (name: string, field: Field<string | number>): void => {
    nameRule(name, field);
    resourceQuantity(name, field);
  };
  const afterwards = (name: string, field: Field<string | number>): void => {
    if (name === 'cpu' || name === 'memory') names.plain = true;
    const quantity = quantityAt(field);
    if (!isHugePages(name) || !quantity) return;
    names.huge = true;
    if (!options.allowIndivisibleHugePages && !isMultipleOfPage(name, quantity))
      field.invalid(`${text(field)} is not positive integer multiple of ${name}`, text(field));
  };
  const limits = resources.at('limits');
  for (const [name, field] of limits.entries()) {
    amount(name, field);
    afterwards(name, field);
  }
  for (const [name, field] of resources.at('requests').entries()) {
    amount(name, field);
    requestAgainstLimit(name, field, resources);
    afterwards(name, field);
  }
  if (!names.plain && names.huge) resources.forbidden('HugePages require cpu or memory');
  claimsOfContainer(resources.at('claims'), claimNames);
}

function requestAgainstLimit(
  name: string,
  request: Field<string | number>,
  resources: Field<ResourceRequirements>,
): void {
  const limit = resources.at('limits').entry(name);
  if (!limit.isSet) {
    if (!isOvercommitAllowed(name))
      resources.at('limits').required('Limit must be set for non overcommitable resources');
    return;
  }
  const order = compareQuantities(parseQuantity(request.value ?? 0), parseQuantity(limit.value ?? 0));
  const requests = resources.at('requests');
  if (order !== 0 && !isOvercommitAllowed(name))
    requests.invalid(`must be equal to ${name} limit of ${text(limit)}`, text(request));
  else if (order > 0) requests.invalid(`must be less than or equal to ${name} limit of ${text(limit)}`, text(request));
}

/** Checks the amounts of a container. as pkg/apis/core/validation ValidateContainerResourceRequirements */
export function containerResources(
  resources: Field<ResourceRequirements>,
  claimNames: readonly string[],
  options: ResourceOptions,
): void {
  resourceRequirements(resources, checkContainerResourceName, claimNames, options);
}

/**
 * Checks the amounts of a Pod as a whole, which are of fewer resources than those of a container.
 * as pkg/apis/core/validation validatePodResourceRequirements
 */
export function podResources(
  resources: Field<ResourceRequirements>,
  claimNames: readonly string[],
  options: ResourceOptions,
): void {
  resourceRequirements(resources, checkPodResourceName, claimNames, options);
}

// as pkg/apis/core/validation validateResourceClaimNames
function claimsOfContainer(claims: Field<ResourceClaim[]>, podClaims: readonly string[]): void {
  const seen = new Set<string>();
  for (const claim of claims.items()) {
    const { name = '', request = '' } = claim.value ?? {};
    if (name === '') {
      claim.required();
      continue;
    }
    if (seen.has(name)) claim.duplicate(name);
    else seen.add(oneClaim(claim, name, request, seen));
    if (podClaims.includes(name)) continue;
    const known = podClaims.length === 0 ? ' which is empty' : `: ${[...podClaims].sort().join(', ')}`;
    const fault = notFoundValue(claim.path, name);
    claim.add({ ...fault, message: `${fault.message}: must be one of the names in pod.spec.resourceClaims${known}` });
  }
}

/** Returns the key that identifies the claim: its name, and the request within it. */
function oneClaim(claim: Field<ResourceClaim>, name: string, request: string, seen: ReadonlySet<string>): string {
  if (request !== '') dnsLabel(claim.at('request'));
  const key = request === '' ? name : `${name}/${request}`;
  if (seen.has(key)) claim.duplicate(key);
  else if (request === '') for (const other of seen) if (other.startsWith(`${name}/`)) claim.duplicate(name);
  return key;
}
