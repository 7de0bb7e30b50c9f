/** Validates users, devices and the health of devices in the container statuses of a pod. */
// as pkg/apis/core/validation validateContainerStatusUsers, validateContainerStatusAllocatedResourcesStatus
import {
  byteLength,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkGroupId,
  checkUserId,
} from '../../../../apimachinery/meta/names.js';
import type { Field } from '../../../shared/rules/field.js';
import type {
  Container,
  ContainerStatus,
  LinuxContainerUser,
  PodExtendedResourceClaimStatus,
  PodSpec,
  PodStatus,
  ResourceStatus,
} from '../../../../api/kubernetes/core.js';

/** Checks users and devices in the status of containers, which depend on the spec. as pkg/apis/core/validation ValidatePodStatusUpdate */
export function statusDetails(status: Field<PodStatus>, spec: PodSpec | undefined): void {
  const kinds = [
    status.at('containerStatuses'),
    status.at('initContainerStatuses'),
    status.at('ephemeralContainerStatuses'),
  ] as const;
  for (const list of kinds) users(list, spec?.os?.name ?? 'linux');
  const [main, init, ephemeral] = kinds;
  devices(main, spec?.containers);
  devices(init, spec?.initContainers);
  for (const container of ephemeral.items()) {
    const field = container.at('allocatedResourcesStatus');
    if (!field.isEmpty) field.forbidden('must not be specified in container status');
  }
}

function users(list: Field<ContainerStatus[]>, os: string): void {
  for (const container of list.items()) {
    const linux = container.at('user').at('linux');
    if (!linux.isSet) continue;
    if (os === 'windows') linux.forbidden('cannot be set for a windows pod');
    else if (os === 'linux') linuxUser(linux);
  }
}

function linuxUser(user: Field<LinuxContainerUser>): void {
  const validateId = (field: Field<number>, check: (id: number) => readonly string[]): void => {
    for (const text of check(field.value ?? 0)) field.invalid(text, field.value ?? 0);
  };
  validateId(user.at('uid'), checkUserId);
  validateId(user.at('gid'), checkGroupId);
  for (const group of user.at('supplementalGroups').items()) validateId(group, checkGroupId);
}

/** Sorted. */
const healths = ['Healthy', 'Unhealthy', 'Unknown'];
const maxMessageLength = 1024;

function devices(list: Field<ContainerStatus[]>, containers: readonly Container[] | undefined): void {
  for (const status of list.items()) {
    const container = containers?.find(c => c.name === status.value?.name);
    for (const resource of status.at('allocatedResourcesStatus').items()) {
      if (container) ofContainer(resource, container);
      health(resource);
    }
  }
}

const claimPrefix = 'claim:';

function ofContainer(resource: Field<ResourceStatus>, { resources }: Container): void {
  const name = resource.value?.name ?? '';
  const claims = (resources?.claims ?? []).map(c => `${claimPrefix}${c.name ?? ''}${c.request ? `/${c.request}` : ''}`);
  const isClaim = name.startsWith(claimPrefix);
  if (isClaim ? claims.includes(name) : Object.hasOwn(resources?.requests ?? {}, name)) return;
  const text = isClaim
    ? "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
    : "must match one of the container's resource requests";
  resource.at('name').invalid(text, name);
}

function health(resource: Field<ResourceStatus>): void {
  const seen = new Set<string>();
  for (const device of resource.at('resources').items()) {
    const [state, message, id] = [device.at('health'), device.at('message'), device.at('resourceID')];
    if (!healths.includes(state.value ?? '')) state.notSupported(healths);
    if (message.value === '') message.required('must be non-empty if specified');
    else if (byteLength(message.value ?? '') > maxMessageLength) message.tooLong(maxMessageLength);
    if (seen.has(id.value ?? '')) id.duplicate();
    seen.add(id.value ?? '');
  }
}

/**
 * Checks the claim for extended resources, which has to map requests of containers of the Pod.
 * as pkg/apis/core/validation validatePodExtendedResourceClaimStatus
 */
export function extendedClaims(claim: Field<PodExtendedResourceClaimStatus>, spec: PodSpec | undefined): void {
  if (!claim.isSet) return;
  const mappings = claim.at('requestMappings');
  if (mappings.isEmpty) mappings.required('at least one request mapping is required');
  const containers = new Map(
    [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(c => [c.name ?? '', c]),
  );
  const seen = new Set<string>();
  for (const mapping of mappings.items()) {
    const parts = (['containerName', 'resourceName', 'requestName'] as const).map(name => mapping.at(name));
    const [container, resource, request] = parts.map(part => part.value ?? '') as [string, string, string];
    const found = containers.get(container);
    if (!found)
      mapping
        .at('containerName')
        .invalid('must match the name of an entry in spec.initContainers.name or spec.containers.name', container);
    else if (!Object.hasOwn(found.resources?.requests ?? {}, resource))
      mapping
        .at('resourceName')
        .invalid(
          'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests',
          resource,
        );
    // The path is upstream's.
    mapping.at('requestName').named(claim, 'requestName').check(checkDns1123Label);
    const key = JSON.stringify([container, resource, request]);
    if (seen.has(key)) for (const part of parts) part.duplicate();
    seen.add(key);
  }
  const name = claim.at('resourceClaimName');
  if (name.isEmpty) name.required();
  else name.check(checkDns1123Subdomain);
}
