/** Native kinds over a real socket, row by row of what Kubernetes 1.36 was seen to do. */
import t, { type Test } from 'tap';
import { runningServer } from '../apiserver/running.js';
import { kindFacts } from './kind-facts.js';
import { type Reply, type Wired, wire } from './wire.js';

const json = 'application/json';
const merge = 'application/merge-patch+json';
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

interface Scene {
  ask(what: string, body?: unknown, type?: string): Promise<Reply>;
  cells(path: string): Promise<readonly unknown[]>;
}

async function scene(t: Test): Promise<Scene> {
  const { send } = wire(t, await runningServer(t, { profile: 'kubernetes' }));
  return {
    ask: (what, body, type = json) =>
      send(what, { accept: json, ...(body !== undefined && { body: JSON.stringify(body), type }) }),
    async cells(path) {
      const { object } = await send(`GET ${path}`, { accept: table });
      return (object['rows'] as { cells: unknown[] }[])[0]?.cells ?? [];
    },
  };
}

/** `code: cause; cause`, of what was refused. */
function refusal({ status, object }: Reply): string {
  const { causes = [] } = (object['details'] ?? {}) as { causes?: { field: string; message: string }[] };
  return `${status}: ${causes.map(({ field, message }) => `${field}: ${message}`).join('; ') || String(object.message)}`;
}

const allVerbs = 'create,delete,deletecollection,get,list,patch,update,watch';

t.test('KND-001 to KND-068: discovery and columns', async t => {
  const { ask } = await scene(t);
  const { send } = wire(t, await runningServer(t, { profile: 'kubernetes' }));
  for (const row of kindFacts) {
    const [id = '', names = '', shorts = '', categories = '', rest = '', ...columns] = row
      .split(/ \|(?!\|) ?/)
      .map(part => part.trim());
    const words = names.split(' ');
    const version = words[0]?.includes('/') ? (words.shift() ?? '') : 'v1';
    const [plural = '', kind = '', cluster] = words;
    const path = version === 'v1' ? '/api/v1' : `/apis/${version}`;
    const { object: list } = await ask(`GET ${path}`);
    const resources = list['resources'] as { name: string; verbs: string[] }[];
    const verbs = /verbs (\S+)/.exec(rest)?.[1] ?? allVerbs;
    const listOf = (text: string): string[] | undefined => (text === '' ? undefined : text.split(','));
    const found = resources.find(({ name }) => name === plural);
    t.match(
      found,
      { kind, singularName: kind.toLowerCase(), namespaced: cluster === undefined, verbs: verbs.split(',') },
      id,
    );
    const { shortNames, categories: in_ } = found as unknown as { shortNames?: string[]; categories?: string[] };
    t.same([shortNames, in_], [listOf(shorts), listOf(categories)], `${id} names`);
    const parts = resources
      .filter(({ name }) => name.startsWith(`${plural}/`))
      .map(({ name, verbs }) => `${name.slice(plural.length + 1)}(${verbs.join()})`);
    const wanted = rest
      .replace(/ ?verbs \S+/, '')
      .split(' ')
      .filter(part => part !== '')
      .map(part => (part.includes('(') ? part : `${part}(get,patch,update)`));
    t.same(parts.sort(), wanted.sort(), `${id} subresources`);
    const shown = columns.join('|').trim();
    if (shown === '-' || shown === '') continue;
    const [plain = '', wide = ''] = shown.split('||');
    const expected = [plain, wide].flatMap((part, priority) =>
      part
        .split(',')
        .filter(name => name.trim() !== '')
        .map(name => {
          const [title, type = 'string'] = name.trim().split(':');
          return `${title} ${type} ${priority}`;
        }),
    );
    const { object } = await send(`GET ${path}/${plural}?limit=1`, { accept: table });
    const definitions = object['columnDefinitions'] as { name: string; type: string; priority: number }[];
    // Those that are shown wide stand among the others.
    const shownColumns = [0, 1].flatMap(wanted => definitions.filter(({ priority }) => priority === wanted));
    t.same(
      shownColumns.map(({ name, type, priority }) => `${name} ${type} ${priority}`),
      expected,
      `${id} columns`,
    );
  }
});

const metadata = (name: string) => ({ name });
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } };
const selector = { matchLabels: { a: 'b' } };
const core = '/api/v1/namespaces/default';
const apps = '/apis/apps/v1/namespaces/default';
const batch = '/apis/batch/v1/namespaces/default';

interface Given {
  readonly name: string;
  readonly path: string;
  readonly kind: string;
  readonly given: object;
}

const objectOf = ({ path, kind, given }: Given): object => {
  const [, root, group = '', version = ''] = path.split('/');
  const apiVersion = root === 'api' ? group : `${group}/${version}`;
  return { apiVersion, kind, metadata: metadata('x'), ...given };
};

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
        spec: {
          schedule: '* * * * *',
          jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
        },
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

t.test('KND-110 to KND-131: what is refused', async t => {
  const { ask } = await scene(t);
  await ask(`POST ${core}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: metadata('default'),
  });
  const creates: (Given & { readonly expect: string })[] = [
    {
      name: 'KND-110',
      path: `${apps}/deployments`,
      kind: 'Deployment',
      given: { spec: { selector: { matchLabels: { a: 'c' } }, template } },
      expect: '`selector` does not match template `labels`',
    },
    {
      name: 'KND-113 form',
      path: `${batch}/cronjobs`,
      kind: 'CronJob',
      given: {
        spec: {
          schedule: '* * *',
          jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
        },
      },
      expect: 'expected exactly 5 fields',
    },
    {
      name: 'KND-112',
      path: `${batch}/jobs`,
      kind: 'Job',
      given: { spec: { template } },
      expect: 'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    },
    {
      name: 'KND-115',
      path: `${core}/services`,
      kind: 'Service',
      given: { spec: { ports: [{ port: 80 }], clusterIP: '1.2.3.4' } },
      expect: 'is not in the valid range. The range of valid IPs is',
    },
    {
      name: 'KND-116',
      path: `${core}/secrets`,
      kind: 'Secret',
      given: { type: 'kubernetes.io/tls', data: {} },
      expect: 'data[tls.crt]: Required value',
    },
    {
      name: 'KND-119',
      path: '/apis/scheduling.k8s.io/v1/priorityclasses',
      kind: 'PriorityClass',
      given: { value: 2_000_000_000 },
      expect: 'maximum allowed value of a user defined priority is 1000000000',
    },
    {
      name: 'KND-122',
      path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
      kind: 'EndpointSlice',
      given: { addressType: 'IPv4', endpoints: [{ addresses: ['127.0.0.1'] }] },
      expect: 'may not be in the loopback range',
    },
    {
      name: 'KND-123',
      path: '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
      kind: 'Ingress',
      given: {
        spec: {
          rules: [
            {
              http: {
                paths: [{ path: 'a', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 1 } } } }],
              },
            },
          ],
        },
      },
      expect: 'must be an absolute path',
    },
    {
      name: 'KND-124',
      path: '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
      kind: 'NetworkPolicy',
      given: {
        spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } }] }] },
      },
      expect: 'must be a strict subset of',
    },
    {
      name: 'KND-125',
      path: '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
      kind: 'HorizontalPodAutoscaler',
      given: { spec: { minReplicas: 0, maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'x' } } },
      expect: 'must specify at least one Object or External metric to support scaling to zero replicas',
    },
    {
      name: 'KND-126',
      path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
      kind: 'PodDisruptionBudget',
      given: { spec: { minAvailable: 1, maxUnavailable: 1 } },
      expect: 'minAvailable and maxUnavailable cannot be both set',
    },
    {
      name: 'KND-127',
      path: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
      kind: 'Lease',
      given: { spec: { leaseDurationSeconds: 0 } },
      expect: 'must be greater than 0',
    },
    {
      name: 'KND-128',
      path: `${core}/events`,
      kind: 'Event',
      given: { involvedObject: { namespace: 'other' } },
      expect: 'does not match event.namespace',
    },
    {
      name: 'KND-129',
      path: `${core}/limitranges`,
      kind: 'LimitRange',
      given: { spec: { limits: [{ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }] } },
      expect: 'min value 2 is greater than max value 1',
    },
  ];
  for (const each of creates) {
    const reply = await ask(`POST ${each.path}?dryRun=All`, objectOf(each));
    t.equal(reply.status, 422, each.name);
    t.ok(refusal(reply).includes(each.expect), `${each.name} ${refusal(reply)}`);
  }

  const event = { metadata: metadata('e'), regarding: { kind: 'Pod', name: 'x', namespace: 'default' } };
  const events = '/apis/events.k8s.io/v1/namespaces/default/events';
  const newEvent = { apiVersion: 'events.k8s.io/v1', kind: 'Event', ...event };
  t.ok(refusal(await ask(`POST ${events}`, newEvent)).includes('eventTime: Required value'), 'KND-102');
  const bare = await ask(`POST ${events}`, { ...newEvent, type: 'Normal', eventTime: '2026-01-01T00:00:00.000000Z' });
  for (const field of ['reportingController', 'reportingInstance', 'action', 'reason'])
    t.ok(refusal(bare).includes(`${field}: Required value`), `KND-102 ${field} ${refusal(bare)}`);
  const relabelled = await ask(
    'PATCH /api/v1/namespaces/default',
    { metadata: { labels: { 'kubernetes.io/metadata.name': null } } },
    merge,
  );
  t.same(relabelled.object.metadata.labels, { 'kubernetes.io/metadata.name': 'default' }, 'KND-120');

  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: metadata('p'), spec: template.spec };
  const changes: { name: string; path: string; object: object; patch: object; expect: string }[] = [
    {
      name: 'KND-110',
      path: `${apps}/deployments`,
      object: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: metadata('p'), spec: { selector, template } },
      patch: {
        spec: { selector: { matchLabels: { a: 'b', c: 'd' } }, template: { metadata: { labels: { c: 'd' } } } },
      },
      expect: 'spec.selector: Invalid value: {"matchLabels":{"a":"b","c":"d"}}: field is immutable',
    },
    {
      name: 'KND-111',
      path: `${apps}/statefulsets`,
      object: {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: metadata('p'),
        spec: { selector, template, serviceName: 's' },
      },
      patch: { spec: { serviceName: 't' } },
      expect:
        "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    },
    {
      name: 'KND-114',
      path: `${core}/pods`,
      object: pod,
      patch: { spec: { nodeSelector: { a: 'b' } } },
      expect: 'spec: Forbidden: pod updates may not change fields other than',
    },
    {
      name: 'KND-116',
      path: `${core}/configmaps`,
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('p'), immutable: true, data: { a: 'b' } },
      patch: { data: { a: 'c' } },
      expect: 'data: Forbidden: field is immutable when `immutable` is set',
    },
    {
      name: 'KND-117',
      path: `${core}/persistentvolumeclaims`,
      object: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: metadata('p'),
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
      patch: { spec: { volumeName: null, accessModes: ['ReadWriteMany'] } },
      expect: 'spec: Forbidden: spec is immutable after creation except',
    },
    {
      name: 'KND-118',
      path: '/apis/storage.k8s.io/v1/storageclasses',
      object: { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: metadata('p'), provisioner: 'a.b/c' },
      patch: { reclaimPolicy: 'Retain' },
      expect: 'reclaimPolicy: ',
    },
    {
      name: 'KND-119',
      path: '/apis/scheduling.k8s.io/v1/priorityclasses',
      object: { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: metadata('p'), value: 1 },
      patch: { value: 2 },
      expect: 'value: Forbidden: may not be changed in an update',
    },
    {
      name: 'KND-121',
      path: '/api/v1/nodes',
      object: { apiVersion: 'v1', kind: 'Node', metadata: metadata('p'), spec: { providerID: 'a' } },
      patch: { spec: { providerID: 'b' } },
      expect: 'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    },
    {
      name: 'KND-122',
      path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
      object: {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: metadata('p'),
        addressType: 'IPv4',
        endpoints: [],
      },
      patch: { addressType: 'IPv6' },
      expect: 'addressType: Invalid value: "IPv6": field is immutable',
    },
  ];
  for (const { name, path, object, patch, expect } of changes) {
    const made = await ask(`POST ${path}`, object);
    t.equal(made.status, 201, `${name} ${made.status === 201 ? '' : refusal(made)}`);
    const reply = await ask(`PATCH ${path}/p`, patch, merge);
    t.ok(refusal(reply).includes(expect), `${name} ${refusal(reply)}`);
  }

  const bound = { apiVersion: 'v1', kind: 'Binding', metadata: metadata('p'), target: { kind: 'Node', name: 'n1' } };
  t.match(await ask(`POST ${core}/pods/p/binding`, bound), {
    status: 201,
    object: { kind: 'Status', status: 'Success' },
  });
  t.equal(
    refusal(await ask(`POST ${core}/pods/p/binding`, bound)),
    '409: Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
    'KND-130',
  );
  const evicted = await ask(`POST ${core}/pods/p/eviction`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: metadata('p'),
  });
  t.match(evicted, { status: 201, object: { kind: 'Status', status: 'Success' } }, 'KND-130');
  const warned = await ask(`POST ${core}/services?dryRun=All`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata('w'),
    spec: { ports: [{ port: 1 }], externalIPs: ['1.2.3.4'] },
  });
  t.match(warned.headers['warning'], 'externalIPs', 'KND-131');
  const old = await ask('GET /api/v1/componentstatuses');
  t.equal(old.headers['warning'], '299 - "v1 ComponentStatus is deprecated in v1.19+"', 'KND-131');
});

t.test('KND-070 to KND-076: cells', async t => {
  const { ask, cells } = await scene(t);
  await ask(`POST ${core}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: metadata('default'),
  });
  const cases: (Given & { readonly status?: object; readonly expect: readonly unknown[] })[] = [
    {
      name: 'KND-071',
      path: `${core}/pods`,
      kind: 'Pod',
      given: { spec: template.spec },
      status: {
        phase: 'Running',
        containerStatuses: [
          {
            name: 'c',
            ready: false,
            restartCount: 3,
            image: 'a',
            imageID: '',
            state: { waiting: { reason: 'CrashLoopBackOff' } },
          },
        ],
      },
      expect: ['x', '0/1', 'CrashLoopBackOff', '3', /^\d+s$/, '<none>', '<none>', '<none>', '<none>'],
    },
    {
      name: 'KND-072',
      path: `${apps}/deployments`,
      kind: 'Deployment',
      given: { spec: { selector, template, replicas: 3 } },
      status: { replicas: 2, readyReplicas: 1, updatedReplicas: 2 },
      expect: ['x', '1/3', 2, 0, /^\d+s$/, 'c', 'nginx', 'a=b'],
    },
    {
      name: 'KND-072 cron',
      path: `${batch}/cronjobs`,
      kind: 'CronJob',
      given: {
        spec: {
          schedule: '* * * * *',
          jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
        },
      },
      expect: ['x', '* * * * *', '<none>', 'False', 0, '<none>'],
    },
    {
      name: 'KND-073',
      path: '/api/v1/nodes',
      kind: 'Node',
      given: {
        metadata: { name: 'x', labels: { 'node-role.kubernetes.io/control-plane': '' } },
        spec: { unschedulable: true },
      },
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        nodeInfo: { kernelVersion: '6.1', architecture: 'amd64', kubeletVersion: 'v1' },
      },
      expect: [
        'x',
        'Ready,SchedulingDisabled',
        'control-plane',
        /^\d+s$/,
        'v1',
        '<none>',
        '<none>',
        '<unknown>',
        '6.1 (amd64)',
        '<unknown>',
      ],
    },
    {
      name: 'KND-074',
      path: `${core}/services`,
      kind: 'Service',
      given: { spec: { type: 'LoadBalancer', ports: [{ port: 80, nodePort: 30080 }] } },
      expect: ['x', 'LoadBalancer', /^\d+\./, '<pending>', '80:30080/TCP', /^\d+s$/, '<none>'],
    },
    {
      name: 'KND-075',
      path: '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
      kind: 'HorizontalPodAutoscaler',
      given: { spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'x', apiVersion: 'apps/v1' } } },
      expect: ['x', 'Deployment/x', 'cpu: <unknown>/80%', '1', 3, 0, /^\d+s$/],
    },
    {
      name: 'KND-076',
      path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
      kind: 'ClusterRoleBinding',
      given: { roleRef: { kind: 'ClusterRole', name: 'x', apiGroup: 'rbac.authorization.k8s.io' } },
      expect: ['x', 'ClusterRole/x'],
    },
  ];
  for (const each of cases) {
    const made = await ask(`POST ${each.path}`, objectOf(each));
    t.equal(made.status, 201, `${each.name} ${made.status === 201 ? '' : refusal(made)}`);
    if (each.status) {
      const { object } = made;
      const set = await ask(`PUT ${each.path}/x/status`, { ...object, status: each.status });
      t.equal(set.status, 200, `${each.name} ${set.status === 200 ? '' : refusal(set)}`);
    }
    t.match(await cells(`${each.path}/x`), each.expect, each.name);
  }
});

t.test('KND-140, KND-150 to KND-153: field selectors, and what is there from the start', async t => {
  const { ask } = await scene(t);
  const known: Record<string, readonly string[]> = {
    [`${core}/pods`]: [
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
      'status.podIPs',
      'status.nominatedNodeName',
    ],
    '/api/v1/nodes': ['spec.unschedulable'],
    [`${core}/replicationcontrollers`]: ['status.replicas'],
    '/api/v1/namespaces': ['status.phase'],
    [`${core}/secrets`]: ['type'],
    [`${core}/services`]: ['spec.clusterIP', 'spec.type'],
    [`${batch}/jobs`]: ['status.successful'],
    '/apis/certificates.k8s.io/v1/certificatesigningrequests': ['spec.signerName'],
    '/apis/resource.k8s.io/v1/resourceslices': ['spec.nodeName', 'spec.driver'],
    [`${core}/events`]: ['involvedObject.kind', 'involvedObject.uid', 'reason', 'reportingComponent', 'source', 'type'],
    '/apis/events.k8s.io/v1/namespaces/default/events': [
      'regarding.kind',
      'regarding.name',
      'reason',
      'reportingController',
      'type',
    ],
  };
  for (const [path, fields] of Object.entries(known)) {
    for (const field of fields)
      t.equal((await ask(`GET ${path}?fieldSelector=${field}%3Dx`)).status, 200, `${path} ${field}`);
    t.equal((await ask(`GET ${path}?fieldSelector=spec.other%3Dx`)).status, 400, `${path} others`);
  }
  const names = async (path: string): Promise<string[]> =>
    ((await ask(`GET ${path}`)).object.items ?? []).map(({ metadata }: Wired) => metadata.name ?? '');
  t.match(await names('/api/v1/namespaces'), ['default', 'kube-node-lease', 'kube-public', 'kube-system']);
  t.match((await ask('GET /apis/scheduling.k8s.io/v1/priorityclasses')).object.items, [
    { metadata: { name: 'system-cluster-critical' }, value: 2000000000 },
    { metadata: { name: 'system-node-critical' }, value: 2000001000 },
  ]);
  const service = (await ask(`GET ${core}/services/kubernetes`)).object;
  t.match(service, {
    metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: { ports: [{ port: 443, name: 'https' }] },
  });
  t.equal((await ask('GET /apis/networking.k8s.io/v1/servicecidrs/kubernetes')).status, 200);
  t.ok((await names('/api/v1/namespaces/kube-system/configmaps')).includes('extension-apiserver-authentication'));
});
