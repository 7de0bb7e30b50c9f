/** MutatingAdmissionPolicies: what they change, and in which order. */
import t from 'tap';
import { deployment, deployments, refusal } from '../../registry/serve.js';
import {
  type Configured,
  addPolicy,
  configured,
  eventually,
  mutatingPolicies,
  refused,
  create,
} from '../plugins/configured.js';
import { define, definition, version, widget, widgets } from '../../registry/dynamic/definitions.js';
import { resource } from '../plugins/guarded.js';

const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const jsonPatch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
const addMutating = ({ client }: Configured, name: string, spec: object, binding?: object) =>
  addPolicy(client, name, spec, binding, 'Mutating');

t.test('policies change objects', async t => {
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
      name: 'objects in apply configurations',
      given: {
        variables: [{ name: 'n', expression: 'object.spec.replicas + 2' }],
        mutations: [
          apply('Object{metadata: Object.metadata{labels: {"a": "b"}}, spec: Object.spec{replicas: variables.n}}'),
        ],
      },
      expect: { metadata: { labels: { a: 'b' } }, spec: { replicas: 3 } },
    },
    {
      name: 'list items are merged by their keys',
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
      name: 'doubles as structpb writes them',
      given: {
        mutations: [
          jsonPatch(
            '[JSONPatch{op: "add", path: "/metadata/labels", value: {"a": "b"}}, JSONPatch{op: "replace", path: "/spec/replicas", value: 4.0}, JSONPatch{op: "add", path: "/spec/template/spec/terminationGracePeriodSeconds", value: 1e18}]',
          ),
        ],
      },
      expect: {
        metadata: { labels: { a: 'b' } },
        spec: { replicas: 4, template: { spec: { terminationGracePeriodSeconds: 1000000000000000000n } } },
      },
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

t.test('errors of mutating policies', async t => {
  const server = await configured(t);
  const { client } = server;
  const head = "403 Invalid: policy 'p' with binding 'p' denied request: ";
  const cases: { name: string; given: object; expect: string }[] = [
    {
      name: 'fields that do not exist',
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
      name: 'type names of another field',
      given: apply('Object{metadata: Object.spec{labels: {"a": "b"}}}'),
      expect: `${head}type mismatch: unexpected type name "Object.spec", expected "Object.metadata", which matches field name path from root Object type`,
    },
    {
      name: 'a JSON patch that cannot be applied',
      given: jsonPatch('[JSONPatch{op: "remove", path: "/data/none"}]'),
      expect: `${head}JSON Patch: `,
    },
    {
      name: 'unknown fields in a JSON patch',
      given: jsonPatch(
        '[JSONPatch{op: "add", path: "/nope", value: 1}, JSONPatch{op: "add", path: "/data", value: {"n": "1"}}]',
      ),
      expect: '500 InternalError: Internal error occurred: strict decoding error: unknown field "nope"',
    },
    {
      name: 'a double for a string',
      given: jsonPatch('[JSONPatch{op: "add", path: "/data", value: {"n": 2.0}}]'),
      expect:
        '500 InternalError: Internal error occurred: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    },
  ];
  for (const { name, given, expect } of cases) {
    await addMutating(server, 'p', { mutations: [given] });
    const message = await refused(() => create(server));
    t.equal(message.slice(0, expect.length), expect, name);
    await client.delete(mutatingPolicies, { name: 'p' });
    await client.delete(resource('mutatingadmissionpolicybindings', 'admissionregistration.k8s.io'), { name: 'p' });
    await eventually(
      () => refusal(create(server)),
      text => text === 'allowed',
    );
  }
});

t.test('expressions that do not compile are refused at creation', async t => {
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
    const message = await refusal(addMutating(server, 'p', { mutations: [mutation] }));
    t.equal(message.slice(0, (head + expect).length), head + expect);
  }
});

t.test('policies see the changes of earlier ones, and run again with reinvocationPolicy IfNeeded', async t => {
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
  t.same(made['data'], { count: '2', once: '1' }, 'a saw two keys the second time, b did not run again');
});

t.test('custom resources are changed in the version that the policy matches', async t => {
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
