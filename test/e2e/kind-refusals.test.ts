/** What Kubernetes 1.36 was seen to refuse and to warn of, row by row. */
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
import { merge, refusal } from './wire.js';

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
        spec: cronSpec('* * *'),
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
  const evict = (apiVersion: string, query = '') =>
    ask(`POST ${core}/pods/p/eviction${query}`, { apiVersion, kind: 'Eviction', metadata: metadata('p') });
  t.match(await evict('policy/v1beta2'), { status: 400 }, 'HTTP-090');
  const evicted = { status: 201, object: { kind: 'Status', status: 'Success' } };
  t.match(await evict('policy/v1beta1', '?dryRun=All'), evicted, 'HTTP-090: both versions are taken');
  t.match(await evict('policy/v1'), evicted, 'KND-130');
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
