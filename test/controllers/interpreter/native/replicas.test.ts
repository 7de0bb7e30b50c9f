/** Replicas, and what each needs. as pkg/resourceinterpreter/default/native replica.go and pkg/util/helper GenerateReplicaRequirements */
import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { replicas, reviseReplica } from '../../../../controllers/interpreter/native/replicas.js';
import { replicaRequirements } from '../../../../controllers/interpreter/native/requirements.js';

function object(kind: string, spec: object | undefined): KubeObject {
  const [, apiVersion = '', name = ''] = /^(.*)\/([^/]+)$/.exec(kind) ?? [];
  return { apiVersion, kind: name, metadata: { name: 'o' }, ...(spec && { spec }) };
}

t.test('how many replicas a template has', async t => {
  const table: { kind: string; spec?: object; expect: number }[] = [
    { kind: 'apps/v1/Deployment', spec: { replicas: 3 }, expect: 3 },
    { kind: 'apps/v1/Deployment', spec: {}, expect: 0 },
    { kind: 'apps/v1/StatefulSet', expect: 0 },
    { kind: 'apps/v1/ReplicaSet', spec: { replicas: 0 }, expect: 0 },
    { kind: 'batch/v1/Job', spec: { parallelism: 4 }, expect: 4 },
    { kind: 'batch/v1/Job', spec: { parallelism: 4, completions: 3 }, expect: 3 },
    { kind: 'batch/v1/Job', spec: { parallelism: 2, completions: 9 }, expect: 2 },
    { kind: 'batch/v1/Job', spec: { completions: 9 }, expect: 0 },
    { kind: 'v1/Pod', spec: {}, expect: 1 },
  ];
  for (const { kind, spec, expect } of table)
    t.equal(replicas[kind]?.(object(kind, spec)).replicas, expect, `${kind} ${JSON.stringify(spec)}`);
});

t.test('only a field that the manifest has is revised, in a copy', async t => {
  const table: { kind: string; spec: object; expect: object }[] = [
    { kind: 'apps/v1/Deployment', spec: { replicas: 1, paused: true }, expect: { replicas: 5, paused: true } },
    { kind: 'apps/v1/StatefulSet', spec: { replicas: 0 }, expect: { replicas: 5 } },
    { kind: 'apps/v1/ReplicaSet', spec: {}, expect: {} },
    { kind: 'batch/v1/Job', spec: { parallelism: 1, completions: 9 }, expect: { parallelism: 5, completions: 9 } },
    { kind: 'batch/v1/Job', spec: { completions: 9 }, expect: { completions: 9 } },
  ];
  for (const { kind, spec, expect } of table) {
    const given = object(kind, structuredClone(spec));
    t.same(reviseReplica[kind]?.(given, 5)['spec'], expect, kind);
    t.same(given['spec'], spec, 'the template is shared');
  }
});

const requesting = (requests: Record<string, string>, limits: Record<string, string> = {}) => ({
  resources: { requests, limits },
});

t.test('a replica requests the sum of its containers, or its largest init container, and its overhead', async t => {
  type Spec = Parameters<typeof replicaRequirements>[0];
  const table: { name: string; spec: Spec; expect: Record<string, string> | undefined }[] = [
    { name: 'nothing', spec: { containers: [{}] }, expect: undefined },
    {
      name: 'the sum of containers',
      spec: { containers: [requesting({ cpu: '250m', memory: '1Gi' }), requesting({ cpu: '1' })] },
      expect: { cpu: '1250m', memory: '1Gi' },
    },
    {
      name: 'limits where there is no request',
      spec: { containers: [requesting({ cpu: '1' }, { cpu: '2', memory: '1Gi' })] },
      expect: { cpu: '1', memory: '1Gi' },
    },
    {
      name: 'the larger one by resource',
      spec: {
        containers: [requesting({ cpu: '1', memory: '1Gi' })],
        initContainers: [requesting({ cpu: '3' }), requesting({ memory: '512Mi' }), requesting({ cpu: '2' })],
      },
      expect: { cpu: '3', memory: '1Gi' },
    },
    {
      name: 'the overhead in addition',
      spec: {
        containers: [],
        initContainers: [requesting({}, { cpu: '1' })],
        overhead: { cpu: '100m', memory: '8Mi' },
      },
      expect: { cpu: '1100m', memory: '8Mi' },
    },
    {
      name: 'each container rounded up by itself',
      spec: {
        containers: [
          requesting({ cpu: '100500u', memory: '100m' }),
          requesting({ cpu: '100500u' }, { memory: '100m' }),
        ],
        initContainers: [requesting({ memory: '1900m', 'ephemeral-storage': '100m' })],
        overhead: { cpu: '500u', memory: '1500m', 'ephemeral-storage': '100m' },
      },
      expect: { cpu: '203m', memory: '4', 'ephemeral-storage': '2' },
    },
    {
      name: 'no zeros',
      spec: { containers: [requesting({ cpu: '0', 'nvidia.com/gpu': '1' })] },
      expect: { 'nvidia.com/gpu': '1' },
    },
    {
      name: 'no resources that a node does not count',
      spec: { containers: [requesting({ cpu: '1', storage: '1Gi', gold: '1', 'requests.cpu': '1' })] },
      expect: { cpu: '1' },
    },
  ];
  for (const { name, spec, expect } of table) t.same(replicaRequirements(spec)?.resourceRequest, expect, name);
});

t.test('a replica claims the nodes that its template asks for', async t => {
  const required = { nodeSelectorTerms: [{ matchFields: [] }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
  const tolerations = [{ key: 'a', operator: 'Exists' as const }];
  const nodeSelector = { disk: 'ssd' };
  t.same(replicaRequirements({ affinity, tolerations, nodeSelector }), {
    nodeClaim: { hardNodeAffinity: required, tolerations, nodeSelector },
  });
  for (const spec of [{ tolerations: [] }, { affinity: { nodeAffinity: {} } }, { priorityClassName: 'high' }])
    t.equal(replicaRequirements(spec), undefined, JSON.stringify(spec));
  t.same(replicaRequirements({ nodeSelector, priorityClassName: 'high' }), {
    ...{ nodeClaim: { nodeSelector }, priorityClassName: 'high' },
  });
});
