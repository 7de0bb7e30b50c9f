// as pkg/apis/resource/validation ValidateResourceClaim, ValidateResourceClaimTemplate and their updates
import { semanticEqual } from '../../../lib/json/equality.js';
import { checkLabelKey } from '../../../apimachinery/meta/names.js';
import type { Validate } from '../../../registry/interface.js';
import { nodeSelector } from '../core/shared/affinity-rules.js';
import { templateMetadata } from '../core/volumes/claim-rules.js';
import { conditions } from '../../shared/rules/condition-rules.js';
import type { Field } from '../../shared/rules/field.js';
import { immutable } from '../../shared/rules/immutable.js';
import { notEmpty } from '../../shared/rules/name-rules.js';
import { shownInternal } from '../../shared/go-text/internal-json.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
  ResourceClaim,
  ResourceClaimStatus,
  ResourceClaimTemplate,
} from '../../../api/kubernetes/resource.js';
import {
  type RequestNames,
  deviceClaim,
  maxConfigs,
  maxRequests,
  requestNamesOf,
  requestReference,
  requestReferences,
} from './device-claim-rules.js';
import { deviceConfiguration, freeObject } from './device-config-rules.js';
import { interfaceAddress } from './interface-address.js';
import { eachOf, setOf } from './lists.js';
import { deviceName, driverName, poolName, uid } from './names.js';

export const resourceClaimRules: readonly Validate[] = [
  validate<ResourceClaim>(claim => deviceClaim(claim.at('spec').at('devices'))),
];

export const resourceClaimChangeRules: readonly Validate[] = [
  validateChange<ResourceClaim>((claim, old) =>
    immutable(claim.at('spec'), old.spec, () => shownInternal('ResourceClaimSpec', claim.value?.spec)),
  ),
];

export const resourceClaimTemplateRules: readonly Validate[] = [
  validate<ResourceClaimTemplate>((template, old) => {
    const spec = template.at('spec');
    templateMetadata(spec.at('metadata'));
    deviceClaim(spec.at('spec').at('devices'));
    if (old) immutable(spec, old.spec, () => shownInternal('ResourceClaimTemplateSpec', spec.value));
  }),
];

// --- status -----------------------------------------------------------------------------------------------------

const unbounded = Infinity;
const maxReserved = 256;
const maxDeviceConditions = 8;
const maxData = 10 * 1024;

type DeviceId = Pick<AllocatedDeviceStatus, 'driver' | 'pool' | 'device' | 'shareID'>;

/** Returns `driver/pool/device`, with the id of the share if there is one. */
export function deviceId({ driver = '', pool = '', device = '', shareID }: DeviceId): string {
  return [driver, pool, device, ...(shareID ? [shareID] : [])].join('/');
}

/** Returns the identities of the devices that are allocated to a claim, by which the status of a device is assigned to it. */
export function allocatedDevices(status: ResourceClaimStatus | undefined): Set<string> {
  return new Set((status?.allocation?.devices?.results ?? []).map(deviceId));
}

const maxInterfaceLength = 256;
const maxAddressLength = 128;
const maxAddresses = 16;

function networkData(data: Field<NetworkDeviceData>): void {
  if (!data.isSet) return;
  const limitBytes = (field: Field<string>, bytes: number): void => {
    if (Buffer.byteLength(field.value ?? '') > bytes) field.tooLong(bytes);
  };
  limitBytes(data.at('interfaceName'), maxInterfaceLength);
  limitBytes(data.at('hardwareAddress'), maxAddressLength);
  setOf(data.at('ips'), maxAddresses, ip => ip, interfaceAddress);
}

function deviceStatus(device: Field<AllocatedDeviceStatus>, allocated: ReadonlySet<string>): void {
  driverName(device.at('driver'));
  poolName(device.at('pool'));
  deviceName(device.at('device'));
  if (device.at('shareID').isSet) uid(device.at('shareID'));
  const id = deviceId(device.value ?? {});
  if (!allocated.has(id)) device.invalid('must be an allocated device in the claim', id);
  const list = device.at('conditions');
  const count = list.value?.length ?? 0;
  if (count > maxDeviceConditions) list.tooMany(count, maxDeviceConditions);
  conditions(list);
  if (device.at('data').isSet) freeObject(device.at('data'), maxData);
  networkData(device.at('networkData'));
}

const maxBinding = 4;

interface Binding {
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
}

/** Conditions that must become true, and those that must not. */
export function bindingConditions(place: Field<Binding>): void {
  const [wanted, failures] = [place.at('bindingConditions'), place.at('bindingFailureConditions')];
  for (const list of [wanted, failures]) eachOf(list, maxBinding, name => name.check(checkLabelKey));
  const known = new Set<string>();
  for (const name of wanted.items()) {
    if (known.has(name.value ?? '')) name.duplicate();
    known.add(name.value ?? '');
  }
  const failing = new Set<string>();
  for (const name of failures.items()) {
    if (failing.has(name.value ?? '')) name.duplicate();
    failing.add(name.value ?? '');
    if (known.has(name.value ?? '')) name.invalid('bindingFailureConditions must not overlap with bindingConditions');
  }
  if (wanted.isEmpty && !failures.isEmpty)
    wanted.invalid('bindingConditions are required to use bindingFailureConditions');
  if (failures.isEmpty && !wanted.isEmpty)
    failures.invalid('bindingFailureConditions are required to use bindingConditions');
}

function allocationOf(result: Field<DeviceRequestAllocationResult>, names: RequestNames): void {
  requestReference(result.at('request'), names);
  driverName(result.at('driver'));
  poolName(result.at('pool'));
  deviceName(result.at('device'));
  bindingConditions(result);
  if (result.at('shareID').isSet) uid(result.at('shareID'));
}

const sources = ['FromClaim', 'FromClass'];

function allocationConfig(config: Field<DeviceAllocationConfiguration>, names: RequestNames): void {
  const source = config.at('source');
  if (source.isEmpty) source.required();
  else if (!sources.includes(source.value ?? '')) source.notSupported(sources);
  requestReferences(config.at('requests'), names);
  deviceConfiguration(config);
}

function allocation(field: Field<AllocationResult>, names: RequestNames): void {
  const devices = field.at('devices');
  eachOf(devices.at('results'), maxRequests, result => allocationOf(result, names));
  eachOf(devices.at('config'), 2 * maxConfigs, config => allocationConfig(config, names));
  if (field.at('nodeSelector').isSet) nodeSelector(field.at('nodeSelector'), false);
}

function reservations(
  status: Field<ResourceClaimStatus>,
  old: ResourceClaimStatus | undefined,
  deleted: boolean,
): void {
  const reserved = status.at('reservedFor');
  if (reserved.isEmpty) return;
  if (!status.at('allocation').isSet) {
    reserved.forbidden('may not be specified when `allocated` is not set');
    return;
  }
  const before = old?.reservedFor ?? [];
  const isNew = (consumer: unknown): boolean => !before.some(one => semanticEqual(one, consumer));
  if (deleted && reserved.value?.some(isNew))
    reserved.forbidden('new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set');
}

export const resourceClaimStatusRules: readonly Validate[] = [
  validateChange<ResourceClaim>((claim, old) => {
    const status = claim.at('status');
    setOf(
      status.at('reservedFor'),
      maxReserved,
      consumer => consumer.uid ?? '',
      consumer => notEmpty(consumer.at('resource'), consumer.at('name'), consumer.at('uid')),
    );
    const allocated = allocatedDevices(status.value);
    setOf(status.at('devices'), unbounded, deviceId, device => deviceStatus(device, allocated));
    reservations(status, old.status, claim.value?.metadata.deletionTimestamp !== undefined);
    const field = status.at('allocation');
    if (!field.isSet) return;
    if (old.status?.allocation)
      immutable(field, old.status.allocation, () => shownInternal('AllocationResult', field.value));
    else allocation(field, requestNamesOf(claim.value?.spec?.devices));
  }),
];
