import t from 'tap';
import type { Decision } from '../../../registry/access.js';
import { configMap, configmaps, deployment, deployments, namespaces, refusal } from '../serve.js';
import {
  type Configured,
  addPolicy,
  admins,
  configured,
  eventually,
  mutatingPolicies,
  refused,
  validatingBindings,
} from './configured.js';
import { crds, define, definition, version, widget, widgets } from '../dynamic/definitions.js';
import { object, resource } from './guarded.js';

const x = { name: 'x', namespace: 'default' };
const create = ({ client }: Configured, more: Record<string, unknown> = {}) =>
  client.create(configmaps, configMap('x', more), { dryRun: true });
const by = (name: string, text: string): string =>
  `configmaps "x" is forbidden: ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: ${text}`;

t.test('what a policy says is what a client is told', async t => {
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
      name: 'computed message',
      given: {
        validations: [
          { expression: 'false', message: 'plain', messageExpression: "'computed ' + object.metadata.name" },
        ],
      },
      expect: `422 Invalid: ${by('p', 'computed x')}`,
    },
    {
      name: 'computed messages that are too long or have several lines do not count',
      given: {
        validations: [
          { expression: 'false', message: 'plain', messageExpression: `request.name == 'x' ? ${long} : 'a\\nb'` },
        ],
      },
      expect: `422 Invalid: ${by('p', 'plain')}`,
    },
    {
      name: 'computed messages that fail do not count',
      given: { validations: [{ expression: 'false', message: 'plain', messageExpression: 'string(object.none)' }] },
      expect: `422 Invalid: ${by('p', 'plain')}`,
    },
    {
      name: 'the first of several',
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
      name: 'the namespace',
      given: { validations: [{ expression: "namespaceObject.metadata.name == 'other'" }] },
      expect: `422 Invalid: ${by('p', `failed expression: namespaceObject.metadata.name == 'other'`)}`,
    },
    {
      name: 'the request',
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
      name: 'all that an expression may cost',
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
      name: 'parameters in a namespace that they have not',
      given: { paramKind: { apiVersion: 'v1', kind: 'Namespace' }, validations: [{ expression: 'true' }] },
      binding: { paramRef: { name: 'default', namespace: 'default', parameterNotFoundAction: 'Deny' } },
      expect: `422 Invalid: ${by('p', 'failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`')}`,
    },
  ];
  for (const { name, given, expect, binding } of cases) {
    await addPolicy(client, 'p', given, binding);
    const said = await refused(() => create(server));
    t.equal(said.slice(0, expect.length), expect, name);
    await client.delete(validatingBindings, { name: 'p' });
    await client.delete(resource('validatingadmissionpolicies', 'admissionregistration.k8s.io'), { name: 'p' });
    await eventually(
      () => refusal(create(server)),
      text => text === 'allowed',
    );
  }
});

t.test('actions: warnings, audit annotations, denials', async t => {
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

t.test('who fails open lets pass', async t => {
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

t.test('what policies and bindings are about', async t => {
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
      name: 'namespaces, by the binding',
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
      name: 'all but some',
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
      name: 'subresources have rules of their own',
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

t.test('changes and deletions are judged with what stood before', async t => {
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

t.test('rights: known at once, asked for, and not to be had', async t => {
  const asked: string[] = [];
  const server = await configured(t, {
    authorize: (user, attributes): Promise<Decision> | Decision => {
      if (attributes.type === 'path') throw new Error('broken');
      asked.push(
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
  t.ok(asked.includes('admin get apps/deployments a b'));
  t.ok(asked.includes('admin create /configmaps default x'));
});

t.test('parameters: by name, by labels, of custom resources', async t => {
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
  t.equal(await refused(() => create(server)), `422 Invalid: ${by('p', 'not x')}`, 'any of them denies');
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

t.test('policies do not stand in the way of policies', async t => {
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

// --- mutating ---------------------------------------------------------------------------------------------------

const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const jsonPatch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
const addMutating = ({ client }: Configured, name: string, spec: object, binding?: object) =>
  addPolicy(client, name, spec, binding, 'Mutating');

t.test('objects are changed by policies', async t => {
  const server = await configured(t);
  const { client } = server;
  const apps = {
    matchConstraints: {
      resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }],
      namespaceSelector: {},
      objectSelector: {},
    },
  };
  const cases: { name: string; given: object; expect: object }[] = [
    {
      name: 'objects to apply',
      given: {
        variables: [{ name: 'n', expression: 'object.spec.replicas + 2' }],
        mutations: [
          apply('Object{metadata: Object.metadata{labels: {"a": "b"}}, spec: Object.spec{replicas: variables.n}}'),
        ],
      },
      expect: { metadata: { labels: { a: 'b' } }, spec: { replicas: 3 } },
    },
    {
      name: 'items of lists are told apart by their keys',
      given: {
        mutations: [
          apply(
            'Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: "side", image: "s:1"}]}}}}',
          ),
        ],
      },
      expect: {
        spec: {
          template: {
            spec: { containers: [{ name: 'c' }, { name: 'side', image: 's:1', imagePullPolicy: 'IfNotPresent' }] },
          },
        },
      },
    },
    {
      name: 'JSON patches',
      given: {
        mutations: [
          jsonPatch(
            '[JSONPatch{op: "add", path: "/metadata/labels", value: {}}, JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a/b"), value: "d"}]',
          ),
          jsonPatch(
            '[JSONPatch{op: "test", path: "/spec/replicas", value: 7}, JSONPatch{op: "replace", path: "/spec/replicas", value: 8}]',
          ),
          jsonPatch('[JSONPatch{op: "copy", from: "/metadata/name", path: "/metadata/labels/name"}]'),
        ],
      },
      expect: { metadata: { labels: { 'a/b': 'd', name: 'x' } }, spec: { replicas: 1 } },
    },
    {
      name: 'whole objects as values',
      given: {
        mutations: [
          jsonPatch(
            '[JSONPatch{op: "add", path: "/spec/template/spec/containers/-", value: Object.spec.template.spec.containers{name: "d", image: "d:1"}}]',
          ),
        ],
      },
      expect: { spec: { template: { spec: { containers: [{ name: 'c' }, { name: 'd', image: 'd:1' }] } } } },
    },
  ];
  for (const { name, given, expect } of cases) {
    await addMutating(server, 'p', { ...apps, ...given });
    const before = await client.list(deployments);
    const made = await eventually(
      () => client.create(deployments, deployment('x'), { dryRun: true }),
      ({ metadata, spec }) =>
        metadata.labels !== undefined ||
        (JSON.stringify(spec).includes('"image":"') && (JSON.stringify(spec).match(/"image":/g) ?? []).length > 1),
    );
    t.match(made, expect, name);
    t.equal(before.items.length, 0);
    await client.delete(resource('mutatingadmissionpolicybindings', 'admissionregistration.k8s.io'), { name: 'p' });
    await client.delete(mutatingPolicies, { name: 'p' });
    await eventually(
      () => client.create(deployments, deployment('x'), { dryRun: true }),
      ({ metadata, spec }) =>
        metadata.labels === undefined && (JSON.stringify(spec).match(/"image":/g) ?? []).length === 1,
    );
  }
});

t.test('what mutating policies get wrong', async t => {
  const server = await configured(t);
  const { client } = server;
  const head = "403 Invalid: policy 'p' with binding 'p' denied request: ";
  const cases: { name: string; given: object; expect: string }[] = [
    {
      name: 'fields that there are not',
      given: apply('Object{nope: 1}'),
      expect: `${head}error applying patch: failed to convert patch object to typed object: .nope: field not declared in schema`,
    },
    {
      name: 'atomic lists',
      given: apply(
        'Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{uid: "a"}]}, immutable: object.none}',
      ),
      expect: `${head}expression 'Object{metadata`,
    },
    {
      name: 'names of types that are of other fields',
      given: apply('Object{metadata: Object.spec{labels: {"a": "b"}}}'),
      expect: `${head}type mismatch: unexpected type name "Object.spec", expected "Object.metadata", which matches field name path from root Object type`,
    },
    {
      name: 'patches that do not fit',
      given: jsonPatch('[JSONPatch{op: "remove", path: "/data/none"}]'),
      expect: `${head}JSON Patch: `,
    },
  ];
  for (const { name, given, expect } of cases) {
    await addMutating(server, 'p', { mutations: [given] });
    const said = await refused(() => create(server));
    t.equal(said.slice(0, expect.length), expect, name);
    await client.delete(mutatingPolicies, { name: 'p' });
    await client.delete(resource('mutatingadmissionpolicybindings', 'admissionregistration.k8s.io'), { name: 'p' });
    await eventually(
      () => refusal(create(server)),
      text => text === 'allowed',
    );
  }
});

t.test('what does not compile is refused at once', async t => {
  const server = await configured(t);
  const head = '422 Invalid: MutatingAdmissionPolicy.admissionregistration.k8s.io "p" is invalid: spec.mutations[0].';
  const cases: [object, string][] = [
    [
      apply('Nope{}'),
      `applyConfiguration.expression: Invalid value: "Nope{}": compilation failed: ERROR: <input>:1:5: undeclared reference to 'Nope' (in container '')`,
    ],
    [apply('1'), 'applyConfiguration.expression: Invalid value: "1": must evaluate to Object but got int'],
    [
      jsonPatch('[JSONPatch{op: 1, path: "/a"}]'),
      `jsonPatch.expression: Invalid value: "[JSONPatch{op: 1, path: \\"/a\\"}]": compilation failed: ERROR: <input>:1:14: expected type of field 'op' is 'string' but provided type is 'int'`,
    ],
    [
      jsonPatch('[JSONPatch{nope: 1}]'),
      `jsonPatch.expression: Invalid value: "[JSONPatch{nope: 1}]": compilation failed: ERROR: <input>:1:16: undefined field 'nope'`,
    ],
    [
      jsonPatch('[1]'),
      'jsonPatch.expression: Invalid value: "[1]": must evaluate to list(JSONPatch) but got list(int)',
    ],
  ];
  for (const [mutation, expect] of cases) {
    const said = await refusal(addMutating(server, 'p', { mutations: [mutation] }));
    t.equal(said.slice(0, (head + expect).length), head + expect);
  }
});

t.test('policies see what those before them have changed, and again when they want to', async t => {
  const server = await configured(t);
  const add = (key: string, value: string, more: object = {}) => ({
    mutations: [apply(`Object{data: {"${key}": ${value}}}`)],
    ...more,
  });
  await addMutating(
    server,
    'a',
    add('count', "has(object.data) ? string(object.data.size()) : '0'", { reinvocationPolicy: 'IfNeeded' }),
  );
  await addMutating(server, 'b', add('once', "has(object.data) ? string(object.data.size()) : '0'"));
  const made = await eventually(
    () => create(server),
    ({ data }) => Object.keys(data ?? {}).length === 2,
  );
  t.same(made['data'], { count: '2', once: '1' }, 'a saw two the second time, b was not asked again');
});

t.test('custom resources are changed in the version that a policy wants', async t => {
  const server = await configured(t);
  const { client } = server;
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { n: { type: 'integer' }, list: { type: 'array', items: { type: 'string' } } },
        },
      },
    },
  };
  await define(client, definition({ versions: [version('v1', { schema }), version('v2', { schema })] }));
  await addMutating(server, 'p', {
    matchConstraints: {
      resourceRules: [
        { apiGroups: ['example.com'], apiVersions: ['v2'], operations: ['CREATE'], resources: ['widgets'] },
      ],
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
    },
    mutations: [
      apply(
        'Object{spec: Object.spec{n: object.apiVersion == "example.com/v2" && request.resource.version == "v2" && request.requestResource.version == "v1" ? 2 : 1}}',
      ),
    ],
  });
  const made = await eventually(
    () => client.create(widgets, widget('x', { spec: { list: ['a'] } }), { dryRun: true }),
    ({ spec }) => (spec as { n?: number }).n !== undefined,
  );
  t.match(made, { apiVersion: 'example.com/v1', spec: { n: 2, list: ['a'] } });
  await client.patch(
    mutatingPolicies,
    { name: 'p' },
    { type: 'merge', patch: { spec: { mutations: [apply('Object{spec: Object.spec{list: ["b"]}}')] } } },
  );
  t.equal(
    await refused(() => client.create(widgets, widget('x', {}), { dryRun: true })),
    "403 Invalid: policy 'p' with binding 'p' denied request: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.list",
  );
});
