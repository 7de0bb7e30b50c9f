/** Workloads: defaults. */
import { selector, template } from '../manifests.js';
import { defaultedTemplate, testDefaults } from './defaults.js';

testDefaults('deployments', [
  {
    name: 'Deployment',
    given: { spec: { selector, template } },
    expect: {
      metadata: { generation: 1 },
      spec: {
        replicas: 1,
        selector,
        template: defaultedTemplate,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
      status: {},
    },
  },
]);

testDefaults('replicasets', [
  {
    name: 'ReplicaSet',
    given: { spec: { selector, template } },
    expect: {
      metadata: { generation: 1 },
      spec: { replicas: 1, selector, template: defaultedTemplate },
      status: { replicas: 0 },
    },
  },
]);

testDefaults('replicationcontrollers', [
  {
    name: 'ReplicationController',
    given: { spec: { template } },
    expect: {
      metadata: { generation: 1, labels: { a: 'b' } },
      spec: { replicas: 1, selector: { a: 'b' }, template: defaultedTemplate },
      status: { replicas: 0 },
    },
  },
]);

testDefaults('daemonsets', [
  {
    name: 'DaemonSet',
    given: { spec: { selector, template } },
    expect: {
      metadata: { generation: 1, annotations: { 'deprecated.daemonset.template.generation': '1' } },
      spec: {
        selector,
        template: defaultedTemplate,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        revisionHistoryLimit: 10,
      },
      status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
    },
  },
]);

testDefaults('statefulsets', [
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
        template: defaultedTemplate,
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
