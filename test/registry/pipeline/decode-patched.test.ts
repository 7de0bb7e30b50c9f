/** How the results of patches are decoded. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { StatusError } from '../../../apimachinery/errors/status.js';
import { Literal } from '../../../lib/json/literal.js';
import { nativeSchemaFor } from '../../../openapi/facts/native-schemas.js';
import { decodeAdmitted, decodePatched, type PatchTarget } from '../../../registry/pipeline/decode-patched.js';

type Change = Parameters<typeof decodePatched>[3];

const warnings: string[] = [];
const common = { convert: (object: KubeObject) => object, warn: (text: string) => void warnings.push(text) };
const schema = nativeSchemaFor({ group: 'apps', version: 'v1', kind: 'Deployment' }) ?? {};
const native: PatchTarget = {
  ...{ group: 'apps', kind: 'Deployment', apiVersion: 'apps/v1', schema, keys: 'declared' },
  ...common,
};
const widgetSchema: Schema = {
  type: 'object',
  properties: {
    metadata: { type: 'object' },
    spec: { type: 'object', properties: { share: { type: 'number' }, name: { type: 'string' } } },
  },
};
const custom: PatchTarget = {
  ...{ group: 'example.com', kind: 'Widget', apiVersion: 'example.com/v1', schema: widgetSchema, keys: 'sorted' },
  ...common,
};
const deployment = (spec: object, more: object = {}): KubeObject => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec },
  ...more,
});
const widget = (spec: object, more: object = {}): KubeObject => ({
  ...{ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec },
  ...more,
});
const merge: Change = { type: 'merge', patch: {} };

/** Returns the message of the error of a call. */
function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
  return 'none';
}

const decoded = (
  target: PatchTarget,
  result: KubeObject,
  live: KubeObject,
  change: Change = merge,
  validation: Parameters<typeof decodePatched>[4] = 'Strict',
) => decodePatched(target, result, live, change, validation).object;

t.test('the result is a copy in the order of the fields', async t => {
  const live = deployment({ replicas: 1 });
  const result = deployment({ template: {}, replicas: 2 });
  const object = decoded(native, result, live);
  t.not(object, result);
  t.strictSame(Object.keys(object['spec'] as object), ['replicas', 'selector', 'template', 'strategy']);
});

t.test('unknown fields are refused, reported, or dropped', async t => {
  const live = deployment({});
  const result = deployment({ replicsa: 2 });
  t.match(
    messageOf(() => decoded(native, result, live)),
    /^422 .*strict decoding error: unknown field "spec\.replicsa"/,
  );
  warnings.length = 0;
  const hasField = (object: KubeObject): boolean => Object.hasOwn(object['spec'] as object, 'replicsa');
  t.notOk(hasField(decoded(native, result, live, merge, 'Warn')));
  t.strictSame(warnings, ['unknown field "spec.replicsa"']);
  t.notOk(hasField(decoded(native, result, live, merge, 'Ignore')));
  t.equal(warnings.length, 1, 'nothing is reported');
});

t.test('unknown fields of the operations of a JSON patch are reported first', async t => {
  const operation = { op: 'add', path: '/spec/x', value: 1, vlaue: 2 } as const;
  const change: Change = { type: 'json', patch: [operation] };
  warnings.length = 0;
  decoded(native, deployment({ x: 1 }), deployment({}), change, 'Warn');
  t.strictSame(warnings, ['json patch unknown field "[0].vlaue"', 'unknown field "spec.x"']);
});

t.test('values of a wrong type are refused with the text of the object', async t => {
  const message = messageOf(() => decoded(native, deployment({ replicas: 'x' }), deployment({})));
  t.match(message, /^422 /);
  t.match(message, 'cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32');
  t.match(message, String.raw`{\"name\":\"d\"},\"spec\":{\"replicas\":\"x\"}}`);
});

t.test('the type of a strategic merge patch stays', async t => {
  const result = deployment({ replicas: 3 }, { apiVersion: 'v1', kind: 'Pod' });
  t.match(decoded(native, result, deployment({}), { type: 'strategic', patch: {} }), {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 3 } },
  });
});

t.test('a built-in kind of another type is refused', async t => {
  const kind = (more: object): string => messageOf(() => decoded(native, deployment({}, more), deployment({})));
  t.match(kind({ kind: 'ReplicaSet' }), /^422 .*ReplicaSet/);
  t.match(kind({ apiVersion: 'apps/v7' }), /^422 .*apps\/v7/);
  t.match(kind({ apiVersion: 'a/b/c' }), /^422 .*unexpected GroupVersion string: a\/b\/c/);
  t.match(
    decoded(native, deployment({}, { kind: '' }), deployment({})),
    { kind: 'Deployment' },
    'no kind is that of the target',
  );
});

t.test('a custom resource of another type is invalid', async t => {
  const kind = (more: object): string => messageOf(() => decoded(custom, widget({}, more), widget({})));
  t.match(kind({ kind: '' }), /^422 .*Object 'Kind' is missing in /);
  t.match(
    kind({ kind: 'Gadget' }),
    /^422 Gadget\.example\.com "w" is invalid: kind: Invalid value: "Gadget": must be Widget$/,
  );
  t.match(
    kind({ kind: 'Gadget', apiVersion: 'v1' }),
    /\[kind: .*, apiVersion: Invalid value: "v1": must be example\.com\/v1\]$/,
  );
});

t.test('whole numbers that were written as floats are noted for custom resources only', async t => {
  const literal: Change = { type: 'merge', patch: {}, literals: true };
  const spec = { share: new Literal('2.0') };
  const read = decodePatched(custom, widget(spec), widget({}), literal, 'Strict');
  t.strictSame(read.object['spec'], { share: 2 });
  t.ok(read.floats?.length, 'the path of the float');
  t.notOk(
    decodePatched(custom, widget({ share: 2 }), widget({}), merge, 'Strict').floats,
    'without literals nothing is known',
  );
});

t.test('results of admission may have no apiVersion', async t => {
  const { object } = decodeAdmitted(native, { ...deployment({ replicas: 1 }), apiVersion: '' }, false);
  t.match(object, { apiVersion: 'apps/v1', spec: { replicas: 1 } });
  const read = decodeAdmitted(custom, widget({ name: 'a', more: 1 }, { kind: 'Gadget' }), false);
  t.match(read, { object: { kind: 'Widget' }, unknown: ['unknown field "spec.more"'] });
});
