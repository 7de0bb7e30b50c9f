import t from 'tap';
import { faultTable, texts } from '../fault-table.js';

t.test(
  'storage classes are validated',
  async t =>
    await faultTable(
      t,
      ['storage.k8s.io', 'StorageClass'],
      { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'n' }, provisioner: 'a.b/c' },
      [
        { name: 'no provisioner', given: { provisioner: '' }, expect: [['provisioner', 'Required value']] },
        {
          name: 'a provisioner',
          given: { provisioner: 'A b' },
          expect: [['provisioner', `Invalid value: "a b": ${texts.namePart}`]],
        },
        {
          name: 'a parameter without a name',
          given: { parameters: { '': 'x' } },
          expect: [['parameters', 'Invalid value: "": field can not be empty.']],
        },
        {
          name: 'policies',
          given: { reclaimPolicy: 'Recycle', volumeBindingMode: 'X' },
          expect: [
            ['reclaimPolicy', 'Unsupported value: "Recycle": supported values: "Delete", "Retain"'],
            ['volumeBindingMode', 'Unsupported value: "X": supported values: "Immediate", "WaitForFirstConsumer"'],
          ],
        },
        {
          name: 'terms',
          given: {
            allowedTopologies: [
              { matchLabelExpressions: [{ key: 'a b', values: ['x', 'x'] }] },
              { matchLabelExpressions: [{ key: 'k', values: [] }] },
            ],
          },
          expect: [
            ['allowedTopologies[0].matchLabelExpressions[0].values[1]', 'Duplicate value: "x"'],
            ['allowedTopologies[0].matchLabelExpressions[0].key', `Invalid value: "a b": ${texts.namePart}`],
            ['allowedTopologies[1].matchLabelExpressions[0].values', 'Required value'],
          ],
        },
        {
          name: 'equal terms',
          given: {
            allowedTopologies: [
              { matchLabelExpressions: [{ key: 'k', values: ['x', 'y'] }] },
              { matchLabelExpressions: [{ key: 'k', values: ['y', 'x'] }] },
            ],
          },
          expect: [['allowedTopologies[1].matchLabelExpressions', 'Duplicate value: ""']],
        },
        {
          name: 'an empty term',
          given: { allowedTopologies: [{}] },
          expect: [['allowedTopologies[0].matchLabelExpressions', 'Duplicate value: ""']],
        },
        {
          name: 'a deprecated label',
          given: {
            allowedTopologies: [
              { matchLabelExpressions: [{ key: 'failure-domain.beta.kubernetes.io/zone', values: ['a'] }] },
            ],
          },
          expect: [],
          warnings: [
            'allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
          ],
        },
        {
          name: 'changes of immutable fields',
          old: {},
          given: {
            provisioner: 'x',
            parameters: { a: 'b' },
            reclaimPolicy: 'Retain',
            volumeBindingMode: 'WaitForFirstConsumer',
          },
          expect: [
            ['parameters', 'Invalid value: {"a":"b"}: field is immutable'],
            ['provisioner', 'Invalid value: "x": field is immutable'],
            ['reclaimPolicy', 'Invalid value: "Retain": field is immutable'],
            ['volumeBindingMode', 'Invalid value: "WaitForFirstConsumer": field is immutable'],
          ],
        },
      ],
    ),
);

t.test(
  'CSI drivers are validated',
  async t =>
    await faultTable(
      t,
      ['storage.k8s.io', 'CSIDriver'],
      { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'n' }, spec: {} },
      [
        {
          name: 'policies',
          given: { spec: { fsGroupPolicy: 'X', volumeLifecycleModes: ['X', 'Ephemeral'] } },
          expect: [
            [
              'spec.fsGroupPolicy',
              'Unsupported value: "X": supported values: "File", "None", "ReadWriteOnceWithFSType"',
            ],
            ['spec.volumeLifecycleModes', 'Unsupported value: "X": supported values: "Persistent", "Ephemeral"'],
          ],
        },
        {
          name: 'tokens',
          given: {
            spec: {
              serviceAccountTokenInSecrets: true,
              tokenRequests: [
                { audience: 'a', expirationSeconds: 5 },
                { audience: 'a' },
                { audience: 'b', expirationSeconds: 5000000000 },
              ],
            },
          },
          expect: [
            [
              'spec.tokenRequests[0].expirationSeconds',
              'Invalid value: 5: may not specify a duration less than 10 minutes',
            ],
            ['spec.tokenRequests[1].audience', 'Duplicate value: "a"'],
            [
              'spec.tokenRequests[2].expirationSeconds',
              'Invalid value: 5000000000: may not specify a duration larger than 2^32 seconds',
            ],
          ],
        },
        {
          name: 'token requests without serviceAccountTokenInSecrets',
          given: { spec: { tokenRequests: [{ audience: 'a' }] } },
          expect: [],
          warnings: [
            'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
          ],
        },
        {
          name: 'serviceAccountTokenInSecrets without token requests',
          given: { spec: { serviceAccountTokenInSecrets: true } },
          expect: [
            [
              'spec.serviceAccountTokenInSecrets',
              'Invalid value: true: serviceAccountTokenInSecrets is set but no tokenRequests are specified',
            ],
          ],
        },
        {
          name: 'an update period',
          given: { spec: { nodeAllocatableUpdatePeriodSeconds: 9 } },
          expect: [
            [
              'spec.nodeAllocatableUpdatePeriodSeconds',
              'Invalid value: 9: must be greater than or equal to 10 seconds',
            ],
          ],
        },
        {
          name: 'changes of immutable fields',
          old: {},
          given: { spec: { attachRequired: false, volumeLifecycleModes: ['Ephemeral'] } },
          expect: [
            ['spec.attachedRequired', 'Invalid value: false: field is immutable'],
            ['spec.volumeLifecycleModes', 'Invalid value: ["Ephemeral"]: field is immutable'],
          ],
        },
      ],
    ),
);

t.test(
  'CSI nodes are validated',
  async t =>
    await faultTable(
      t,
      ['storage.k8s.io', 'CSINode'],
      { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name: 'n' }, spec: { drivers: [] } },
      [
        {
          name: 'drivers',
          given: {
            spec: {
              drivers: [
                { name: 'A_', nodeID: '' },
                { name: 'b', nodeID: 'n', allocatable: { count: -1 }, topologyKeys: ['k', 'k'] },
                { name: 'b', nodeID: 'xxx' },
              ],
            },
          },
          expect: [
            ['spec.drivers[0].name', `Invalid value: "A_": ${texts.dns1123Subdomain}`],
            ['spec.drivers[0].nodeID', 'Required value'],
            ['spec.drivers[1].allocatable.count', `Invalid value: -1: ${texts.natural}`],
            ['spec.drivers[1]', 'Duplicate value: "k"'],
            ['spec.drivers[2].name', 'Duplicate value: "b"'],
          ],
        },
        {
          name: 'a changed driver',
          old: { spec: { drivers: [{ name: 'b', nodeID: 'n' }] } },
          given: { spec: { drivers: [{ name: 'b', nodeID: 'm' }] } },
          expect: [
            [
              'spec.drivers',
              'Invalid value: {"Name":"b","NodeID":"m","TopologyKeys":null,"Allocatable":null}: field is immutable',
            ],
          ],
        },
        {
          name: 'a changed number of volumes of a driver',
          old: { spec: { drivers: [{ name: 'b', nodeID: 'n' }] } },
          given: { spec: { drivers: [{ name: 'b', nodeID: 'n', allocatable: { count: 2 } }] } },
          expect: [],
        },
      ],
    ),
);

t.test(
  'volume attachments are validated',
  async t =>
    await faultTable(
      t,
      ['storage.k8s.io', 'VolumeAttachment'],
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'VolumeAttachment',
        metadata: { name: 'n' },
        spec: { attacher: 'a.b', nodeName: 'x', source: { persistentVolumeName: 'v' } },
      },
      [
        {
          name: 'no source',
          given: { spec: { source: { persistentVolumeName: null } } },
          expect: [
            ['spec.source', 'Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName'],
          ],
        },
        {
          name: 'an empty source',
          given: { spec: { source: { persistentVolumeName: '' } } },
          expect: [
            ['spec.source.persistentVolumeName', 'Required value: must specify non empty persistentVolumeName'],
            ['spec.source.persistentVolumeName', `Invalid value: "": ${texts.dns1123Subdomain}`],
          ],
        },
        {
          name: 'names',
          given: { spec: { attacher: '', nodeName: 'A' } },
          expect: [
            ['spec.attacher', 'Required value'],
            ['spec.nodeName', `Invalid value: "A": ${texts.dns1123Subdomain}`],
          ],
        },
        {
          name: 'a changed node',
          old: {},
          given: { spec: { nodeName: 'y' } },
          expect: [
            [
              'spec',
              'Invalid value: {"Attacher":"a.b","Source":{"PersistentVolumeName":"v","InlineVolumeSpec":null},"NodeName":"y"}: field is immutable',
            ],
          ],
        },
      ],
    ),
);

t.test(
  'volume attributes classes are validated',
  async t =>
    await faultTable(
      t,
      ['storage.k8s.io', 'VolumeAttributesClass'],
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'VolumeAttributesClass',
        metadata: { name: 'n' },
        driverName: 'a.b',
        parameters: { a: 'b' },
      },
      [
        {
          name: 'nothing',
          given: { driverName: '', parameters: null },
          expect: [
            ['driverName', 'Required value'],
            ['parameters', 'Required value: must contain at least one key/value pair'],
          ],
        },
        {
          name: 'changes of immutable fields',
          old: {},
          given: { driverName: 'c.d', parameters: { a: 'c' } },
          expect: [
            ['driverName', 'Forbidden: updates to driverName are forbidden.'],
            ['parameters', 'Forbidden: updates to parameters are forbidden.'],
          ],
        },
      ],
    ),
);

t.test(
  'storage capacities are validated',
  async t =>
    await faultTable(
      t,
      ['storage.k8s.io', 'CSIStorageCapacity'],
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSIStorageCapacity',
        metadata: { name: 'n', namespace: 'space' },
        storageClassName: 's',
      },
      [
        {
          name: 'invalid values',
          given: { storageClassName: 'A', capacity: '-1', nodeTopology: { matchLabels: { a: 'b c' } } },
          expect: [
            ['nodeTopology.matchLabels', `Invalid value: "b c": ${texts.labelValue}`],
            ['storageClassName', `Invalid value: "A": ${texts.dns1123Subdomain}`],
            ['capacity', `Invalid value: "-1": ${texts.natural}`],
          ],
        },
        {
          name: 'changes of immutable fields',
          old: {},
          given: { storageClassName: 't', nodeTopology: { matchLabels: { a: 'b' } } },
          expect: [
            ['nodeTopology', 'Invalid value: {"matchLabels":{"a":"b"}}: field is immutable'],
            ['storageClassName', 'Invalid value: "t": field is immutable'],
          ],
        },
      ],
    ),
);
