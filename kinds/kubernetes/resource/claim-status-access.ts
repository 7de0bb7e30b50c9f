/**
 * Writing the status of a claim requires more than `resourceclaims/status`: rights are checked for subresources that are not served,
 * `resourceclaims/binding` for allocations and `resourceclaims/driver` for what drivers report about their devices.
 */
// as pkg/registry/resource AuthorizedForAdminStatus, AuthorizedForBinding, AuthorizedForDeviceStatus
import type { Fault, KubeObject } from '../../../apimachinery/interface.js';
import { semanticEqual } from '../../../lib/json/equality.js';
import { forbiddenField } from '../../../apimachinery/errors/faults.js';
import { checkDns1123Label, checkDns1123Subdomain } from '../../../apimachinery/meta/names.js';
import type { AccessPorts, Attributes } from '../../../registry/access.js';
import type { Identity } from '../../../apimachinery/identity.js';
import type { ActionCall, ResourceDefinition, Validate } from '../../../registry/interface.js';
import type { AllocationResult, ResourceClaim, ResourceClaimStatus } from '../../../api/kubernetes/resource.js';
import { adminAccessFault } from './admin-access.js';
import { dropFreed } from './freed-devices.js';
import { deviceId } from './resource-claim-rules.js';
import { nodeNameExtraKey } from '../../../api/kubernetes/well-known.js';

type Access = Pick<AccessPorts, 'authorize' | 'refusalText'>;

/** Returns why the user is not allowed, as in the error text; undefined if allowed. */
async function refusalOf(access: Access, user: Identity, attributes: Attributes): Promise<string | undefined> {
  const { allowed, reason } = await access.authorize(user, attributes);
  return allowed ? undefined : access.refusalText(user, attributes, reason);
}

const attributesFor = (verb: string, subresource: string, namespace: string, name: string): Attributes => ({
  ...{ type: 'resource', verb, group: 'resource.k8s.io', version: 'v1', resource: 'resourceclaims' },
  ...{ subresource, namespace, name },
});

type Changed = readonly [after: ResourceClaimStatus, before: ResourceClaimStatus];

async function bindingFaults(access: Access, { user, verb }: ActionCall, [after, before]: Changed): Promise<Fault[]> {
  const isSame =
    semanticEqual(after.allocation, before.allocation) && semanticEqual(after.reservedFor, before.reservedFor);
  const refusal = isSame ? undefined : await refusalOf(access, user, attributesFor(verb, 'binding', '', ''));
  if (refusal === undefined) return [];
  const text = `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${verb}" permission: ${refusal}`;
  return [forbiddenField('status.allocation', text)];
}

/** Returns the drivers of devices whose reported status changed, sorted. */
function changedDrivers([after, before]: Changed): string[] {
  const remaining = new Map((before.devices ?? []).map(device => [deviceId(device), device]));
  const drivers = new Set<string>();
  for (const device of after.devices ?? []) {
    const id = deviceId(device);
    if (!semanticEqual(remaining.get(id), device)) drivers.add(device.driver ?? '');
    remaining.delete(id);
  }
  for (const { driver } of remaining.values()) drivers.add(driver ?? '');
  return [...drivers].sort();
}

/** Returns the node on which the devices can be used, if there is exactly one. */
function nodeOf(allocation: AllocationResult | undefined): string | undefined {
  const [term, ...others] = allocation?.nodeSelector?.nodeSelectorTerms ?? [];
  const [field, ...more] = term?.matchFields ?? [];
  const [name, ...rest] = field?.values ?? [];
  if (others.length + more.length + rest.length + (term?.matchExpressions ?? []).length > 0) return undefined;
  return field?.key === 'metadata.name' && field.operator === 'In' ? name || undefined : undefined;
}

const accountName = /^system:serviceaccount:([^:]*):([^:]*)$/;

/** Reports whether the user is a service account whose token is bound to this node. */
function worksOn({ name, extra = {} }: Identity, node: string): boolean {
  const [, namespace = '', account = ''] = accountName.exec(name) ?? [];
  if (checkDns1123Label(namespace).length + checkDns1123Subdomain(account).length > 0) return false;
  const [nodeName = '', ...others] = extra[nodeNameExtraKey] ?? [];
  return others.length === 0 && checkDns1123Subdomain(nodeName).length === 0 && nodeName === node;
}

async function deviceFaults(access: Access, call: ActionCall, changed: Changed): Promise<Fault[]> {
  const [{ allocation }] = changed;
  const node = nodeOf(allocation);
  const anywhere = `arbitrary-node:${call.verb}`;
  const isThere = node !== undefined && worksOn(call.user, node);
  const verbs = isThere ? [`associated-node:${call.verb}`, anywhere] : [anywhere];
  const faults: Fault[] = [];
  for (const driver of allocation ? changedDrivers(changed) : []) {
    let first: string | undefined;
    for (const verb of verbs) {
      const refusal = await refusalOf(access, call.user, attributesFor(verb, 'driver', call.namespace, driver));
      if (refusal === undefined) {
        first = undefined;
        break;
      }
      first ??= refusal;
    }
    if (first === undefined) continue;
    const text = `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission: ${first}`;
    faults.push(forbiddenField('status.devices', text));
  }
  return faults;
}

const isAdmin = ({ allocation }: ResourceClaimStatus): number =>
  (allocation?.devices?.results ?? []).findIndex(({ adminAccess }) => adminAccess);

async function adminFaults(call: ActionCall, [after, before]: Changed): Promise<Fault[]> {
  const at = isAdmin(after);
  if (at < 0 || isAdmin(before) >= 0) return [];
  const fault = await adminAccessFault(call, `status.allocation.devices.results[${at}].adminAccess`);
  return fault ? [fault] : [];
}

/** Returns the status as it would be stored. */
function statusOf(draft: KubeObject, old: KubeObject | undefined): ResourceClaimStatus {
  const { status } = draft as ResourceClaim;
  if (!status) return {};
  const copy: ResourceClaim = { ...(draft as ResourceClaim), status: { ...status } };
  dropFreed(copy, old);
  return copy.status ?? {};
}

/** Access is checked before the rules run, which are synchronous, and its errors come before theirs. */
export function claimStatusAccess(access: Access): (definition: ResourceDefinition) => ResourceDefinition {
  const refusals = new WeakMap<KubeObject, readonly Fault[]>();
  const refused: Validate = object => refusals.get(object) ?? [];
  return definition => {
    const { status } = definition.subresources;
    if (status?.type !== 'part') throw new Error('a ResourceClaim without status');
    return {
      ...definition,
      subresources: {
        ...definition.subresources,
        status: {
          ...status,
          begin: async (draft, old, call) => {
            const changed: Changed = [statusOf(draft, old), (old as ResourceClaim | undefined)?.status ?? {}];
            refusals.set(draft, [
              ...(await adminFaults(call, changed)),
              ...(await bindingFaults(access, call, changed)),
              ...(await deviceFaults(access, call, changed)),
            ]);
            return () => Promise.resolve();
          },
          validateUpdate: [refused, ...status.validateUpdate],
        },
      },
    };
  };
}
