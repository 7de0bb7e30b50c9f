/** Defaults of native kinds, row by row of what Kubernetes 1.36 was seen to fill in. */
import t from 'tap';
import {
  type Given,
  apps,
  batch,
  core,
  cronSpec,
  metadata,
  objectOf,
  scene,
  selector,
  template,
} from './kind-scene.js';
import { refusal } from './wire.js';

t.test('KND-080 to KND-102: defaults', async t => {
  const { ask } = await scene(t);
  const cases: (Given & { readonly expect: object })[] = [
    {
      name: 'KND-080',
      path: `${apps}/deployments`,
      kind: 'Deployment',
      given: { spec: { selector, template } },
      expect: {
        metadata: { generation: 1 },
        spec: {
          replicas: 1,
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
          revisionHistoryLimit: 10,
          progressDeadlineSeconds: 600,
          template: {
            spec: {
              restartPolicy: 'Always',
              terminationGracePeriodSeconds: 30,
              dnsPolicy: 'ClusterFirst',
              securityContext: {},
              schedulerName: 'default-scheduler',
              containers: [
                {
                  imagePullPolicy: 'Always',
                  terminationMessagePath: '/dev/termination-log',
                  terminationMessagePolicy: 'File',
                },
              ],
            },
          },
        },
      },
    },
    {
      name: 'KND-082',
      path: `${core}/pods`,
      kind: 'Pod',
      given: {
        spec: {
          containers: [{ name: 'c', image: 'a:1', livenessProbe: { httpGet: { port: 80 } } }],
          volumes: [{ name: 'v' }, { name: 's', secret: { secretName: 'x' } }],
        },
      },
      expect: {
        spec: {
          enableServiceLinks: true,
          containers: [
            {
              imagePullPolicy: 'IfNotPresent',
              livenessProbe: {
                timeoutSeconds: 1,
                periodSeconds: 10,
                successThreshold: 1,
                failureThreshold: 3,
                httpGet: { path: '/', scheme: 'HTTP' },
              },
            },
          ],
          volumes: [{ emptyDir: {} }, { secret: { defaultMode: 420 } }],
          tolerations: [
            { key: 'node.kubernetes.io/not-ready', tolerationSeconds: 300 },
            { key: 'node.kubernetes.io/unreachable', tolerationSeconds: 300 },
          ],
          priority: 0,
          preemptionPolicy: 'PreemptLowerPriority',
        },
        status: { phase: 'Pending', qosClass: 'BestEffort' },
      },
    },
    {
      name: 'KND-084',
      path: `${core}/replicationcontrollers`,
      kind: 'ReplicationController',
      given: { spec: { template } },
      expect: { metadata: { labels: { a: 'b' } }, spec: { replicas: 1, selector: { a: 'b' } } },
    },
    {
      name: 'KND-085',
      path: `${apps}/statefulsets`,
      kind: 'StatefulSet',
      given: {
        spec: {
          selector,
          template,
          serviceName: 's',
          volumeClaimTemplates: [
            {
              metadata: metadata('v'),
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          ],
        },
      },
      expect: {
        spec: {
          replicas: 1,
          podManagementPolicy: 'OrderedReady',
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
          revisionHistoryLimit: 10,
          persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
          volumeClaimTemplates: [
            {
              kind: 'PersistentVolumeClaim',
              apiVersion: 'v1',
              spec: { volumeMode: 'Filesystem' },
              status: { phase: 'Pending' },
            },
          ],
        },
      },
    },
    {
      name: 'KND-086',
      path: `${apps}/daemonsets`,
      kind: 'DaemonSet',
      given: { spec: { selector, template } },
      expect: {
        metadata: { annotations: { 'deprecated.daemonset.template.generation': '1' } },
        spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } }, revisionHistoryLimit: 10 },
      },
    },
    {
      name: 'KND-087',
      path: `${batch}/jobs`,
      kind: 'Job',
      given: { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
      expect: {
        spec: {
          parallelism: 1,
          completions: 1,
          backoffLimit: 6,
          completionMode: 'NonIndexed',
          suspend: false,
          podReplacementPolicy: 'TerminatingOrFailed',
          manualSelector: false,
          selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': String } },
          template: {
            metadata: { labels: { 'batch.kubernetes.io/job-name': 'x', 'job-name': 'x', 'controller-uid': String } },
          },
        },
      },
    },
    {
      name: 'KND-088',
      path: `${batch}/cronjobs`,
      kind: 'CronJob',
      given: {
        spec: cronSpec(),
      },
      expect: {
        spec: { concurrencyPolicy: 'Allow', suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 },
      },
    },
    {
      name: 'KND-089',
      path: `${core}/services`,
      kind: 'Service',
      given: { spec: { type: 'LoadBalancer', ports: [{ port: 80 }], sessionAffinity: 'ClientIP' } },
      expect: {
        spec: {
          clusterIP: String,
          ipFamilies: ['IPv4'],
          ipFamilyPolicy: 'SingleStack',
          sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
          internalTrafficPolicy: 'Cluster',
          externalTrafficPolicy: 'Cluster',
          allocateLoadBalancerNodePorts: true,
          ports: [{ protocol: 'TCP', targetPort: 80, nodePort: Number }],
        },
        status: { loadBalancer: {} },
      },
    },
    {
      name: 'KND-091',
      path: `${core}/secrets`,
      kind: 'Secret',
      given: { stringData: { a: 'b' } },
      expect: { type: 'Opaque', data: { a: 'Yg==' } },
    },
    {
      name: 'KND-092 claim',
      path: `${core}/persistentvolumeclaims`,
      kind: 'PersistentVolumeClaim',
      given: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } } },
      expect: {
        spec: { volumeMode: 'Filesystem', resources: { requests: { storage: '1Gi' } } },
        status: { phase: 'Pending' },
      },
    },
    {
      name: 'KND-092 class',
      path: '/apis/storage.k8s.io/v1/storageclasses',
      kind: 'StorageClass',
      given: { provisioner: 'a.b/c' },
      expect: { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
    },
    {
      name: 'KND-093',
      path: '/api/v1/namespaces',
      kind: 'Namespace',
      given: {},
      expect: {
        metadata: { labels: { 'kubernetes.io/metadata.name': 'x' } },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      },
    },
    {
      name: 'KND-094',
      path: '/api/v1/nodes',
      kind: 'Node',
      given: { status: { capacity: { cpu: '1500m' } } },
      expect: {
        spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
        status: {
          allocatable: { cpu: '1500m' },
          daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
          nodeInfo: { architecture: '' },
        },
      },
    },
    {
      name: 'KND-095',
      path: '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
      kind: 'NetworkPolicy',
      given: { spec: { podSelector: {}, egress: [{ ports: [{ port: 1 }] }] } },
      expect: { spec: { policyTypes: ['Ingress', 'Egress'], egress: [{ ports: [{ protocol: 'TCP' }] }] } },
    },
    {
      name: 'KND-096',
      path: '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
      kind: 'HorizontalPodAutoscaler',
      given: { spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'x', apiVersion: 'apps/v1' } } },
      expect: {
        spec: {
          minReplicas: 1,
          metrics: [{ resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
        },
        status: { currentMetrics: null, desiredReplicas: 0 },
      },
    },
    {
      name: 'KND-097',
      path: '/apis/scheduling.k8s.io/v1/priorityclasses',
      kind: 'PriorityClass',
      given: { value: 1 },
      expect: { preemptionPolicy: 'PreemptLowerPriority' },
    },
    {
      name: 'KND-098',
      path: `${core}/limitranges`,
      kind: 'LimitRange',
      given: { spec: { limits: [{ type: 'Container', max: { cpu: '1.5' } }] } },
      expect: { spec: { limits: [{ default: { cpu: '1500m' }, defaultRequest: { cpu: '1500m' } }] } },
    },
    {
      name: 'KND-099',
      path: '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings',
      kind: 'RoleBinding',
      given: { roleRef: { kind: 'Role', name: 'x' }, subjects: [{ kind: 'User', name: 'u' }] },
      expect: {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io' }],
      },
    },
    {
      name: 'KND-101',
      path: '/apis/storage.k8s.io/v1/csidrivers',
      kind: 'CSIDriver',
      given: { spec: {} },
      expect: {
        spec: {
          attachRequired: true,
          podInfoOnMount: false,
          storageCapacity: false,
          fsGroupPolicy: 'ReadWriteOnceWithFSType',
          volumeLifecycleModes: ['Persistent'],
          requiresRepublish: false,
          seLinuxMount: false,
        },
      },
    },
    {
      name: 'KND-090',
      path: `${core}/endpoints`,
      kind: 'Endpoints',
      given: { subsets: [{ addresses: [{ ip: '10.1.1.2' }, { ip: '10.1.1.1' }], ports: [{ port: 80 }] }] },
      expect: { subsets: [{ addresses: [{ ip: '10.1.1.2' }, { ip: '10.1.1.1' }], ports: [{ protocol: 'TCP' }] }] },
    },
    {
      name: 'KND-100',
      path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
      kind: 'ValidatingAdmissionPolicy',
      given: {
        spec: {
          matchConstraints: {
            resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
          },
          validations: [{ expression: 'true' }],
        },
      },
      expect: {
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: {
            matchPolicy: 'Equivalent',
            namespaceSelector: {},
            objectSelector: {},
            resourceRules: [{ scope: '*' }],
          },
        },
      },
    },
    {
      name: 'KND-101 flows',
      path: '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
      kind: 'PriorityLevelConfiguration',
      given: { spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } } },
      expect: {
        spec: {
          limited: {
            nominalConcurrencyShares: 30,
            lendablePercent: 0,
            limitResponse: { queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
          },
        },
      },
    },
  ];
  await ask(`POST ${core}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: metadata('default'),
  });
  for (const each of cases) {
    const reply = await ask(`POST ${each.path}?dryRun=All`, objectOf(each));
    t.equal(reply.status, 201, `${each.name} ${reply.status === 201 ? '' : refusal(reply)}`);
    t.match(reply.object, each.expect, each.name);
  }
});
