/** All that is filled in, row by row of what Kubernetes 1.36 was seen to fill in: nothing more, nothing less. */
import t from 'tap';
import { apps, batch, core, objectOf, scene } from './kind-scene.js';
import { refusal } from './wire.js';

const containers = [{ name: 'c', image: 'i' }];
const template = { metadata: { labels: { a: 'b' } }, spec: { containers } };
const selector = { matchLabels: { a: 'b' } };
const once = { spec: { restartPolicy: 'Never', containers } };
const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' };
const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }];
const webhook = {
  name: 'a.b.c',
  clientConfig: { service: { name: 's', namespace: 'n' } },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: resourceRules,
};
/** What every pod template gets, and every container and probe in it. */
const podFill = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
};
const containerFill = {
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'Always',
};
const probeFill = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };

interface Case {
  readonly name: string;
  readonly path: string;
  readonly kind: string;
  readonly given: object;
  /** Without what every object has; `UID` and `TIME` are those of the object. */
  readonly expect: object;
}

const cases: readonly Case[] = [
  {
    name: 'KND-081 images, ports, accounts',
    path: `${core}/podtemplates`,
    kind: 'PodTemplate',
    given: {
      template: {
        metadata: { labels: { a: 'b' } },
        spec: {
          serviceAccountName: 's',
          containers: [
            { name: 'a', image: 'i' },
            { name: 'b', image: 'i:latest' },
            { name: 'c', image: 'i:1' },
            { name: 'd', image: 'r:5000/i' },
            { name: 'e', image: 'i@sha256:0000000000000000000000000000000000000000000000000000000000000000' },
            { name: 'f', image: 'i', ports: [{ containerPort: 1 }] },
          ],
        },
      },
    },
    expect: {
      metadata: { generation: 1 },
      template: {
        metadata: { labels: { a: 'b' } },
        spec: {
          ...podFill,
          containers: [
            { ...containerFill, name: 'a', image: 'i' },
            { ...containerFill, name: 'b', image: 'i:latest' },
            { ...containerFill, name: 'c', image: 'i:1', imagePullPolicy: 'IfNotPresent' },
            { ...containerFill, name: 'd', image: 'r:5000/i' },
            {
              ...containerFill,
              name: 'e',
              image: 'i@sha256:0000000000000000000000000000000000000000000000000000000000000000',
              imagePullPolicy: 'IfNotPresent',
            },
            { ...containerFill, name: 'f', image: 'i', ports: [{ containerPort: 1, protocol: 'TCP' }] },
          ],
          serviceAccountName: 's',
          serviceAccount: 's',
        },
      },
    },
  },
  {
    name: 'KND-081 the account by its older name',
    path: `${core}/podtemplates`,
    kind: 'PodTemplate',
    given: { template: { metadata: { labels: { a: 'b' } }, spec: { serviceAccount: 's', containers } } },
    expect: {
      metadata: { generation: 1 },
      template: {
        metadata: { labels: { a: 'b' } },
        spec: {
          ...podFill,
          containers: [{ ...containerFill, name: 'c', image: 'i' }],
          serviceAccountName: 's',
          serviceAccount: 's',
        },
      },
    },
  },
  {
    name: 'KND-082 probes and fields',
    path: `${core}/podtemplates`,
    kind: 'PodTemplate',
    given: {
      template: {
        metadata: { labels: { a: 'b' } },
        spec: {
          containers: [
            {
              name: 'a',
              image: 'i',
              livenessProbe: { grpc: { port: 1 } },
              readinessProbe: { tcpSocket: { port: 1 } },
              startupProbe: { httpGet: { port: 1 } },
              lifecycle: { preStop: { httpGet: { port: 1 } } },
              env: [{ name: 'a', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
            },
          ],
        },
      },
    },
    expect: {
      metadata: { generation: 1 },
      template: {
        metadata: { labels: { a: 'b' } },
        spec: {
          ...podFill,
          containers: [
            {
              ...containerFill,
              name: 'a',
              image: 'i',
              env: [{ name: 'a', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
              livenessProbe: { ...probeFill, grpc: { port: 1, service: '' } },
              readinessProbe: { ...probeFill, tcpSocket: { port: 1 } },
              startupProbe: { ...probeFill, httpGet: { path: '/', port: 1, scheme: 'HTTP' } },
              lifecycle: { preStop: { httpGet: { path: '/', port: 1, scheme: 'HTTP' } } },
            },
          ],
        },
      },
    },
  },
  {
    name: 'KND-082 volumes',
    path: `${core}/podtemplates`,
    kind: 'PodTemplate',
    given: {
      template: {
        metadata: { labels: { a: 'b' } },
        spec: {
          containers,
          volumes: [
            { name: 'a' },
            { name: 'b', secret: { secretName: 's' } },
            { name: 'c', configMap: { name: 's' } },
            { name: 'd', projected: { sources: [{ serviceAccountToken: { path: 'p' } }] } },
            { name: 'e', downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: 'metadata.name' } }] } },
            { name: 'f', hostPath: { path: '/' } },
            { name: 'g', iscsi: { targetPortal: '1.1.1.1', iqn: 'iqn.2015-02.example.com:test', lun: 0 } },
            { name: 'h', rbd: { monitors: ['m'], image: 'i' } },
            { name: 'i', scaleIO: { gateway: 'g', system: 's', secretRef: { name: 'x' }, volumeName: 'v' } },
            { name: 'j', azureDisk: { diskName: 'd', diskURI: 'https://a/b' } },
          ],
        },
      },
    },
    expect: {
      metadata: { generation: 1 },
      template: {
        metadata: { labels: { a: 'b' } },
        spec: {
          ...podFill,
          volumes: [
            { name: 'a', emptyDir: {} },
            { name: 'b', secret: { secretName: 's', defaultMode: 420 } },
            { name: 'c', configMap: { name: 's', defaultMode: 420 } },
            {
              name: 'd',
              projected: {
                sources: [{ serviceAccountToken: { expirationSeconds: 3600, path: 'p' } }],
                defaultMode: 420,
              },
            },
            {
              name: 'e',
              downwardAPI: {
                items: [{ path: 'p', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } }],
                defaultMode: 420,
              },
            },
            { name: 'f', hostPath: { path: '/', type: '' } },
            {
              name: 'g',
              iscsi: {
                targetPortal: '1.1.1.1',
                iqn: 'iqn.2015-02.example.com:test',
                lun: 0,
                iscsiInterface: 'default',
              },
            },
            {
              name: 'h',
              rbd: { monitors: ['m'], image: 'i', pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
            },
            {
              name: 'i',
              scaleIO: {
                gateway: 'g',
                system: 's',
                secretRef: { name: 'x' },
                storageMode: 'ThinProvisioned',
                volumeName: 'v',
                fsType: 'xfs',
              },
            },
            {
              name: 'j',
              azureDisk: {
                diskName: 'd',
                diskURI: 'https://a/b',
                cachingMode: 'ReadWrite',
                fsType: 'ext4',
                readOnly: false,
                kind: 'Shared',
              },
            },
          ],
          containers: [{ ...containerFill, name: 'c', image: 'i' }],
        },
      },
    },
  },
  {
    name: 'KND-083 a pod of the network of its host, with limits',
    path: `${core}/pods`,
    kind: 'Pod',
    given: {
      spec: {
        hostNetwork: true,
        automountServiceAccountToken: false,
        containers: [
          {
            name: 'c',
            image: 'i:1',
            ports: [{ containerPort: 80 }],
            resources: { limits: { cpu: '1', memory: '1Gi' } },
          },
        ],
      },
    },
    expect: {
      metadata: { generation: 1 },
      spec: {
        ...podFill,
        containers: [
          {
            ...containerFill,
            name: 'c',
            image: 'i:1',
            ports: [{ hostPort: 80, containerPort: 80, protocol: 'TCP' }],
            resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } },
            imagePullPolicy: 'IfNotPresent',
          },
        ],
        serviceAccountName: 'default',
        serviceAccount: 'default',
        automountServiceAccountToken: false,
        hostNetwork: true,
        tolerations: [
          { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
          { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
        ],
        priority: 0,
        enableServiceLinks: true,
        preemptionPolicy: 'PreemptLowerPriority',
      },
      status: { phase: 'Pending', qosClass: 'Guaranteed' },
    },
  },
  {
    name: 'KND-084 ReplicaSet',
    path: `${apps}/replicasets`,
    kind: 'ReplicaSet',
    given: { spec: { selector, template } },
    expect: {
      metadata: { generation: 1 },
      spec: {
        replicas: 1,
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { ...podFill, containers: [{ ...containerFill, name: 'c', image: 'i' }] },
        },
      },
      status: { replicas: 0 },
    },
  },
  {
    name: 'KND-084 ReplicationController',
    path: `${core}/replicationcontrollers`,
    kind: 'ReplicationController',
    given: { spec: { template } },
    expect: {
      metadata: { generation: 1, labels: { a: 'b' } },
      spec: {
        replicas: 1,
        selector: { a: 'b' },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { ...podFill, containers: [{ ...containerFill, name: 'c', image: 'i' }] },
        },
      },
      status: { replicas: 0 },
    },
  },
  {
    name: 'KND-080 Deployment',
    path: `${apps}/deployments`,
    kind: 'Deployment',
    given: { spec: { selector, template } },
    expect: {
      metadata: { generation: 1 },
      spec: {
        replicas: 1,
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { ...podFill, containers: [{ ...containerFill, name: 'c', image: 'i' }] },
        },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
      status: {},
    },
  },
  {
    name: 'KND-085 StatefulSet',
    path: `${apps}/statefulsets`,
    kind: 'StatefulSet',
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
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { ...podFill, containers: [{ ...containerFill, name: 'c', image: 'i' }] },
        },
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
  {
    name: 'KND-086 DaemonSet',
    path: `${apps}/daemonsets`,
    kind: 'DaemonSet',
    given: { spec: { selector, template } },
    expect: {
      metadata: { generation: 1, annotations: { 'deprecated.daemonset.template.generation': '1' } },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { ...podFill, containers: [{ ...containerFill, name: 'c', image: 'i' }] },
        },
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        revisionHistoryLimit: 10,
      },
      status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
    },
  },
  {
    name: 'KND-087 a job',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once } },
    expect: {
      metadata: {
        generation: 1,
        labels: {
          'batch.kubernetes.io/controller-uid': 'UID',
          'batch.kubernetes.io/job-name': 'x',
          'controller-uid': 'UID',
          'job-name': 'x',
        },
      },
      spec: {
        parallelism: 1,
        completions: 1,
        backoffLimit: 6,
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'UID' } },
        manualSelector: false,
        template: {
          metadata: {
            labels: {
              'batch.kubernetes.io/controller-uid': 'UID',
              'batch.kubernetes.io/job-name': 'x',
              'controller-uid': 'UID',
              'job-name': 'x',
            },
          },
          spec: { ...podFill, containers: [{ ...containerFill, name: 'c', image: 'i' }], restartPolicy: 'Never' },
        },
        completionMode: 'NonIndexed',
        suspend: false,
        podReplacementPolicy: 'TerminatingOrFailed',
      },
      status: {},
    },
  },
  {
    name: 'KND-087 a job that tells failures apart',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: {
      spec: { template: once, podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'D' }] }] } },
    },
    expect: {
      metadata: {
        generation: 1,
        labels: {
          'batch.kubernetes.io/controller-uid': 'UID',
          'batch.kubernetes.io/job-name': 'x',
          'controller-uid': 'UID',
          'job-name': 'x',
        },
      },
      spec: {
        parallelism: 1,
        completions: 1,
        podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'D', status: 'True' }] }] },
        backoffLimit: 6,
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'UID' } },
        manualSelector: false,
        template: {
          metadata: {
            labels: {
              'batch.kubernetes.io/controller-uid': 'UID',
              'batch.kubernetes.io/job-name': 'x',
              'controller-uid': 'UID',
              'job-name': 'x',
            },
          },
          spec: { ...podFill, containers: [{ ...containerFill, name: 'c', image: 'i' }], restartPolicy: 'Never' },
        },
        completionMode: 'NonIndexed',
        suspend: false,
        podReplacementPolicy: 'Failed',
      },
      status: {},
    },
  },
  {
    name: 'KND-087 pods beside each other: no completions',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once, parallelism: 2 } },
    expect: {
      metadata: {
        generation: 1,
        labels: {
          'batch.kubernetes.io/controller-uid': 'UID',
          'batch.kubernetes.io/job-name': 'x',
          'controller-uid': 'UID',
          'job-name': 'x',
        },
      },
      spec: {
        parallelism: 2,
        backoffLimit: 6,
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'UID' } },
        manualSelector: false,
        template: {
          metadata: {
            labels: {
              'batch.kubernetes.io/controller-uid': 'UID',
              'batch.kubernetes.io/job-name': 'x',
              'controller-uid': 'UID',
              'job-name': 'x',
            },
          },
          spec: { ...podFill, containers: [{ ...containerFill, name: 'c', image: 'i' }], restartPolicy: 'Never' },
        },
        completionMode: 'NonIndexed',
        suspend: false,
        podReplacementPolicy: 'TerminatingOrFailed',
      },
      status: {},
    },
  },
  {
    name: 'KND-087 a limit for each index',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once, backoffLimitPerIndex: 1, completionMode: 'Indexed', completions: 2 } },
    expect: {
      metadata: {
        generation: 1,
        labels: {
          'batch.kubernetes.io/controller-uid': 'UID',
          'batch.kubernetes.io/job-name': 'x',
          'controller-uid': 'UID',
          'job-name': 'x',
        },
      },
      spec: {
        parallelism: 1,
        completions: 2,
        backoffLimit: 2147483647,
        backoffLimitPerIndex: 1,
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'UID' } },
        manualSelector: false,
        template: {
          metadata: {
            labels: {
              'batch.kubernetes.io/controller-uid': 'UID',
              'batch.kubernetes.io/job-name': 'x',
              'controller-uid': 'UID',
              'job-name': 'x',
            },
          },
          spec: { ...podFill, containers: [{ ...containerFill, name: 'c', image: 'i' }], restartPolicy: 'Never' },
        },
        completionMode: 'Indexed',
        suspend: false,
        podReplacementPolicy: 'TerminatingOrFailed',
      },
      status: {},
    },
  },
  {
    name: 'KND-088 the jobs of a CronJob are not filled in',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { spec: { schedule: '* * * * *', jobTemplate: { spec: { template: once } } } },
    expect: {
      metadata: { generation: 1 },
      spec: {
        schedule: '* * * * *',
        concurrencyPolicy: 'Allow',
        suspend: false,
        jobTemplate: {
          metadata: {},
          spec: {
            template: {
              metadata: {},
              spec: { ...podFill, containers: [{ ...containerFill, name: 'c', image: 'i' }], restartPolicy: 'Never' },
            },
          },
        },
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
      },
      status: {},
    },
  },
  {
    name: 'KND-089 a service with ports',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { ports: [{ port: 80 }] } },
    expect: {
      spec: {
        ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
        clusterIP: '10.96.0.0',
        clusterIPs: ['10.96.0.0'],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
      },
      status: { loadBalancer: {} },
    },
  },
  {
    name: 'KND-089 a service on nodes',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { type: 'NodePort', ports: [{ port: 80, targetPort: 'x' }] } },
    expect: {
      spec: {
        ports: [{ protocol: 'TCP', port: 80, targetPort: 'x', nodePort: 32769 }],
        clusterIP: '10.96.0.0',
        clusterIPs: ['10.96.0.0'],
        type: 'NodePort',
        sessionAffinity: 'None',
        externalTrafficPolicy: 'Cluster',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
      },
      status: { loadBalancer: {} },
    },
  },
  {
    name: 'KND-089 a service without address and pods',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { clusterIP: 'None' } },
    expect: {
      spec: {
        clusterIP: 'None',
        clusterIPs: ['None'],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ipFamilies: ['IPv4', 'IPv6'],
        ipFamilyPolicy: 'RequireDualStack',
        internalTrafficPolicy: 'Cluster',
      },
      status: { loadBalancer: {} },
    },
  },
  {
    name: 'KND-089 a service without address',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { clusterIP: 'None', selector: { a: 'b' } } },
    expect: {
      spec: {
        selector: { a: 'b' },
        clusterIP: 'None',
        clusterIPs: ['None'],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
      },
      status: { loadBalancer: {} },
    },
  },
  {
    name: 'KND-089 a service elsewhere',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { type: 'ExternalName', externalName: 'a.b' } },
    expect: {
      spec: { type: 'ExternalName', sessionAffinity: 'None', externalName: 'a.b' },
      status: { loadBalancer: {} },
    },
  },
  {
    name: 'KND-089 a service balanced, each node for itself',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [{ port: 80 }] } },
    expect: {
      spec: {
        ports: [{ protocol: 'TCP', port: 80, targetPort: 80, nodePort: 32769 }],
        clusterIP: '10.96.0.0',
        clusterIPs: ['10.96.0.0'],
        type: 'LoadBalancer',
        sessionAffinity: 'None',
        externalTrafficPolicy: 'Local',
        healthCheckNodePort: 32770,
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        allocateLoadBalancerNodePorts: true,
        internalTrafficPolicy: 'Cluster',
      },
      status: { loadBalancer: {} },
    },
  },
  {
    name: 'KND-089 a service that remembers',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { sessionAffinity: 'ClientIP', ports: [{ port: 80 }] } },
    expect: {
      spec: {
        ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
        clusterIP: '10.96.0.0',
        clusterIPs: ['10.96.0.0'],
        type: 'ClusterIP',
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
      },
      status: { loadBalancer: {} },
    },
  },
  {
    name: 'KND-090 a slice',
    path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    kind: 'EndpointSlice',
    given: { addressType: 'IPv4', endpoints: [{ addresses: ['1.2.3.4'] }], ports: [{ port: 80 }] },
    expect: {
      metadata: { generation: 1 },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['1.2.3.4'], conditions: {} }],
      ports: [{ name: '', protocol: 'TCP', port: 80 }],
    },
  },
  {
    name: 'KND-090 endpoints stay as they are',
    path: `${core}/endpoints`,
    kind: 'Endpoints',
    given: {
      subsets: [
        {
          addresses: [{ ip: '1.2.3.5' }, { ip: '1.2.3.4' }],
          ports: [
            { port: 80, name: 'b' },
            { port: 79, name: 'a' },
          ],
        },
      ],
    },
    expect: {
      subsets: [
        {
          addresses: [{ ip: '1.2.3.5' }, { ip: '1.2.3.4' }],
          ports: [
            { name: 'b', port: 80, protocol: 'TCP' },
            { name: 'a', port: 79, protocol: 'TCP' },
          ],
        },
      ],
    },
  },
  {
    name: 'KND-091 text goes before data',
    path: `${core}/secrets`,
    kind: 'Secret',
    given: { stringData: { a: 'b', c: 'd' }, data: { a: 'eA==', e: '' } },
    expect: { data: { a: 'Yg==', c: 'ZA==', e: '' }, type: 'Opaque' },
  },
  {
    name: 'KND-092 a volume',
    path: '/api/v1/persistentvolumes',
    kind: 'PersistentVolume',
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
  {
    name: 'KND-092 a claim of data',
    path: `${core}/persistentvolumeclaims`,
    kind: 'PersistentVolumeClaim',
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
    name: 'KND-092 a class',
    path: '/apis/storage.k8s.io/v1/storageclasses',
    kind: 'StorageClass',
    given: { provisioner: 'a.b/c' },
    expect: { provisioner: 'a.b/c', reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
  },
  {
    name: 'KND-093 a label that is taken back',
    path: '/api/v1/namespaces',
    kind: 'Namespace',
    given: { metadata: { name: 'labelled', labels: { 'kubernetes.io/metadata.name': 'z' } } },
    expect: {
      metadata: { labels: { 'kubernetes.io/metadata.name': 'labelled' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    },
  },
  {
    name: 'KND-094 a node',
    path: '/api/v1/nodes',
    kind: 'Node',
    given: { spec: { podCIDR: '10.0.0.0/24' }, status: { capacity: { cpu: '1.5' } } },
    expect: {
      spec: {
        podCIDR: '10.0.0.0/24',
        podCIDRs: ['10.0.0.0/24'],
        taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }],
      },
      status: {
        capacity: { cpu: '1500m' },
        allocatable: { cpu: '1500m' },
        daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
        nodeInfo: {
          machineID: '',
          systemUUID: '',
          bootID: '',
          kernelVersion: '',
          osImage: '',
          containerRuntimeVersion: '',
          kubeletVersion: '',
          kubeProxyVersion: '',
          operatingSystem: '',
          architecture: '',
        },
      },
    },
  },
  {
    name: 'KND-095 an ingress',
    path: '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    kind: 'Ingress',
    given: { spec: { defaultBackend: { service: { name: 's', port: { number: 1 } } } } },
    expect: {
      metadata: { generation: 1 },
      spec: { defaultBackend: { service: { name: 's', port: { number: 1 } } } },
      status: { loadBalancer: {} },
    },
  },
  {
    name: 'KND-095 a class of ingresses',
    path: '/apis/networking.k8s.io/v1/ingressclasses',
    kind: 'IngressClass',
    given: { spec: { controller: 'a.b/c', parameters: { kind: 'k', name: 'n' } } },
    expect: {
      metadata: { generation: 1 },
      spec: { controller: 'a.b/c', parameters: { kind: 'k', name: 'n', scope: 'Cluster' } },
    },
  },
  {
    name: 'KND-095 a policy of nothing',
    path: '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    kind: 'NetworkPolicy',
    given: { spec: { podSelector: {} } },
    expect: { metadata: { generation: 1 }, spec: { podSelector: {}, policyTypes: ['Ingress'] } },
  },
  {
    name: 'KND-096 metrics',
    path: '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    given: { spec: { maxReplicas: 3, scaleTargetRef: target } },
    expect: {
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'x', apiVersion: 'apps/v1' },
        minReplicas: 1,
        maxReplicas: 3,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
        ],
      },
      status: { desiredReplicas: 0, currentMetrics: null },
    },
  },
  {
    name: 'KND-096 as it was first',
    path: '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    given: { spec: { maxReplicas: 3, scaleTargetRef: target } },
    expect: {
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'x', apiVersion: 'apps/v1' },
        minReplicas: 1,
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 80,
      },
      status: { currentReplicas: 0, desiredReplicas: 0 },
    },
  },
  {
    name: 'KND-096 behavior upwards',
    path: '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    given: {
      spec: { maxReplicas: 3, scaleTargetRef: target, behavior: { scaleUp: { stabilizationWindowSeconds: 5 } } },
    },
    expect: {
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'x', apiVersion: 'apps/v1' },
        minReplicas: 1,
        maxReplicas: 3,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
        ],
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: 5,
            selectPolicy: 'Max',
            policies: [
              { type: 'Pods', value: 4, periodSeconds: 15 },
              { type: 'Percent', value: 100, periodSeconds: 15 },
            ],
          },
          scaleDown: { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
        },
      },
      status: { desiredReplicas: 0, currentMetrics: null },
    },
  },
  {
    name: 'KND-096 behavior downwards',
    path: '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    given: { spec: { maxReplicas: 3, scaleTargetRef: target, behavior: { scaleDown: { selectPolicy: 'Min' } } } },
    expect: {
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'x', apiVersion: 'apps/v1' },
        minReplicas: 1,
        maxReplicas: 3,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
        ],
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: 0,
            selectPolicy: 'Max',
            policies: [
              { type: 'Pods', value: 4, periodSeconds: 15 },
              { type: 'Percent', value: 100, periodSeconds: 15 },
            ],
          },
          scaleDown: { selectPolicy: 'Min', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
        },
      },
      status: { desiredReplicas: 0, currentMetrics: null },
    },
  },
  {
    name: 'KND-097 a budget',
    path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
    kind: 'PodDisruptionBudget',
    given: { spec: { minAvailable: 1 } },
    expect: {
      metadata: { generation: 1 },
      spec: { minAvailable: 1 },
      status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    },
  },
  {
    name: 'KND-097 a priority',
    path: '/apis/scheduling.k8s.io/v1/priorityclasses',
    kind: 'PriorityClass',
    given: { value: 1 },
    expect: { metadata: { generation: 1 }, value: 1, preemptionPolicy: 'PreemptLowerPriority' },
  },
  {
    name: 'KND-097 a runtime',
    path: '/apis/node.k8s.io/v1/runtimeclasses',
    kind: 'RuntimeClass',
    given: { handler: 'h' },
    expect: { handler: 'h' },
  },
  {
    name: 'KND-097 a lease',
    path: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    kind: 'Lease',
    given: { spec: {} },
    expect: { spec: {} },
  },
  {
    name: 'KND-098 the least is asked for',
    path: `${core}/limitranges`,
    kind: 'LimitRange',
    given: { spec: { limits: [{ type: 'Container', min: { cpu: '1' } }] } },
    expect: { spec: { limits: [{ type: 'Container', min: { cpu: '1' }, defaultRequest: { cpu: '1' } }] } },
  },
  {
    name: 'KND-098 the default is asked for',
    path: `${core}/limitranges`,
    kind: 'LimitRange',
    given: { spec: { limits: [{ type: 'Container', default: { cpu: '2' }, min: { cpu: '1' } }] } },
    expect: {
      spec: { limits: [{ type: 'Container', min: { cpu: '1' }, default: { cpu: '2' }, defaultRequest: { cpu: '2' } }] },
    },
  },
  {
    name: 'KND-098 the most is the default',
    path: `${core}/limitranges`,
    kind: 'LimitRange',
    given: { spec: { limits: [{ type: 'Container', max: { cpu: '1.5' }, min: { cpu: '1' } }] } },
    expect: {
      spec: {
        limits: [
          {
            type: 'Container',
            max: { cpu: '1500m' },
            min: { cpu: '1' },
            default: { cpu: '1500m' },
            defaultRequest: { cpu: '1500m' },
          },
        ],
      },
    },
  },
  {
    name: 'KND-098 pods have none',
    path: `${core}/limitranges`,
    kind: 'LimitRange',
    given: { spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } },
    expect: { spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } },
  },
  {
    name: 'KND-098 quantities',
    path: `${core}/resourcequotas`,
    kind: 'ResourceQuota',
    given: { spec: { hard: { cpu: '1.5', memory: '1024Mi', 'requests.storage': '1000M', pods: '1e1' } } },
    expect: { spec: { hard: { cpu: '1500m', memory: '1Gi', pods: '10', 'requests.storage': '1G' } }, status: {} },
  },
  {
    name: 'KND-099 subjects',
    path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    kind: 'ClusterRoleBinding',
    given: {
      roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'Group', name: 'g' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      ],
    },
    expect: {
      subjects: [
        { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'u' },
        { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'g' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      ],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    },
  },
  {
    name: 'KND-100 a policy',
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    kind: 'ValidatingAdmissionPolicy',
    given: { spec: { matchConstraints: { resourceRules }, validations: [{ expression: 'true' }] } },
    expect: {
      metadata: { generation: 1 },
      spec: {
        matchConstraints: {
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' }],
          matchPolicy: 'Equivalent',
        },
        validations: [{ expression: 'true' }],
        failurePolicy: 'Fail',
      },
      status: {},
    },
  },
  {
    name: 'KND-100 a binding',
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
    kind: 'ValidatingAdmissionPolicyBinding',
    given: { spec: { policyName: 'p', validationActions: ['Deny'], matchResources: {} } },
    expect: {
      metadata: { generation: 1 },
      spec: {
        policyName: 'p',
        matchResources: { namespaceSelector: {}, objectSelector: {}, matchPolicy: 'Equivalent' },
        validationActions: ['Deny'],
      },
    },
  },
  {
    name: 'KND-100 a webhook that judges',
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    given: { webhooks: [webhook] },
    expect: {
      metadata: { generation: 1 },
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { service: { namespace: 'n', name: 's', port: 443 } },
          rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' }],
          failurePolicy: 'Fail',
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          sideEffects: 'None',
          timeoutSeconds: 10,
          admissionReviewVersions: ['v1'],
        },
      ],
    },
  },
  {
    name: 'KND-100 a webhook that changes',
    path: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    kind: 'MutatingWebhookConfiguration',
    given: { webhooks: [webhook] },
    expect: {
      metadata: { generation: 1 },
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { service: { namespace: 'n', name: 's', port: 443 } },
          rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' }],
          failurePolicy: 'Fail',
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          sideEffects: 'None',
          timeoutSeconds: 10,
          admissionReviewVersions: ['v1'],
          reinvocationPolicy: 'Never',
        },
      ],
    },
  },
  {
    name: 'KND-101 a service of an API',
    path: '/apis/apiregistration.k8s.io/v1/apiservices',
    kind: 'APIService',
    given: {
      metadata: { name: 'v1.a.b' },
      spec: {
        group: 'a.b',
        version: 'v1',
        service: { name: 's', namespace: 'n' },
        groupPriorityMinimum: 1,
        versionPriority: 1,
        insecureSkipTLSVerify: true,
      },
    },
    expect: {
      spec: {
        service: { namespace: 'n', name: 's', port: 443 },
        group: 'a.b',
        version: 'v1',
        insecureSkipTLSVerify: true,
        groupPriorityMinimum: 1,
        versionPriority: 1,
      },
      status: {},
    },
  },
  {
    name: 'KND-101 flows',
    path: '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
    kind: 'FlowSchema',
    given: { spec: { priorityLevelConfiguration: { name: 'x' } } },
    expect: {
      metadata: { generation: 1 },
      spec: { priorityLevelConfiguration: { name: 'x' }, matchingPrecedence: 1000 },
      status: {},
    },
  },
  {
    name: 'KND-101 a level',
    path: '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
    kind: 'PriorityLevelConfiguration',
    given: { spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } } },
    expect: {
      metadata: { generation: 1 },
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: 30,
          limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
          lendablePercent: 0,
        },
      },
      status: {},
    },
  },
  {
    name: 'KND-101 a driver',
    path: '/apis/storage.k8s.io/v1/csidrivers',
    kind: 'CSIDriver',
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
  {
    name: 'KND-102 an event',
    path: `${core}/events`,
    kind: 'Event',
    given: { involvedObject: { namespace: 'default' } },
    expect: {
      involvedObject: { namespace: 'default' },
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    },
  },
];

/** Whole, but for what no two objects have in common. */
function filled(object: object): object {
  const {
    apiVersion: _v,
    kind: _k,
    metadata,
    ...rest
  } = object as { metadata: Record<string, unknown> } & object & {
      apiVersion: string;
      kind: string;
    };
  const { name: _n, namespace: _ns, uid, creationTimestamp: _c, managedFields: _m, ...more } = metadata;
  const left = { ...(Object.keys(more).length > 0 && { metadata: more }), ...rest };
  const text = JSON.stringify(left).replace(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/g, '"TIME"');
  return JSON.parse(typeof uid === 'string' ? text.replaceAll(uid, 'UID') : text) as object;
}

t.test('KND-080 to KND-102: all that is filled in', async t => {
  const { ask } = await scene(t);
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await ask(`POST ${core}/serviceaccounts`, account);
  for (const each of cases) {
    const reply = await ask(`POST ${each.path}?dryRun=All`, objectOf(each));
    t.equal(reply.status, 201, `${each.name} ${reply.status === 201 ? '' : refusal(reply)}`);
    t.strictSame(filled(reply.object), each.expect, each.name);
  }
});
