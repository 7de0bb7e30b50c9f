import t from 'tap';
import { type FaultCase, faultTable } from '../../fault-table.js';

const sound = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'c', namespace: 'space' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const storageClass = 'volume.beta.kubernetes.io/storage-class';

const cases: readonly FaultCase[] = [
  {
    name: 'the class of an annotation stays',
    old: { metadata: { annotations: { [storageClass]: 'a' } } },
    given: { metadata: { annotations: { [storageClass]: 'b' } } },
    expect: [[`metadata.annotations.${storageClass}`, 'Invalid value: "b": field is immutable']],
  },
  {
    name: 'the class moves from the annotation into its field',
    old: { metadata: { annotations: { [storageClass]: 'a' } } },
    given: { metadata: { annotations: null }, spec: { storageClassName: 'a' } },
    expect: [],
  },
  {
    name: 'a claim for one pod and for many',
    given: { spec: { accessModes: ['ReadWriteOncePod', 'ReadOnlyMany', 'x'] } },
    expect: [
      [
        'spec.accessModes',
        'Unsupported value: "x": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      ],
      ['spec.accessModes', 'Forbidden: may not use ReadWriteOncePod with other access modes'],
    ],
  },
];

t.test('claims are validated', async t => faultTable(t, ['', 'PersistentVolumeClaim'], sound, cases));
