/** PersistentVolumes and PersistentVolumeClaims: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { causes } from './causes.js';

const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const volume = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] };
const others =
  'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

causes('persistentvolumeclaims', [
  {
    name: 'an empty claim',
    given: { spec: {} },
    expect: [
      'spec.accessModes: Required value: at least 1 access mode is required',
      'spec.resources[storage]: Required value',
    ],
  },
  {
    name: 'invalid values of a claim',
    given: {
      spec: {
        accessModes: ['X', 'ReadWriteOncePod', 'ReadWriteOnce'],
        resources: { requests: { storage: '0' } },
        storageClassName: 'A_',
        volumeMode: 'X',
        selector: { matchExpressions: [{ key: 'a', operator: 'X' }] },
        volumeAttributesClassName: 'A_',
      },
    },
    expect: [
      'spec.selector.matchExpressions[0].operator: Invalid value: "X": not a valid selector operator',
      'spec.accessModes: Unsupported value: "X": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
      'spec.resources[storage]: Invalid value: "0": must be greater than zero',
      `spec.storageClassName: Invalid value: "A_": ${texts.dns1123Subdomain}`,
      'spec.volumeMode: Unsupported value: "X": supported values: "Block", "Filesystem"',
      `spec.volumeAttributesClassName: Invalid value: "A_": ${texts.dns1123Subdomain}`,
    ],
  },
  {
    name: 'changed access modes',
    given: { spec: claim },
    patch: { spec: { accessModes: ['ReadWriteMany'] } },
    expect: [
      `${others}\n@@ -1,6 +1,6 @@\n {\n  "AccessModes": [\n-  "ReadWriteOnce"\n+  "ReadWriteMany"\n  ],\n  "Selector": null,\n  "Resources": {\n`,
    ],
  },
  {
    name: 'a larger request of an unbound claim',
    given: { spec: claim },
    patch: { spec: { resources: { requests: { storage: '2Gi' } } } },
    expect: [
      `${others}\n@@ -6,7 +6,7 @@\n  "Resources": {\n   "Limits": null,\n   "Requests": {\n-   "storage": "1Gi"\n+   "storage": "2Gi"\n   }\n  },\n  "VolumeName": "",\n`,
    ],
  },
  {
    name: 'a volume',
    given: { spec: claim },
    patch: { spec: { volumeName: 'v' } },
    expect: [],
  },
  {
    name: 'a changed volume mode of a claim',
    given: { spec: claim },
    patch: { spec: { volumeMode: 'Block' } },
    expect: [
      `${others}\n@@ -11,7 +11,7 @@\n  },\n  "VolumeName": "",\n  "StorageClassName": null,\n- "VolumeMode": "Filesystem",\n+ "VolumeMode": "Block",\n  "DataSource": null,\n  "DataSourceRef": null,\n  "VolumeAttributesClassName": null\n`,
      'volumeMode: Invalid value: "Block": field is immutable',
    ],
  },
  {
    name: 'an attributes class of an unbound claim',
    given: { spec: claim },
    patch: { spec: { volumeAttributesClassName: 'x' } },
    expect: [
      `${others}\n@@ -14,5 +14,5 @@\n  "VolumeMode": "Filesystem",\n  "DataSource": null,\n  "DataSourceRef": null,\n- "VolumeAttributesClassName": null\n+ "VolumeAttributesClassName": "x"\n }\n`,
    ],
  },
  {
    name: 'a changed class',
    given: { spec: { ...claim, storageClassName: 'a' } },
    patch: { spec: { storageClassName: 'b' } },
    expect: [
      `${others}\n@@ -10,7 +10,7 @@\n   }\n  },\n  "VolumeName": "",\n- "StorageClassName": "a",\n+ "StorageClassName": "b",\n  "VolumeMode": "Filesystem",\n  "DataSource": null,\n  "DataSourceRef": null,\n`,
    ],
  },
  {
    name: 'the status of a claim',
    given: { spec: claim },
    patch: {
      status: {
        capacity: { storage: '-1' },
        allocatedResources: { storage: '1Gi', cpu: '1' },
        allocatedResourceStatuses: { storage: 'X' },
      },
    },
    part: 'status',
    expect: [
      'status.capacity[storage]: Invalid value: -1: must be a valid resource quantity',
      'status.allocatedResourceStatuses: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
      'status.allocatedResources: Unsupported value: "cpu": supported values: "storage"',
    ],
  },
  {
    name: 'a fraction of a byte',
    given: {
      metadata: { name: 'v', annotations: { 'volume.beta.kubernetes.io/storage-class': 'a' } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500m' } } },
    },
    expect: [],
    warnings: [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
      'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
    ],
  },
]);

causes('persistentvolumes', [
  {
    name: 'an empty volume',
    given: { spec: {} },
    expect: [
      'spec.accessModes: Required value',
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: null: supported values: "storage"',
      'spec: Required value: must specify a volume type',
    ],
  },
  {
    name: 'two sources',
    given: {
      spec: {
        capacity: { cpu: '1' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/a' },
        nfs: { server: 's', path: '/x' },
        persistentVolumeReclaimPolicy: 'X',
      },
    },
    expect: [
      'spec.capacity: Unsupported value: {"cpu":"1"}: supported values: "storage"',
      'spec.persistentVolumeReclaimPolicy: Unsupported value: "X": supported values: "Delete", "Recycle", "Retain"',
      'spec.nfs: Forbidden: may not specify more than 1 volume type',
    ],
  },
  {
    name: 'a path with ".."',
    given: {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/../a' },
        volumeMode: 'X',
        storageClassName: 'A_',
      },
    },
    expect: [
      'spec.hostPath.path: Invalid value: "/../a": must not contain \'..\'',
      `spec.storageClassName: Invalid value: "A_": ${texts.dns1123Subdomain}`,
      'spec.volumeMode: Unsupported value: "X": supported values: "Block", "Filesystem"',
    ],
  },
  {
    name: 'a local volume without node',
    given: { spec: { ...volume, local: { path: '/a' } } },
    expect: ['spec.nodeAffinity: Required value: Local volume requires node affinity'],
  },
  {
    name: 'an invalid CSI driver',
    given: { spec: { ...volume, csi: { driver: 'A_', volumeHandle: '' } } },
    expect: [
      `spec.csi.driver: Invalid value: "A_": ${texts.dns1123Subdomain}`,
      'spec.csi.volumeHandle: Required value',
    ],
  },
  {
    name: 'a changed source',
    given: { spec: { ...volume, hostPath: { path: '/a' } } },
    patch: { spec: { hostPath: { path: '/b' } } },
    expect: [
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n@@ -2,7 +2,7 @@\n  "GCEPersistentDisk": null,\n  "AWSElasticBlockStore": null,\n  "HostPath": {\n-  "Path": "/a",\n+  "Path": "/b",\n   "Type": ""\n  },\n  "Glusterfs": null,\n',
    ],
  },
  {
    name: 'a source with an additional empty object',
    given: { spec: { ...volume, rbd: { monitors: ['a'], image: 'i' } } },
    patch: { spec: { rbd: { secretRef: {} } } },
    expect: [
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n@@ -13,7 +13,10 @@\n   "RBDPool": "rbd",\n   "RadosUser": "admin",\n   "Keyring": "/etc/ceph/keyring",\n-  "SecretRef": null,\n+  "SecretRef": {\n+   "Name": "",\n+   "Namespace": ""\n+  },\n   "ReadOnly": false\n  },\n  "Quobyte": null,\n',
    ],
  },
  {
    name: 'a claim reference',
    given: { spec: { ...volume, hostPath: { path: '/a' } } },
    patch: { spec: { claimRef: { name: 'x', namespace: 'y', uid: 'z' } } },
    expect: [],
  },
  {
    name: 'a changed volume mode of a volume',
    given: { spec: { ...volume, hostPath: { path: '/a' } } },
    patch: { spec: { volumeMode: 'Block' } },
    expect: ['volumeMode: Invalid value: "Block": field is immutable'],
  },
  {
    name: 'a removed capacity',
    given: { spec: { ...volume, hostPath: { path: '/a' } } },
    patch: { spec: { capacity: null } },
    expect: [
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: null: supported values: "storage"',
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: null: supported values: "storage"',
    ],
  },
  {
    name: 'a volume',
    given: {
      metadata: { name: 'pv', annotations: { 'volume.beta.kubernetes.io/storage-class': 'a' } },
      spec: {
        capacity: { storage: '1500m' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Recycle',
        hostPath: { path: '/a' },
      },
    },
    expect: [],
    warnings: [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    ],
  },
]);
