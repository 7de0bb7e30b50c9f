/** ValidatingAdmissionPolicies: their messages, what they match, and their use of the authorizer. */
import t from 'tap';
import type { AuthorizationDecision } from '../../../registry/access.js';
import { configMap, configmaps, deployments, namespaces, refusal, deployment } from '../../registry/serve.js';
import {
  addPolicy,
  admins,
  configured,
  eventually,
  refused,
  validatingBindings,
  x,
  create,
  by,
} from '../plugins/configured.js';
import { crds, define, definition, version, widget, widgets } from '../../registry/dynamic/definitions.js';
import { object, resource } from '../plugins/guarded.js';

t.test('a refusal carries the message of the policy', async t => {
  const server = await configured(t);
  const { client } = server;
  const long = `'${'y'.repeat(6000)}'`;
  const cases: { name: string; given: object; expect: string; binding?: object }[] = [
    {
      name: 'expression',
      given: { validations: [{ expression: 'false  ' }] },
      expect: `422 Invalid: ${by('p', 'failed expression: false')}`,
    },
    {
      name: 'message',
      given: { validations: [{ expression: 'false', message: ' never ', reason: 'Forbidden' }] },
      expect: `403 Forbidden: ${by('p', 'never')}`,
    },
    {
      name: 'reason',
      given: { validations: [{ expression: 'false', message: 'big', reason: 'RequestEntityTooLarge' }] },
      expect: `413 RequestEntityTooLarge: ${by('p', 'big')}`,
    },
    {
      name: 'a message expression',
      given: {
        validations: [
          { expression: 'false', message: 'plain', messageExpression: "'computed ' + object.metadata.name" },
        ],
      },
      expect: `422 Invalid: ${by('p', 'computed x')}`,
    },
    {
      name: 'message expressions with a result that is too long or has several lines are ignored',
      given: {
        validations: [
          { expression: 'false', message: 'plain', messageExpression: `request.name == 'x' ? ${long} : 'a\\nb'` },
        ],
      },
      expect: `422 Invalid: ${by('p', 'plain')}`,
    },
    {
      name: 'message expressions that fail are ignored',
      given: { validations: [{ expression: 'false', message: 'plain', messageExpression: 'string(object.none)' }] },
      expect: `422 Invalid: ${by('p', 'plain')}`,
    },
    {
      name: 'the first of several failed validations',
      given: {
        validations: [
          { expression: 'true' },
          { expression: 'false', message: 'b' },
          { expression: 'false', message: 'c' },
        ],
      },
      expect: `422 Invalid: ${by('p', 'b')}`,
    },
    {
      name: 'variables',
      given: {
        variables: [
          { name: 'data', expression: 'has(object.data) ? object.data : {}' },
          { name: 'count', expression: 'variables.data.size()' },
        ],
        validations: [{ expression: 'variables.count > 3', messageExpression: "'only ' + string(variables.count)" }],
      },
      expect: `422 Invalid: ${by('p', 'only 0')}`,
    },
    {
      name: 'variables that fail',
      given: {
        variables: [{ name: 'none', expression: 'object.none' }],
        validations: [{ expression: 'variables.none == 1' }],
      },
      expect: `422 Invalid: ${by('p', `expression 'variables.none == 1' resulted in error: composited variable "none" fails to evaluate: no such key: none`)}`,
    },
    {
      name: 'namespaceObject',
      given: { validations: [{ expression: "namespaceObject.metadata.name == 'other'" }] },
      expect: `422 Invalid: ${by('p', `failed expression: namespaceObject.metadata.name == 'other'`)}`,
    },
    {
      name: 'request',
      given: {
        validations: [
          {
            expression:
              "!(request.userInfo.username == 'admin' && request.operation == 'CREATE' && request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps' && request.dryRun && request.options.kind == 'CreateOptions' && request.namespace == 'default' && request.name == 'x' && oldObject == null)",
            message: 'all that was asked',
          },
        ],
      },
      expect: `422 Invalid: ${by('p', 'all that was asked')}`,
    },
    {
      name: 'conditions',
      given: {
        matchConditions: [
          { name: 'a', expression: "object.metadata.name == 'x'" },
          { name: 'b', expression: 'object.none == 1' },
        ],
        validations: [{ expression: 'true' }],
      },
      expect: `422 Invalid: ${by('p', `expression 'object.none == 1' resulted in error: no such key: none`)}`,
    },
    {
      name: 'an expression that exceeds its cost limit',
      given: {
        validations: [
          {
            expression:
              '[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, a+b+c+d+e+f > 0))))))',
          },
        ],
      },
      expect: `422 Invalid: ${by('p', `expression '[1,2`)}`,
    },
    {
      name: 'parameters of a kind that is not served',
      given: { paramKind: { apiVersion: 'none.example.com/v1', kind: 'None' }, validations: [{ expression: 'false' }] },
      expect: `422 Invalid: configmaps "x" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'none.example.com/v1, Kind=None'`,
    },
    {
      name: 'parameters that are missing',
      given: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, validations: [{ expression: 'true' }] },
      binding: { paramRef: { name: 'none', parameterNotFoundAction: 'Deny' } },
      expect: `422 Invalid: ${by('p', 'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction')}`,
    },
    {
      name: 'paramRef.namespace with a cluster-scoped kind',
      given: { paramKind: { apiVersion: 'v1', kind: 'Namespace' }, validations: [{ expression: 'true' }] },
      binding: { paramRef: { name: 'default', namespace: 'default', parameterNotFoundAction: 'Deny' } },
      expect: `422 Invalid: ${by('p', 'failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`')}`,
    },
  ];
  for (const { name, given, expect, binding } of cases) {
    await addPolicy(client, 'p', given, binding);
    const message = await refused(() => create(server));
    t.equal(message.slice(0, expect.length), expect, name);
    await client.delete(validatingBindings, { name: 'p' });
    await client.delete(resource('validatingadmissionpolicies', 'admissionregistration.k8s.io'), { name: 'p' });
    await eventually(
      () => refusal(create(server)),
      text => text === 'allowed',
    );
  }
});

t.test('actions are warnings, audit annotations and denials', async t => {
  const server = await configured(t);
  const { client, warnings, annotations } = server;
  await addPolicy(
    client,
    'p',
    {
      validations: [{ expression: 'true' }, { expression: 'false', message: 'careful' }],
      auditAnnotations: [
        { key: 'who', valueExpression: "' ' + request.userInfo.username + ' '" },
        { key: 'none', valueExpression: 'null' },
      ],
    },
    { validationActions: ['Warn', 'Audit'] },
  );
  await eventually(
    () => create(server).then(() => warnings.length),
    count => count > 0,
  );
  t.same(warnings.slice(0, 1), ["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p': careful"]);
  t.same(JSON.parse(annotations.get('validation.policy.admission.k8s.io/validation_failure') ?? ''), [
    { message: 'careful', policy: 'p', binding: 'p', expressionIndex: 1, validationActions: ['Warn', 'Audit'] },
  ]);
  t.equal(annotations.get('p/who'), 'admin');
  t.notOk(annotations.has('p/none'));
  await addPolicy(client, 'q', { auditAnnotations: [{ key: 'k', valueExpression: 'string(object.none)' }] });
  t.equal(
    await refused(() => create(server)),
    `422 Invalid: ${by('q', `expression 'string(object.none)' resulted in error: no such key: none`)}`,
  );
});

t.test('failurePolicy Ignore admits the request', async t => {
  const server = await configured(t);
  const { client, warnings } = server;
  const open = { failurePolicy: 'Ignore' };
  await addPolicy(client, 'a', { ...open, validations: [{ expression: 'object.none == 1' }] });
  await addPolicy(client, 'b', {
    ...open,
    matchConditions: [{ name: 'a', expression: 'object.none == 1' }],
    validations: [{ expression: 'false' }],
  });
  await addPolicy(client, 'c', {
    ...open,
    paramKind: { apiVersion: 'none.example.com/v1', kind: 'None' },
    validations: [{ expression: 'false' }],
  });
  await addPolicy(
    client,
    'd',
    { validations: [{ expression: 'false', message: 'last' }] },
    { validationActions: ['Warn'] },
  );
  await eventually(
    () => create(server).then(() => warnings.length),
    count => count > 0,
  );
  t.equal(await refusal(create(server)), 'allowed');
});

t.test('match constraints of policies and bindings', async t => {
  const server = await configured(t);
  const { client } = server;
  await client.create(namespaces, object('v1', 'Namespace', { name: 'other', labels: { team: 'b' } }));
  const rules = (more: object = {}) => ({
    resourceRules: [
      {
        apiGroups: ['apps'],
        apiVersions: ['*'],
        operations: ['CREATE', 'UPDATE'],
        resources: ['deployments'],
        ...more,
      },
    ],
    namespaceSelector: {},
    objectSelector: {},
  });
  const never = { validations: [{ expression: 'false', message: 'no' }] };
  const at = (namespace: string, name = 'x', labels = {}) =>
    client.create(deployments, { ...deployment(name), metadata: { name, namespace, labels } }, { dryRun: true });
  const cases: {
    name: string;
    given: object;
    binding?: object;
    denied: () => Promise<unknown>;
    allowed: () => Promise<unknown>;
  }[] = [
    {
      name: 'namespaceSelector of the binding',
      given: {},
      binding: { matchResources: { namespaceSelector: { matchLabels: { team: 'b' } } } },
      denied: () => at('other'),
      allowed: () => at('default'),
    },
    {
      name: 'objects',
      given: {
        matchConstraints: { ...rules(), objectSelector: { matchExpressions: [{ key: 'l', operator: 'Exists' }] } },
      },
      denied: () => at('default', 'x', { l: '1' }),
      allowed: () => at('default'),
    },
    {
      name: 'names',
      given: { matchConstraints: rules({ resourceNames: ['x'] }) },
      denied: () => at('default'),
      allowed: () => at('default', 'y'),
    },
    {
      name: 'resources excluded by name',
      given: { matchConstraints: { ...rules(), excludeResourceRules: rules({ resourceNames: ['y'] }).resourceRules } },
      denied: () => at('default'),
      allowed: () => at('default', 'y'),
    },
    {
      name: 'rules of the binding',
      given: {},
      binding: { matchResources: rules({ resourceNames: ['x'] }) },
      denied: () => at('default'),
      allowed: () => at('default', 'y'),
    },
    {
      name: 'subresources need rules of their own',
      given: { matchConstraints: rules() },
      denied: () => at('default'),
      allowed: async () => create(server),
    },
  ];
  for (const [i, { name, given, binding, denied, allowed }] of cases.entries()) {
    await addPolicy(client, `p${i}`, { matchConstraints: rules(), ...never, ...given }, binding);
    await refused(denied);
    t.equal(await refusal(allowed()), 'allowed', name);
    await client.delete(validatingBindings, { name: `p${i}` });
    await eventually(
      () => refusal(denied()),
      text => text === 'allowed',
    );
  }
});

t.test('updates and deletions are validated with the old object', async t => {
  const server = await configured(t);
  const { client } = server;
  await client.create(configmaps, configMap('x', { data: { k: '1' } }));
  await addPolicy(client, 'p', {
    validations: [
      { expression: "request.operation != 'UPDATE' || object.data.k == oldObject.data.k", message: 'k stays' },
      { expression: "request.operation != 'DELETE' || oldObject.data.k != '1'", message: 'x stays' },
    ],
  });
  const change = () => client.patch(configmaps, x, { type: 'merge', patch: { data: { k: '2' } } }, { dryRun: true });
  t.equal(await refused(change), `422 Invalid: ${by('p', 'k stays')}`);
  t.equal(await refused(() => client.delete(configmaps, x)), `422 Invalid: ${by('p', 'x stays')}`);
  await client.patch(configmaps, x, { type: 'merge', patch: { data: { l: '2' } } });
});

t.test('authorizer checks: immediate, asynchronous and failing', async t => {
  const checks: string[] = [];
  const server = await configured(t, {
    authorize: (user, attributes): Promise<AuthorizationDecision> | AuthorizationDecision => {
      if (attributes.type === 'path') throw new Error('broken');
      checks.push(
        `${user.name} ${attributes.verb} ${attributes.group}/${attributes.resource} ${attributes.namespace} ${attributes.name}`,
      );
      return attributes.verb === 'wait'
        ? Promise.resolve({ allowed: false, reason: 'later' })
        : admins(user, attributes);
    },
  });
  const { client } = server;
  const cases: [string, string][] = [
    ["!authorizer.group('apps').resource('deployments').namespace('a').name('b').check('get').allowed()", 'now'],
    ["authorizer.group('').resource('pods').check('wait').allowed()", 'asked'],
    ["!authorizer.path('/x').check('get').errored()", 'broken'],
    ["!authorizer.requestResource.check('create').allowed()", 'request'],
  ];
  for (const [expression, message] of cases) {
    await addPolicy(client, message, { validations: [{ expression, message }] });
    t.equal(await refused(() => create(server)), `422 Invalid: ${by(message, message)}`);
    await client.delete(validatingBindings, { name: message });
    await eventually(
      () => refusal(create(server)),
      text => text === 'allowed',
    );
  }
  t.ok(checks.includes('admin get apps/deployments a b'));
  t.ok(checks.includes('admin create /configmaps default x'));
});

t.test('parameters are found by name and by labels, also custom resources', async t => {
  const server = await configured(t);
  const { client } = server;
  await define(client, definition({ versions: [version('v1')] }));
  const paramKind = { apiVersion: 'example.com/v1', kind: 'Widget' };
  const validations = [
    {
      expression: 'params == null || object.metadata.name != params.forbidden',
      messageExpression: "'not ' + params.forbidden",
    },
  ];
  await client.create(
    widgets,
    widget('one', { forbidden: 'a', metadata: { name: 'one', namespace: 'default', labels: { use: 'yes' } } }),
  );
  await client.create(
    widgets,
    widget('two', { forbidden: 'x', metadata: { name: 'two', namespace: 'default', labels: { use: 'yes' } } }),
  );
  await addPolicy(
    client,
    'p',
    { paramKind, validations },
    { paramRef: { name: 'two', parameterNotFoundAction: 'Deny' } },
  );
  t.equal(await refused(() => create(server)), `422 Invalid: ${by('p', 'not x')}`);
  await client.patch(
    validatingBindings,
    { name: 'p' },
    { type: 'merge', patch: { spec: { paramRef: { name: 'one' } } } },
  );
  await eventually(
    () => refusal(create(server)),
    text => text === 'allowed',
  );
  await client.patch(
    validatingBindings,
    { name: 'p' },
    { type: 'merge', patch: { spec: { paramRef: { name: null, selector: { matchLabels: { use: 'yes' } } } } } },
  );
  t.equal(
    await refused(() => create(server)),
    `422 Invalid: ${by('p', 'not x')}`,
    'any of several parameters can deny',
  );
  await client.delete(widgets, { name: 'two', namespace: 'default' });
  await eventually(
    () => refusal(create(server)),
    text => text === 'allowed',
  );
  await client.delete(widgets, { name: 'one', namespace: 'default' });
  t.equal(
    await refused(() => create(server)),
    `422 Invalid: ${by('p', 'failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction')}`,
  );
  await client.patch(
    validatingBindings,
    { name: 'p' },
    { type: 'merge', patch: { spec: { paramRef: { parameterNotFoundAction: 'Allow' } } } },
  );
  await eventually(
    () => refusal(create(server)),
    text => text === 'allowed',
  );
});

t.test('policies do not apply to policies and bindings', async t => {
  const server = await configured(t);
  const { client } = server;
  const everything = {
    resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
    namespaceSelector: {},
    objectSelector: {},
  };
  await addPolicy(client, 'p', { matchConstraints: everything, validations: [{ expression: 'false' }] });
  await refused(() => create(server));
  t.match(
    await refusal(client.create(crds, definition())),
    '422 Invalid: customresourcedefinitions.apiextensions.k8s.io',
  );
  await client.delete(validatingBindings, { name: 'p' });
  await eventually(
    () => refusal(create(server)),
    text => text === 'allowed',
  );
});
