/**
 * The native types of resource, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { JsonObject, KubeObject, ObjectMeta } from '../../../openapi/interface.js';
import type * as core from './core.js';
import type * as meta from './meta.js';
import type { Quantity } from './scalars.js';

export interface AllocatedDeviceStatus {
  conditions?: meta.Condition[];
  data?: JsonObject;
  device?: string;
  driver?: string;
  networkData?: NetworkDeviceData;
  pool?: string;
  shareID?: string;
}

export interface AllocationResult {
  allocationTimestamp?: string;
  devices?: DeviceAllocationResult;
  nodeSelector?: core.NodeSelector;
}

export interface CELDeviceSelector {
  expression?: string;
}

export interface CapacityRequestPolicy {
  default?: Quantity;
  validRange?: CapacityRequestPolicyRange;
  validValues?: Quantity[];
}

export interface CapacityRequestPolicyRange {
  max?: Quantity;
  min?: Quantity;
  step?: Quantity;
}

export interface CapacityRequirements {
  requests?: Record<string, Quantity>;
}

export interface Counter {
  value?: Quantity;
}

export interface CounterSet {
  counters?: Record<string, Counter>;
  name?: string;
}

export interface Device {
  allNodes?: boolean;
  allowMultipleAllocations?: boolean;
  attributes?: Record<string, DeviceAttribute>;
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  bindsToNode?: boolean;
  capacity?: Record<string, DeviceCapacity>;
  consumesCounters?: DeviceCounterConsumption[];
  name?: string;
  nodeAllocatableResourceMappings?: Record<string, NodeAllocatableResourceMapping>;
  nodeName?: string;
  nodeSelector?: core.NodeSelector;
  taints?: DeviceTaint[];
}

export interface DeviceAllocationConfiguration {
  opaque?: OpaqueDeviceConfiguration;
  requests?: string[];
  source?: string;
}

export interface DeviceAllocationResult {
  config?: DeviceAllocationConfiguration[];
  results?: DeviceRequestAllocationResult[];
}

export interface DeviceAttribute {
  bool?: boolean;
  bools?: boolean[];
  int?: number;
  ints?: number[];
  string?: string;
  strings?: string[];
  version?: string;
  versions?: string[];
}

export interface DeviceCapacity {
  requestPolicy?: CapacityRequestPolicy;
  value?: Quantity;
}

export interface DeviceClaim {
  config?: DeviceClaimConfiguration[];
  constraints?: DeviceConstraint[];
  requests?: DeviceRequest[];
}

export interface DeviceClaimConfiguration {
  opaque?: OpaqueDeviceConfiguration;
  requests?: string[];
}

export interface DeviceClass extends KubeObject {
  spec?: DeviceClassSpec;
}

export interface DeviceClassConfiguration {
  opaque?: OpaqueDeviceConfiguration;
}

export interface DeviceClassSpec {
  config?: DeviceClassConfiguration[];
  extendedResourceName?: string;
  selectors?: DeviceSelector[];
}

export interface DeviceConstraint {
  distinctAttribute?: string;
  matchAttribute?: string;
  requests?: string[];
}

export interface DeviceCounterConsumption {
  counterSet?: string;
  counters?: Record<string, Counter>;
}

export interface DeviceRequest {
  exactly?: ExactDeviceRequest;
  firstAvailable?: DeviceSubRequest[];
  name?: string;
}

export interface DeviceRequestAllocationResult {
  adminAccess?: boolean;
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  consumedCapacity?: Record<string, Quantity>;
  device?: string;
  driver?: string;
  pool?: string;
  request?: string;
  shareID?: string;
  tolerations?: DeviceToleration[];
}

export interface DeviceSelector {
  cel?: CELDeviceSelector;
}

export interface DeviceSubRequest {
  allocationMode?: string;
  capacity?: CapacityRequirements;
  count?: number;
  deviceClassName?: string;
  name?: string;
  selectors?: DeviceSelector[];
  tolerations?: DeviceToleration[];
}

export interface DeviceTaint {
  effect?: string;
  key?: string;
  timeAdded?: string;
  value?: string;
}

export interface DeviceToleration {
  effect?: string;
  key?: string;
  operator?: string;
  tolerationSeconds?: number;
  value?: string;
}

export interface ExactDeviceRequest {
  adminAccess?: boolean;
  allocationMode?: string;
  capacity?: CapacityRequirements;
  count?: number;
  deviceClassName?: string;
  selectors?: DeviceSelector[];
  tolerations?: DeviceToleration[];
}

export interface NetworkDeviceData {
  hardwareAddress?: string;
  interfaceName?: string;
  ips?: string[];
}

export interface NodeAllocatableResourceMapping {
  allocationMultiplier?: Quantity;
  capacityKey?: string;
}

export interface OpaqueDeviceConfiguration {
  driver?: string;
  parameters?: JsonObject;
}

export interface ResourceClaim extends KubeObject {
  spec?: ResourceClaimSpec;
  status?: ResourceClaimStatus;
}

export interface ResourceClaimConsumerReference {
  apiGroup?: string;
  name?: string;
  resource?: string;
  uid?: string;
}

export interface ResourceClaimSpec {
  devices?: DeviceClaim;
}

export interface ResourceClaimStatus {
  allocation?: AllocationResult;
  devices?: AllocatedDeviceStatus[];
  reservedFor?: ResourceClaimConsumerReference[];
}

export interface ResourceClaimTemplate extends KubeObject {
  spec?: ResourceClaimTemplateSpec;
}

export interface ResourceClaimTemplateSpec {
  metadata?: ObjectMeta;
  spec?: ResourceClaimSpec;
}

export interface ResourcePool {
  generation?: number;
  name?: string;
  resourceSliceCount?: number;
}

export interface ResourceSlice extends KubeObject {
  spec?: ResourceSliceSpec;
}

export interface ResourceSliceSpec {
  allNodes?: boolean;
  devices?: Device[];
  driver?: string;
  nodeName?: string;
  nodeSelector?: core.NodeSelector;
  perDeviceNodeSelection?: boolean;
  pool?: ResourcePool;
  sharedCounters?: CounterSet[];
}
