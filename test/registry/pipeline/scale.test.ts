/** The Scale of an object. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { patchScale, scaleOf, scalePartOf, updateScale } from '../../../registry/pipeline/scale.js';
import { deployment, deployments, configmaps, refusal } from '../serve.js';
import { openDeps, write } from './deps.js';

const paths = { specReplicas: '.spec.count', statusReplicas: '.status.count', selector: '.status.selector' };

/** Returns a request to the scale of Deployments, and a scale with other paths. */
function custom(scope: Awaited<ReturnType<typeof openDeps>>['scope']) {
  const call = scope(deployments, { subresource: 'scale' });
  const part = scalePartOf(call);
  if (!part) throw new Error('no scale');
  return { call, part: { ...part, ...paths } };
}

const object = (spec: object, status?: object): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'X', metadata: { name: 'x', uid: 'u', labels: { a: 'b' } }, spec },
  ...(status && { status }),
});

t.test('only some kinds have a scale', async t => {
  const { scope } = await openDeps(t);
  t.match(scalePartOf(scope(deployments, { subresource: 'scale' })), { type: 'scale', specReplicas: '.spec.replicas' });
  t.equal(scalePartOf(scope(deployments, { subresource: 'status' })), undefined);
  t.equal(scalePartOf(scope(deployments)), undefined);
  t.equal(scalePartOf(scope(configmaps, { subresource: 'scale' })), undefined);
});

t.test('the scale of an object is read at its paths', async t => {
  const { scope } = await openDeps(t);
  const { call, part } = custom(scope);
  t.strictSame(scaleOf(call, part, object({ count: 3 }, { count: 2, selector: 'a=b' })), {
    ...{ kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: { name: 'x', uid: 'u' } },
    ...{ spec: { replicas: 3 }, status: { replicas: 2, selector: 'a=b' } },
  });
  t.match(scaleOf(call, part, object({ count: 0 })), { spec: {}, status: { replicas: 0 } }, 'zero is left out');
  t.match(scaleOf(call, part, object({}, { selector: { a: 'b', c: 'd' } })), { status: { selector: 'a=b,c=d' } });
  const matchExpressions = [{ key: 'a', operator: 'In', values: ['b', 'c'] }];
  t.match(scaleOf(call, part, object({}, { selector: { matchExpressions } })), { status: { selector: 'a in (b,c)' } });
  const inherited = { ...part, statusReplicas: '.constructor.length' };
  t.match(scaleOf(call, inherited, object({})), { status: { replicas: 0 } }, 'inherited properties are absent');
});

t.test('a custom resource without replicas has no scale', async t => {
  const { scope } = await openDeps(t);
  const { call, part } = custom(scope);
  const { definition } = call;
  const sorted = { ...call, definition: { ...definition, wire: { ...definition.wire, keys: 'sorted' as const } } };
  t.throws(() => scaleOf(sorted, part, object({})), { code: 500, message: /"\.spec\.count\\?" does not exist/ });
});

t.test('a Scale changes only the replicas', async t => {
  const { deps, scope, create } = await openDeps(t);
  const live = await create(deployments, deployment('a'));
  const call = scope(deployments, { subresource: 'scale', fieldManager: 'scaler' });
  const body = (replicas: number, metadata: object = {}): KubeObject => ({
    ...{ apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas } },
    metadata: { name: 'a', namespace: 'default', ...metadata },
  });
  await updateScale(deps, call, 'a', body(4, { labels: { a: 'b' } }), write);
  const read = await deps.clientFor(call.user).get(deployments, { namespace: 'default', name: 'a' });
  t.match(read, { spec: { replicas: 4 } });
  t.strictSame(read.metadata.labels, live.metadata.labels);
  t.match(
    await refusal(updateScale(deps, call, 'a', body(-1), write)),
    /spec\.replicas: Invalid value: -1: must be greater than or equal to 0/,
  );
  t.match(await refusal(updateScale(deps, call, 'a', body(5, { resourceVersion: '1' }), write)), /^409 Conflict/);
  t.match(await refusal(updateScale(deps, call, 'none', body(1, { name: 'none' }), write)), /^404 NotFound/);
  await patchScale(deps, call, 'a', { type: 'merge', patch: { spec: { replicas: 6 } } }, write);
  const patched = await deps.clientFor(call.user).get(deployments, { namespace: 'default', name: 'a' });
  t.match(patched, { spec: { replicas: 6 } });
  const unknown = patchScale(deps, call, 'a', { type: 'merge', patch: { spec: { replica: 6 } } }, write);
  t.match(await refusal(unknown), /unknown field "spec\.replica"/);
});
