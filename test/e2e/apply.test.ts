/** Several managers apply one object in turn: the resulting object, and conflicts. */
import t from 'tap';
import { runningServer } from '../apiserver/running.js';
import { httpClient } from '../apiserver/http-client.js';
import { definitionsPath } from '../custom-kinds.js';
import { crd, turns } from './apply-turns.js';

t.test('applies of several managers are merged', async t => {
  const ask = httpClient(t, await runningServer(t));
  await ask(`POST ${definitionsPath}`, { body: crd });
  for (const [i, { name, steps, expect }] of turns.entries()) {
    const path = `/apis/example.com/v1/namespaces/default/foos/turn-${i}`;
    let last;
    for (const [by, spec] of steps) {
      const [, manager, how] = /^(\w+)([!=]?)$/.exec(by) ?? [];
      const body = { apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name: `turn-${i}` }, spec };
      last =
        how === '='
          ? await ask(`PATCH ${path}?fieldManager=${manager}`, { body: { spec }, type: 'application/merge-patch+json' })
          : await ask(`PATCH ${path}?fieldManager=${manager}&force=${how === '!'}`, {
              body,
              type: 'application/apply-patch+yaml',
            });
    }
    if (typeof expect === 'object') t.strictSame(last?.json['spec'], expect, name);
    else if (expect.startsWith('Apply')) t.equal(last?.json.message, expect, name);
    else t.match(last?.json.message, new RegExp(expect), name);
  }
});

t.test('update managers beyond ten are merged into one', async t => {
  const ask = httpClient(t, await runningServer(t));
  const path = '/api/v1/namespaces/default/configmaps';
  await ask(`POST ${path}?fieldManager=creator`, {
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { first: 'v' } },
  });
  const type = 'application/merge-patch+json';
  for (let i = 0; i < 14; i++)
    await ask(`PATCH ${path}/a?fieldManager=m${i}`, { body: { data: { [`k${i}`]: 'v' } }, type });
  const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { z: 'v' } };
  const { json } = await ask(`PATCH ${path}/a?fieldManager=applier`, {
    body: applied,
    type: 'application/apply-patch+yaml',
  });
  const managers = json.metadata.managedFields as readonly { manager: string; operation: string }[];
  t.equal(managers[0]?.operation, 'Apply', 'apply managers are not counted');
  t.equal(managers.length, 11);
  t.equal(managers.filter(({ manager }) => manager === 'ancient-changes').length, 1);
  t.match(json.data, { k0: 'v', k13: 'v', z: 'v' });
});

t.test('fields that were applied in one version are released in another', async t => {
  const ask = httpClient(t, await runningServer(t));
  const apply = async (version: string, spec: object) => {
    const path = `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers/h`;
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
    const body = {
      apiVersion: `autoscaling/${version}`,
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'h' },
      spec: { scaleTargetRef, ...spec },
    };
    return ask(`PATCH ${path}?fieldManager=m`, { body, type: 'application/apply-patch+yaml' });
  };
  const target = { type: 'Utilization', averageUtilization: 60 };
  const metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
  t.equal((await apply('v2', { maxReplicas: 5, minReplicas: 2, metrics })).status, 201);
  const { json } = await apply('v1', { maxReplicas: 6 });
  t.match(
    json['spec'],
    { maxReplicas: 6, minReplicas: 1, targetCPUUtilizationPercentage: 80 },
    'defaults are restored',
  );
  t.match(json.metadata.managedFields, [{ manager: 'm', operation: 'Apply', apiVersion: 'autoscaling/v1' }]);
});
