import t from 'tap';
import { bool, nullType, string } from '../../../lib/cel/types.js';
import type { Value } from '../../../lib/cel/values.js';
import type { Attributes } from '../../../registry/access.js';
import {
  authorizerOf,
  resourceCheckOf,
} from '../../../kinds/kubernetes/admissionregistration/expressions/authorizer.js';
import { type Scope, compileExpression } from '../../../kinds/kubernetes/admissionregistration/expressions/compile.js';

const scope: Scope = { params: false, authorizer: true };
const errorOf = (source: string, more: Partial<Scope> = {}, resultTypes = [bool]): unknown => {
  const found = compileExpression(source, { ...scope, ...more }, resultTypes);
  return 'error' in found ? found.error : undefined;
};

t.test('variables of admission expressions', async t => {
  t.equal(errorOf('object.spec.replicas > 1 && oldObject == null'), undefined);
  t.equal(errorOf("request.userInfo.groups.exists(g, g == 'a') && request.dryRun"), undefined);
  t.equal(errorOf("namespaceObject.metadata.labels['a'] == namespaceObject.status.conditions[0].type"), undefined);
  t.match(errorOf('request.user'), /undefined field 'user'/);
  t.match(errorOf('params.x == 1'), /undeclared reference to 'params'/);
  t.equal(errorOf('params.x == 1', { params: true }), undefined);
  t.match(errorOf("authorizer.path('/').check('get').allowed()", { authorizer: false }), /undeclared reference/);
  const variables = new Map([['a', string]]);
  t.equal(errorOf("variables.a == 'x'", { variables }), undefined);
  t.match(errorOf('variables.a == 1', { variables }), /found no matching overload/);
  t.match(errorOf('variables.b == 1', { variables }), /undefined field 'b'/);
});

t.test('a result of the required type', async t => {
  t.equal(errorOf('object.x'), 'must evaluate to bool but got dyn');
  t.equal(errorOf('[1]'), 'must evaluate to bool but got list(int)');
  t.equal(errorOf('{}', {}, [string, nullType]), 'must evaluate to one of [string null_type] but got map(dyn, dyn)');
  t.equal(errorOf('null', {}, [string, nullType]), undefined);
  t.equal(errorOf('object', {}, []), undefined);
});

t.test('the authorizer variable checks rights', async t => {
  const checks: Attributes[] = [];
  const checkAccess = (
    user: { name: string },
    attributes: Attributes,
  ): { allowed: boolean; reason: string; error?: string } => {
    checks.push(attributes);
    if (user.name !== 'me') return { allowed: false, reason: user.name, error: 'nobody knows' };
    return { allowed: attributes.verb === 'get', reason: 'why not' };
  };
  const me = { name: 'me', groups: [] };
  const of = {
    type: 'resource',
    group: 'g',
    version: '*',
    resource: 'r',
    subresource: '',
    namespace: 'n',
    name: 'x',
  } as const;
  const names: Record<string, Value> = {
    authorizer: authorizerOf(me, checkAccess),
    'authorizer.requestResource': resourceCheckOf(me, checkAccess, of),
  };
  const run = (source: string): unknown => {
    const found = compileExpression(source, scope, []);
    if ('error' in found) return found.error;
    const outcome = found.run(name => names[name]);
    return 'error' in outcome ? outcome.error : outcome.value;
  };
  t.equal(run("authorizer.path('/healthz').check('get').allowed()"), true);
  const deployments = "authorizer.group('apps').resource('deployments').namespace('a').name('b').subresource('scale')";
  t.equal(run(`${deployments}.labelSelector('x=y').check('patch').reason()`), 'why not');
  t.equal(run("authorizer.requestResource.check('delete').allowed()"), false);
  t.equal(run("authorizer.serviceAccount('n', 's').path('/x').check('get').error()"), 'nobody knows');
  t.match(
    run("authorizer.serviceAccount('N', 's').path('/x').check('get').errored()"),
    /Invalid service account namespace/,
  );
  t.match(run("authorizer.path(' ').check('get').errored()"), /path must not be empty/);
  t.match(checks, [
    { type: 'path', verb: 'get', path: '/healthz' },
    { group: 'apps', resource: 'deployments', namespace: 'a', name: 'b', subresource: 'scale', labelSelector: 'x=y' },
    { ...of, verb: 'delete' },
    { type: 'path', path: '/x' },
  ]);
  t.match(
    run("[1, 2, 3].all(x, authorizer.path('/x').check('get').allowed())"),
    /cost/,
    'three checks exceed the cost limit',
  );
});
