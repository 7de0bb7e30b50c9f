/** Kinds of storage.k8s.io: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { causes } from './causes.js';

causes('storageclasses', [
  {
    name: 'class: invalid values',
    given: {
      provisioner: '',
      parameters: { '': 'x' },
      reclaimPolicy: 'X',
      volumeBindingMode: 'Y',
      allowedTopologies: [
        { matchLabelExpressions: [] },
        {
          matchLabelExpressions: [
            { key: 'a b', values: [] },
            { key: 'k', values: ['v', 'v'] },
            { key: 'k', values: ['v'] },
          ],
        },
      ],
    },
    expect: [
      'provisioner: Required value',
      'parameters: Invalid value: "": field can not be empty.',
      'reclaimPolicy: Unsupported value: "X": supported values: "Delete", "Retain"',
      'volumeBindingMode: Unsupported value: "Y": supported values: "Immediate", "WaitForFirstConsumer"',
      'allowedTopologies[0].matchLabelExpressions: Duplicate value: ""',
      'allowedTopologies[0].matchLabelExpressions: Duplicate value: ""',
      'allowedTopologies[1].matchLabelExpressions[0].values: Required value',
      `allowedTopologies[1].matchLabelExpressions[0].key: Invalid value: "a b": ${texts.namePart}`,
      'allowedTopologies[1].matchLabelExpressions[1].values[1]: Duplicate value: "v"',
      'allowedTopologies[1].matchLabelExpressions[2].key: Duplicate value: "k"',
    ],
  },
  {
    name: 'class: immutable fields',
    given: { provisioner: 'a.b/c', parameters: { a: 'b' } },
    patch: {
      provisioner: 'a.b/d',
      parameters: { a: 'c' },
      reclaimPolicy: 'Retain',
      volumeBindingMode: 'WaitForFirstConsumer',
    },
    expect: [
      'parameters: Invalid value: {"a":"c"}: field is immutable',
      'provisioner: Invalid value: "a.b/d": field is immutable',
      'reclaimPolicy: Invalid value: "Retain": field is immutable',
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ],
  },
  {
    name: 'class: mutable fields',
    given: { provisioner: 'a.b/c' },
    patch: { allowVolumeExpansion: true, mountOptions: ['x'] },
    expect: [],
  },
  {
    name: 'class: deprecated zone labels',
    given: {
      provisioner: 'a.b/c',
      allowedTopologies: [
        { matchLabelExpressions: [{ key: 'failure-domain.beta.kubernetes.io/zone', values: ['a'] }] },
      ],
    },
    expect: [],
    warnings: [
      'allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    ],
  },
]);

causes('csidrivers', [
  {
    name: 'driver: invalid values',
    given: {
      metadata: { name: 'A' },
      spec: {
        fsGroupPolicy: 'X',
        volumeLifecycleModes: ['Y', 'Persistent', 'Persistent'],
        tokenRequests: [{ audience: 'a' }, { audience: 'a' }, { audience: 'b', expirationSeconds: 5 }],
        nodeAllocatableUpdatePeriodSeconds: 9,
      },
    },
    expect: [
      `metadata.name: Invalid value: "A": ${texts.dns1123Subdomain}`,
      'spec.fsGroupPolicy: Unsupported value: "X": supported values: "File", "None", "ReadWriteOnceWithFSType"',
      'spec.tokenRequests[1].audience: Duplicate value: "a"',
      'spec.tokenRequests[2].expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
      'spec.volumeLifecycleModes: Unsupported value: "Y": supported values: "Persistent", "Ephemeral"',
      'spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 seconds',
    ],
  },
  {
    name: 'driver: immutable fields',
    given: { spec: {} },
    patch: {
      spec: {
        attachRequired: false,
        podInfoOnMount: true,
        fsGroupPolicy: 'File',
        volumeLifecycleModes: ['Ephemeral'],
        storageCapacity: true,
        requiresRepublish: true,
        seLinuxMount: true,
      },
    },
    expect: [
      'spec.attachedRequired: Invalid value: false: field is immutable',
      'spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: field is immutable',
    ],
  },
  {
    name: 'driver: tokens',
    given: { spec: { tokenRequests: [{ audience: 'a' }] } },
    expect: [],
    warnings: [
      'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
    ],
  },
]);

causes('csinodes', [
  {
    name: 'node: drivers',
    given: {
      spec: {
        drivers: [
          { name: '', nodeID: '' },
          { name: 'a', nodeID: 'n', allocatable: { count: -1 }, topologyKeys: ['', 'k', 'k', 'a b'] },
          {
            name: 'a',
            nodeID: 'n'.repeat(193),
          },
        ],
      },
    },
    expect: [
      'spec.drivers[0].name: Required value',
      'spec.drivers[0].nodeID: Required value',
      `spec.drivers[1].allocatable.count: Invalid value: -1: ${texts.natural}`,
      'spec.drivers[1]: Required value',
      'spec.drivers[1]: Invalid value: "": name part must be non-empty',
      `spec.drivers[1]: Invalid value: "": ${texts.namePart}`,
      'spec.drivers[1]: Duplicate value: "k"',
      `spec.drivers[1]: Invalid value: "a b": ${texts.namePart}`,
      'spec.drivers[2].name: Duplicate value: "a"',
    ],
  },
  {
    name: 'node: immutable fields of drivers',
    given: { spec: { drivers: [{ name: 'a', nodeID: 'n' }] } },
    patch: { spec: { drivers: [{ name: 'a', nodeID: 'm' }] } },
    expect: [
      'spec.drivers: Invalid value: {"Name":"a","NodeID":"m","TopologyKeys":null,"Allocatable":null}: field is immutable',
    ],
  },
]);

causes('volumeattachments', [
  {
    name: 'attachment',
    given: { spec: { attacher: 'A_', nodeName: 'A_', source: {} } },
    expect: [
      `spec.attacher: Invalid value: "A_": ${texts.dns1123Subdomain}`,
      'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
      `spec.nodeName: Invalid value: "A_": ${texts.dns1123Subdomain}`,
    ],
  },
  {
    name: 'attachment: two sources',
    given: {
      spec: {
        attacher: '',
        nodeName: '',
        source: { persistentVolumeName: '', inlineVolumeSpec: { capacity: { storage: '1' } } },
      },
    },
    expect: [
      'spec.attacher: Required value',
      'spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
      `spec.nodeName: Invalid value: "": ${texts.dns1123Subdomain}`,
      `spec.source.persistentVolumeName: Invalid value: "": ${texts.dns1123Subdomain}`,
    ],
  },
  {
    name: 'attachment: immutable fields',
    given: { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'p' } } },
    patch: { spec: { nodeName: 'm' } },
    expect: [
      'spec: Invalid value: {"Attacher":"a","Source":{"PersistentVolumeName":"p","InlineVolumeSpec":null},"NodeName":"m"}: field is immutable',
    ],
  },
  {
    name: 'attachment: status',
    given: { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'p' } } },
    patch: {
      status: {
        attachmentMetadata: { a: 'x'.repeat(262_144) },
        attachError: { message: 'm'.repeat(262_145), errorCode: -1 },
      },
    },
    part: 'status',
    expect: [
      'status.attachmentMetadata: Too long: may not be more than 262144 bytes',
      'status.attachError.message: Too long: may not be more than 262144 bytes',
      'status.attachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive',
    ],
  },
]);

causes('volumeattributesclasses', [
  {
    name: 'attributes',
    given: { driverName: 'A_', parameters: { '': 'x' } },
    expect: [
      `driverName: Invalid value: "a_": ${texts.namePart}`,
      'parameters: Invalid value: "": field can not be empty.',
    ],
  },
  {
    name: 'attributes class: no values',
    given: { driverName: '' },
    expect: ['driverName: Required value', 'parameters: Required value: must contain at least one key/value pair'],
  },
  {
    name: 'attributes class: immutable fields',
    given: { driverName: 'a', parameters: { a: 'b' } },
    patch: { driverName: 'b', parameters: { a: 'c' } },
    expect: [
      'driverName: Forbidden: updates to driverName are forbidden.',
      'parameters: Forbidden: updates to parameters are forbidden.',
    ],
  },
]);

causes('csistoragecapacities', [
  {
    name: 'capacity',
    given: {
      storageClassName: 'A_',
      capacity: '-1',
      maximumVolumeSize: '-1',
      nodeTopology: { matchLabels: { 'a b': 'c' } },
    },
    expect: [
      `nodeTopology.matchLabels: Invalid value: "a b": ${texts.namePart}`,
      `storageClassName: Invalid value: "A_": ${texts.dns1123Subdomain}`,
      `capacity: Invalid value: "-1": ${texts.natural}`,
    ],
  },
  {
    name: 'capacity: immutable fields',
    given: { storageClassName: 'a' },
    patch: { storageClassName: 'b', nodeTopology: {} },
    expect: [
      'nodeTopology: Invalid value: {}: field is immutable',
      'storageClassName: Invalid value: "b": field is immutable',
    ],
  },
]);
