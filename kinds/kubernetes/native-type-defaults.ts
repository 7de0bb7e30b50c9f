/** Defaults of types that occur inside kinds; those of whole objects are in the modules of their kinds. */
import { coreTypeDefaults } from './core/type-defaults.js';
import type { Fill, TypeDefaults } from '../shared/defaults/type-defaults.js';
import type {
  MatchResources,
  MutatingWebhook,
  RuleWithOperations,
  ServiceReference,
  ValidatingAdmissionPolicySpec,
  ValidatingWebhook,
} from '../../api/kubernetes/admissionregistration.js';
import type { PodFailurePolicyOnPodConditionsPattern } from '../../api/kubernetes/batch.js';
import type { EndpointPort } from '../../api/kubernetes/discovery.js';
import type {
  ExemptPriorityLevelConfiguration,
  FlowSchemaSpec,
  LimitedPriorityLevelConfiguration,
  QueuingConfiguration,
} from '../../api/kubernetes/flowcontrol.js';
import type { NetworkPolicyPort } from '../../api/kubernetes/networking.js';
import type { Device, DeviceSubRequest } from '../../api/kubernetes/resource.js';

function matching(rules: MatchResources | ValidatingWebhook): void {
  rules.matchPolicy ??= 'Equivalent';
  rules.namespaceSelector ??= {};
  rules.objectSelector ??= {};
}

function webhook(hook: ValidatingWebhook): void {
  hook.failurePolicy ??= 'Fail';
  matching(hook);
  hook.timeoutSeconds ??= 10;
}

function failing(spec: ValidatingAdmissionPolicySpec): void {
  spec.failurePolicy ??= 'Fail';
}

/** The default number of devices is one, as upstream. */
function deviceRequest(request: DeviceSubRequest): void {
  request.allocationMode ||= 'ExactCount';
  if (request.allocationMode === 'ExactCount') request.count ||= 1;
}

const others: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'admissionregistration.v1': {
    ValidatingWebhook: webhook,
    MutatingWebhook: (hook: MutatingWebhook) => {
      webhook(hook);
      hook.reinvocationPolicy ??= 'Never';
    },

    RuleWithOperations: rule,
    NamedRuleWithOperations: rule,
    ServiceReference: (service: ServiceReference) => {
      service.port ??= 443;
    },
    ValidatingAdmissionPolicySpec: failing,
    MutatingAdmissionPolicySpec: failing,
    MatchResources: matching,
  },
  'batch.v1': {
    PodFailurePolicyOnPodConditionsPattern: (pattern: PodFailurePolicyOnPodConditionsPattern) => {
      pattern.status ||= 'True';
    },
  },
  'discovery.v1': {
    EndpointPort: (port: EndpointPort) => {
      port.name ??= '';
      port.protocol ??= 'TCP';
    },
  },
  'flowcontrol.v1': {
    FlowSchemaSpec: (spec: FlowSchemaSpec) => {
      spec.matchingPrecedence ||= 1000;
    },
    ExemptPriorityLevelConfiguration: (level: ExemptPriorityLevelConfiguration) => {
      level.nominalConcurrencyShares ??= 0;
      level.lendablePercent ??= 0;
    },
    LimitedPriorityLevelConfiguration: (level: LimitedPriorityLevelConfiguration) => {
      level.nominalConcurrencyShares ??= 30;
      level.lendablePercent ??= 0;
    },
    QueuingConfiguration: (queuing: QueuingConfiguration) => {
      queuing.handSize ||= 8;
      queuing.queues ||= 64;
      queuing.queueLengthLimit ||= 50;
    },
  },
  'networking.v1': {
    NetworkPolicyPort: (port: NetworkPolicyPort) => {
      port.protocol ??= 'TCP';
    },
  },
  'resource.v1': {
    ExactDeviceRequest: deviceRequest,
    DeviceSubRequest: deviceRequest,
    Device: (device: Device) => {
      for (const mapping of Object.values(device.nodeAllocatableResourceMappings ?? {}))
        mapping.allocationMultiplier ??= '1';
    },
  },
};

function rule(r: RuleWithOperations): void {
  r.scope ??= '*';
}

export const nativeTypeDefaults: TypeDefaults = new Map([
  ...coreTypeDefaults,
  ...Object.entries(others).flatMap(([home, types]) =>
    Object.entries(types).map(([type, fill]) => [`io.k8s.api.${home}.${type}`, fill as Fill] as const),
  ),
]);
