/** Volumes, claims and storage classes: rows of Tables. */
import { age, rows } from './rows.js';

const claim = {
  accessModes: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'],
  resources: { requests: { storage: '1Gi' } },
};

rows('persistentvolumeclaims', [
  {
    name: 'claim',
    given: { spec: { ...claim, volumeName: 'v', storageClassName: 's' } },
    status: {
      phase: 'Bound',
      accessModes: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'],
      capacity: { storage: '1Gi' },
    },
    expect: ['Bound', 'v', '1Gi', 'RWO,ROX,RWX,RWOP', 's', '<unset>', age, 'Filesystem'],
  },
  {
    name: 'pending claim',
    given: { spec: claim },
    expect: ['Pending', '', '', '', '', '<unset>', age, 'Filesystem'],
  },
  {
    name: 'deleted claim',
    given: { metadata: { name: 'cgo', finalizers: ['a.b/c'] }, spec: claim },
    goes: true,
    expect: ['Terminating', '', '', '', '', '<unset>', age, 'Filesystem'],
  },
]);

rows('persistentvolumes', [
  {
    name: 'volume',
    given: {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOncePod'],
        hostPath: { path: '/a' },
        claimRef: { namespace: 'n', name: 'c' },
        storageClassName: 's',
        volumeAttributesClassName: null,
      },
    },
    status: { phase: 'Available', reason: 'because' },
    expect: ['1Gi', 'RWOP', 'Retain', 'Available', 'n/c', 's', '<unset>', 'because', age, 'Filesystem'],
  },
  {
    name: 'deleted volume',
    given: {
      metadata: { name: 'vgo', finalizers: ['a.b/c'] },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } },
    },
    goes: true,
    expect: ['1Gi', 'RWO', 'Retain', 'Terminating', '', '', '<unset>', '', age, 'Filesystem'],
  },
]);

rows('storageclasses', [
  {
    name: 'the default class',
    given: {
      metadata: { name: 'std', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'a.b/c',
      allowVolumeExpansion: true,
    },
    title: 'std (default)',
    expect: ['a.b/c', 'Delete', 'Immediate', true, age],
  },
]);
