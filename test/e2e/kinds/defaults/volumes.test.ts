/** Secrets, volumes, claims and storage classes: defaults. */
import { testDefaults } from './defaults.js';

testDefaults('secrets', [
  {
    name: 'stringData overrides data',
    given: { stringData: { a: 'b', c: 'd' }, data: { a: 'eA==', e: '' } },
    expect: { data: { a: 'Yg==', c: 'ZA==', e: '' }, type: 'Opaque' },
  },
]);

testDefaults('persistentvolumes', [
  {
    name: 'a volume',
    given: { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } } },
    expect: {
      spec: {
        capacity: { storage: '1Gi' },
        hostPath: { path: '/a', type: '' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        volumeMode: 'Filesystem',
      },
      status: { phase: 'Pending', lastPhaseTransitionTime: 'TIME' },
    },
  },
]);

testDefaults('persistentvolumeclaims', [
  {
    name: 'a claim with a data source',
    given: {
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1024Mi' } },
        dataSource: { kind: 'PersistentVolumeClaim', name: 'a' },
      },
    },
    expect: {
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        volumeMode: 'Filesystem',
        dataSource: { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'a' },
        dataSourceRef: { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'a' },
      },
      status: { phase: 'Pending' },
    },
  },
  {
    name: 'a claim',
    given: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } } },
    expect: {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeMode: 'Filesystem' },
      status: { phase: 'Pending' },
    },
  },
]);

testDefaults('storageclasses', [
  {
    name: 'a storage class',
    given: { provisioner: 'a.b/c' },
    expect: { provisioner: 'a.b/c', reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
  },
]);

testDefaults('csidrivers', [
  {
    name: 'a CSI driver',
    given: { spec: {} },
    expect: {
      spec: {
        attachRequired: true,
        podInfoOnMount: false,
        volumeLifecycleModes: ['Persistent'],
        storageCapacity: false,
        fsGroupPolicy: 'ReadWriteOnceWithFSType',
        requiresRepublish: false,
        seLinuxMount: false,
      },
    },
  },
]);
