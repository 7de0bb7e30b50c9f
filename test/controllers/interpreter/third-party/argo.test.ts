import t from 'tap';
import { thirdPartyInterpreter as interpreter } from '../../../../controllers/interpreter/third-party/third-party.js';
import { objectsOf } from './objects.js';

const workflow = objectsOf('argoproj.io/v1alpha1', 'Workflow');

t.test('the replicas of a Workflow are the pods that may run at the same time', t => {
  t.strictSame(interpreter.replicas(workflow({ spec: {} })), { replicas: 1, requirements: undefined });
  const spec = { parallelism: 3, nodeSelector: { disk: 'ssd' }, tolerations: [] };
  const requirements = { nodeClaim: { nodeSelector: { disk: 'ssd' } } };
  t.strictSame(interpreter.replicas(workflow({ spec })), { replicas: 3, requirements });
  t.throws(() => interpreter.replicas(workflow({})), /spec is missing/);
  t.throws(() => interpreter.replicas(workflow({ spec: { parallelism: '3' } })), /the number of replicas is a string/);
  t.end();
});

t.test('a revision changes the parallelism and not the argument', async t => {
  const object = workflow({ spec: { entrypoint: 'main', volumes: [] } });
  const revised = await interpreter.reviseReplica(object, 4);
  t.strictSame(revised['spec'], { entrypoint: 'main', volumes: [], parallelism: 4 });
  t.strictSame(object['spec'], { entrypoint: 'main', volumes: [] });
});

t.test('the member decides whether the Workflow is suspended', async t => {
  const observed = workflow({ spec: { suspend: false, entrypoint: 'other' }, status: { phase: 'Running' } });
  const retained = await interpreter.retain(workflow({ spec: { entrypoint: 'main', suspend: true } }), observed);
  t.strictSame(retained['spec'], { entrypoint: 'main', suspend: false });
  t.strictSame(retained['status'], { phase: 'Running' });
});

t.test('dependencies are those of the pods, the executor, and the claims', async t => {
  const spec = {
    serviceAccountName: 'default',
    executor: { serviceAccountName: 'executor' },
    volumeClaimTemplates: [{ metadata: { name: 'work' } }],
    imagePullSecrets: [{ name: 'registry' }, null, { name: '' }],
    volumes: [
      { configMap: { name: 'config' } },
      { secret: { name: 'token', secretName: 'unread' } },
      { projected: { sources: [{ configMap: { name: 'config' } }, { secret: { name: 'projected' } }] } },
      { csi: { nodePublishSecretRef: { name: 'csi' } } },
      { persistentVolumeClaim: { claimName: 'data' } },
    ],
  };
  const found = await interpreter.dependencies(workflow({ spec }));
  t.strictSame(
    found.map(({ kind, name }) => `${kind} ${name}`),
    [
      'ConfigMap config',
      ...['PersistentVolumeClaim data', 'PersistentVolumeClaim work'],
      ...['Secret csi', 'Secret projected', 'Secret registry', 'Secret token'],
      'ServiceAccount executor',
    ],
  );
  t.ok(found.every(({ apiVersion, namespace }) => apiVersion === 'v1' && namespace === 'n'));
  const wrong = { volumes: [{ configMap: { name: 5 } }] };
  t.throws(() => interpreter.dependencies(workflow({ spec: wrong })), /the name of a dependency is a number/);
});

t.test('a Workflow without a phase, or with a failed one, is unhealthy', async t => {
  for (const [status, health] of [
    [undefined, 'Unhealthy'],
    [{}, 'Unhealthy'],
    [{ phase: '' }, 'Unhealthy'],
    [{ phase: 'Failed' }, 'Unhealthy'],
    [{ phase: 'Error' }, 'Unhealthy'],
    [{ phase: 'Running' }, 'Healthy'],
  ] as const)
    t.equal(await interpreter.health(workflow({ status })), health, JSON.stringify(status));
});
