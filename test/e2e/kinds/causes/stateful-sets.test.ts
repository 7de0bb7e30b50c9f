/** StatefulSets: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { selector, template } from '../manifests.js';
import { causes } from './causes.js';
import { selecting } from './selecting.js';

const others =
  "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

causes('statefulsets', [
  ...selecting({ who: 'StatefulSet', word: 'statefulset', owner: 'StatefulSet', another: [others] }),
  {
    name: 'a changed service',
    given: { spec: { selector, template, serviceName: 's' } },
    patch: { spec: { serviceName: 't' } },
    expect: [others],
  },
  {
    name: 'a changed pod management policy',
    given: { spec: { selector, template, serviceName: 's' } },
    patch: { spec: { podManagementPolicy: 'Parallel' } },
    expect: [others],
  },
  {
    name: 'claims',
    given: { spec: { selector, template, serviceName: 's' } },
    patch: {
      spec: {
        volumeClaimTemplates: [
          {
            metadata: { name: 'v' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    },
    expect: [others],
  },
  {
    name: 'all mutable fields',
    given: { spec: { selector, template, serviceName: 's' } },
    patch: {
      spec: {
        replicas: 2,
        ordinals: { start: 1 },
        template: { metadata: { labels: { c: 'd' } } },
        updateStrategy: { type: 'OnDelete', rollingUpdate: null },
        revisionHistoryLimit: 1,
        persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' },
        minReadySeconds: 1,
      },
    },
    expect: [],
  },
  {
    name: 'invalid values of mutable fields',
    given: { spec: { selector, template, serviceName: 's' } },
    patch: { spec: { replicas: -1, ordinals: { start: -1 }, updateStrategy: { type: 'X' }, minReadySeconds: -1 } },
    expect: [
      'spec.updateStrategy: Invalid value: {"Type":"X","RollingUpdate":{"Partition":0,"MaxUnavailable":null}}: must be \'RollingUpdate\' or \'OnDelete\'',
      `spec.replicas: Invalid value: -1: ${texts.natural}`,
      `spec.minReadySeconds: Invalid value: -1: ${texts.natural}`,
      `spec.ordinals.start: Invalid value: -1: ${texts.natural}`,
    ],
  },
  {
    name: 'unknown enum values',
    given: {
      spec: {
        selector,
        template,
        podManagementPolicy: 'X',
        updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: -1 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'X', whenScaled: 'Y' },
      },
    },
    expect: [
      "spec.podManagementPolicy: Invalid value: \"X\": must be 'OrderedReady' or 'Parallel'",
      'spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":-1,"MaxUnavailable":null}: only allowed for updateStrategy \'RollingUpdate\'',
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "X": supported values: "Retain", "Delete"',
      'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Y": supported values: "Retain", "Delete"',
    ],
  },
  {
    name: 'StatefulSet: a name with a dot',
    given: { metadata: { name: 'a.b' }, spec: { selector, template } },
    expect: ['metadata.name: Invalid value: "a.b": must not contain dots'],
    warnings: [],
  },
  {
    name: 'claims and revisions of a set',
    given: {
      spec: {
        selector,
        template,
        revisionHistoryLimit: -1,
        volumeClaimTemplates: [
          {
            metadata: { name: 'v' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500m' } } },
          },
        ],
      },
    },
    expect: [],
    warnings: [
      'spec.volumeClaimTemplates[0].resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
      'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
    ],
  },
  {
    name: 'claims of an updated set',
    given: {
      spec: {
        selector,
        template,
        volumeClaimTemplates: [
          {
            metadata: { name: 'v' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500m' } } },
          },
        ],
      },
    },
    patch: { metadata: { labels: { c: 'd' } } },
    expect: [],
    warnings: [
      'spec.volumeClaimTemplates[0].Spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
    ],
  },
]);
