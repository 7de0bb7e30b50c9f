import { addAmount } from '../../../apimachinery/quantity/amounts.js';
import {
  type Quantity,
  compareQuantities,
  parseQuantity,
  quantityOf,
  quantityValue,
} from '../../../apimachinery/quantity/quantity.js';
import type { Int64 } from '../../../lib/json/json.js';
import type { PersistentVolumeClaim } from '../../../api/kubernetes/core.js';
import type { ResourceClaim } from '../../../api/kubernetes/resource.js';
import { type Evaluator, objectCountName, onChange, selectsScopes } from './evaluator.js';
import { storageClassOf } from '../../../kinds/kubernetes/core/volumes/storage-class-of.js';

const one = quantityOf(1);
const claimCount = objectCountName('', 'persistentvolumeclaims');
const classSuffix = '.storageclass.storage.k8s.io/';
const classScope = 'VolumeAttributesClass';
const claimNames = ['persistentvolumeclaims', 'requests.storage'];

// as pkg/quota/v1/evaluator/core persistent_volume_claims
export const volumeClaims: Evaluator = {
  handles(request) {
    if (request.subresource !== 'status') return onChange(request);
    const [claim, old] = [request.object, request.old] as readonly (PersistentVolumeClaim | undefined)[];
    if (!claim || !old) return false;
    const seen = ({ status }: PersistentVolumeClaim): unknown => status?.allocatedResources?.['storage'];
    return seen(claim) !== seen(old) || classesOf(claim).join() !== classesOf(old).join();
  },
  counts: name =>
    name === claimCount || claimNames.some(each => name === each || name.endsWith(`${classSuffix}${each}`)),
  usage(object) {
    const claim = object as PersistentVolumeClaim;
    const used = new Map<string, Quantity>([[claimCount, one]]);
    const name = storageClassOf(claim);
    const charge = (what: string, amount: Quantity): void => {
      used.set(what, amount);
      if (name !== '') used.set(`${name}${classSuffix}${what}`, amount);
    };
    charge('persistentvolumeclaims', one);
    const storage = storageOf(claim);
    if (storage) charge('requests.storage', storage);
    return used;
  },
  isIn: (scope, object) => scope.scopeName === classScope && selectsScopes(scope, classesOf(object)),
};

/** Returns the requested storage, or the allocated one if that is more, rounded up to whole bytes. */
function storageOf({ spec, status }: PersistentVolumeClaim): Quantity | undefined {
  const requested = spec?.resources?.requests?.['storage'];
  if (requested === undefined) return undefined;
  const [request, allocated] = [requested, status?.allocatedResources?.['storage'] ?? '0'].map(parseQuantity);
  const more = allocated && request && compareQuantities(allocated, request) > 0 ? allocated : request;
  if (!more) return undefined;
  const whole = quantityOf(quantityValue(more), more.format);
  return compareQuantities(whole, more) === 0 ? more : whole;
}

function classesOf({ spec, status }: PersistentVolumeClaim): string[] {
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.filter(name => name !== undefined && name !== ''))].sort() as string[];
}

const deviceCount = objectCountName('resource.k8s.io', 'resourceclaims');
const deviceClassSuffix = '.deviceclass.resource.k8s.io/devices';
/** Number of devices that the mode `All` counts as. */
const maxDevices = 32;

interface DeviceRequest {
  readonly deviceClassName?: string;
  readonly allocationMode?: string;
  readonly count?: Int64;
}

// as pkg/quota/v1/evaluator/core resource_claims
// differs: extended resources that stand for device classes are not counted
export const deviceClaims: Evaluator = {
  handles: onChange,
  counts: name => name === deviceCount || name.endsWith(deviceClassSuffix),
  usage(object) {
    const used = new Map<string, Quantity>([[deviceCount, one]]);
    for (const { firstAvailable = [], exactly } of (object as ResourceClaim).spec?.devices?.requests ?? []) {
      const maxByClass = new Map<string, Int64>();
      for (const request of firstAvailable.length > 0 ? firstAvailable : exactly ? [exactly] : []) {
        const name = `${request.deviceClassName ?? ''}${deviceClassSuffix}`;
        const [before, count] = [maxByClass.get(name) ?? 0, devicesOf(request)];
        maxByClass.set(name, count > before ? count : before);
      }
      for (const [name, number] of maxByClass) addAmount(used, name, quantityOf(number));
    }
    return used;
  },
};

function devicesOf({ allocationMode, count = 0 }: DeviceRequest): Int64 {
  if (allocationMode === 'All') return maxDevices;
  return allocationMode === 'ExactCount' ? count : 0;
}
