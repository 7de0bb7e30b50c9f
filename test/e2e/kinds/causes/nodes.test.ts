/** Nodes, RuntimeClasses and Leases: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { causes } from './causes.js';

/** A node with the fields of a cloud provider. */
const known = { spec: { podCIDR: '10.0.0.0/24', providerID: 'a' } };

causes('nodes', [
  {
    name: 'labels, taints, ranges',
    given: {
      spec: {
        podCIDR: 'x',
        podCIDRs: ['x', 'y', 'z'],
        taints: [
          { key: 'a', effect: 'X' },
          { key: 'a', effect: 'NoSchedule', value: 'a b' },
          { key: 'a', effect: 'NoSchedule' },
        ],
      },
    },
    expect: [
      'metadata.taints[0].effect: Unsupported value: "X": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      `metadata.taints[1].value: Invalid value: "a b": ${texts.labelValue}`,
      'metadata.taints[2]: Duplicate value: {"Key":"a","Value":"","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
      'spec.podCIDRs[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      'spec.podCIDRs[1]: Invalid value: "y": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      'spec.podCIDRs[2]: Invalid value: "z": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      'spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[0]: <nil> (invalid CIDR address: x)',
      'spec.podCIDRs: Invalid value: ["x","y","z"]: may specify no more than one CIDR for each IP family',
    ],
  },
  {
    name: 'a changed pod CIDR',
    given: known,
    patch: { spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] } },
    expect: ['spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'],
  },
  {
    name: 'a removed pod CIDR',
    given: known,
    patch: { spec: { podCIDR: null, podCIDRs: null } },
    expect: ['spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'],
  },
  {
    name: 'a changed provider ID',
    given: known,
    patch: { spec: { providerID: 'b' } },
    expect: ['spec.providerID: Forbidden: node updates may not change providerID except from "" to valid'],
  },
  {
    name: 'a removed provider ID',
    given: known,
    patch: { spec: { providerID: null } },
    expect: ['spec.providerID: Forbidden: node updates may not change providerID except from "" to valid'],
  },
  {
    name: 'a duplicate taint',
    given: known,
    patch: {
      spec: {
        taints: [
          { key: 'a', effect: 'NoSchedule' },
          { key: 'a', effect: 'NoSchedule', value: 'x' },
        ],
      },
    },
    expect: [
      'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"x","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
      'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"x","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
    ],
  },
  {
    name: 'a changed external ID',
    given: known,
    patch: { spec: { externalID: 'x' } },
    expect: ['spec.externalID: Forbidden: may not be updated'],
  },
  {
    name: 'cordoned',
    given: known,
    patch: { spec: { unschedulable: true } },
    expect: [],
  },
  {
    name: 'a pod CIDR and a provider ID that are set once',
    given: {},
    patch: known,
    expect: [],
  },
  {
    name: 'status',
    given: {},
    patch: {
      status: {
        capacity: { cpu: '-1' },
        addresses: [
          { type: 'a', address: 'b' },
          { type: 'a', address: 'b' },
        ],
      },
    },
    part: 'status',
    expect: [
      `status.capacity.cpu: Invalid value: "-1": ${texts.natural}`,
      `status.allocatable.cpu: Invalid value: "-1": ${texts.natural}`,
      'status.addresses[1]: Duplicate value: {"Type":"a","Address":"b"}',
    ],
  },
  {
    name: 'an external ID and a configSource',
    given: { spec: { externalID: 'x', configSource: {} } },
    expect: [],
    warnings: ['spec.externalID: this field is deprecated, and is unused by Kubernetes'],
  },
]);

causes('runtimeclasses', [
  {
    name: 'runtime',
    given: {
      handler: 'A_',
      overhead: { podFixed: { cpu: '-1', 'a b': '1' } },
      scheduling: {
        nodeSelector: { 'a b': '-' },
        tolerations: [
          { key: 'a', operator: 'X' },
          { key: 'b', operator: 'Exists' },
          { key: 'b', operator: 'Exists' },
        ],
      },
    },
    expect: [
      `handler: Invalid value: "A_": ${texts.dns1123Label}`,
      `overhead.limits[a b]: Invalid value: "a b": ${texts.namePart}`,
      'overhead.limits[a b]: Invalid value: "a b": must be a standard resource for containers',
      `overhead.limits[cpu]: Invalid value: "-1": ${texts.natural}`,
      `scheduling.nodeSelector: Invalid value: "a b": ${texts.namePart}`,
      `scheduling.nodeSelector: Invalid value: "-": ${texts.labelValue}`,
      'scheduling.tolerations[0].operator: Unsupported value: "X": supported values: "Equal", "Exists"',
      'scheduling.tolerations[2]: Duplicate value: {"Key":"b","Operator":"Exists","Value":"","Effect":"","TolerationSeconds":null}',
    ],
  },
  {
    name: 'runtime class: immutable fields',
    given: { handler: 'a' },
    patch: { handler: 'b' },
    expect: ['handler: Invalid value: "b": field is immutable'],
  },
  {
    name: 'runtime class: deprecated node labels',
    given: { handler: 'h', scheduling: { nodeSelector: { 'beta.kubernetes.io/os': 'l' } } },
    expect: [],
    warnings: ['scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead'],
  },
]);

causes('leases', [
  {
    name: 'lease: numbers; fields behind a feature gate are dropped',
    given: { spec: { leaseDurationSeconds: 0, leaseTransitions: -1, strategy: 'X', preferredHolder: 'y' } },
    expect: [
      'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
      `spec.leaseTransitions: Invalid value: -1: ${texts.natural}`,
    ],
  },
]);
