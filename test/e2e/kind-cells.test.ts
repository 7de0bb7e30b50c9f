/** Cells of Tables, row by row of what Kubernetes 1.36 was seen to print. */
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
        spec: cronSpec(),
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
