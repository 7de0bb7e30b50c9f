/** Workloads: defaults. */
import { selector, template } from '../manifests.js';
import { filledTemplate, fills } from './fills.js';

fills('deployments', [
  {
    name: 'Deployment',
    given: { spec: { selector, template } },
    expect: {
      metadata: { generation: 1 },
      spec: {
        replicas: 1,
        selector,
        template: filledTemplate,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
      status: {},
    },
  },
]);

fills('replicasets', [
  {
    name: 'ReplicaSet',
    given: { spec: { selector, template } },
    expect: {
      metadata: { generation: 1 },
      spec: { replicas: 1, selector, template: filledTemplate },
      status: { replicas: 0 },
    },
  },
]);

fills('replicationcontrollers', [
  {
    name: 'ReplicationController',
    given: { spec: { template } },
    expect: {
      metadata: { generation: 1, labels: { a: 'b' } },
      spec: { replicas: 1, selector: { a: 'b' }, template: filledTemplate },
      status: { replicas: 0 },
    },
  },
]);

fills('daemonsets', [
  {
    name: 'DaemonSet',
    given: { spec: { selector, template } },
    expect: {
      metadata: { generation: 1, annotations: { 'deprecated.daemonset.template.generation': '1' } },
      spec: {
        selector,
        template: filledTemplate,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        revisionHistoryLimit: 10,
      },
      status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
    },
  },
]);

fills('statefulsets', [
  {
    name: 'StatefulSet',
    given: {
      spec: {
        selector,
        template,
        volumeClaimTemplates: [
          {
            metadata: { name: 'v' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    },
    expect: {
      metadata: { generation: 1 },
      spec: {
        replicas: 1,
        selector,
        template: filledTemplate,
        volumeClaimTemplates: [
          {
            kind: 'PersistentVolumeClaim',
            apiVersion: 'v1',
            metadata: { name: 'v' },
            spec: {
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: '1Gi' } },
              volumeMode: 'Filesystem',
            },
            status: { phase: 'Pending' },
          },
        ],
        serviceName: '',
        podManagementPolicy: 'OrderedReady',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
        revisionHistoryLimit: 10,
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      },
      status: { replicas: 0, availableReplicas: 0 },
    },
  },
]);
