/** The canonical form of a large object is the same in steps and at once, and no step is long. */
import t, { type Test } from 'tap';
import { canonical, canonicalInSteps } from '../../../apimachinery/codec/canonical.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { jsonText } from '../../../lib/json/json.js';
import { nativeSchema } from '../../../openapi/facts/native-schemas.js';
import { countedSteps } from '../../counted-steps.js';

type Options = NonNullable<Parameters<typeof canonical>[2]>;

const count = 4000;
const many = <T>(make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const entries = (make: (i: number) => unknown, key = (i: number): string => `k${i}`): Record<string, unknown> =>
  Object.fromEntries(many(i => [key(i), make(i)]));
const reversed = (i: number): string => `k${String(count - i).padStart(5, '0')}`;

const core = (name: string): Schema => nativeSchema(`io.k8s.api.core.v1.${name}`);
const jsonSchema = nativeSchema('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps');
const deployment = nativeSchema('io.k8s.api.apps.v1.Deployment');

const podWith = (containers: unknown): object => ({
  // The keys are not in the order of the declaration, and some are unknown.
  spec: { bogus: 1, containers, nodeSelector: entries(String, reversed), restartPolicy: '', volumes: [] },
  metadata: { creationTimestamp: null, labels: {}, finalizers: many(i => `f${i}`) },
});

interface Case {
  readonly name: string;
  readonly schema: Schema;
  readonly given: unknown;
}

const env = many(i => ({ value: `v${i}`, name: `E${i}`, valueFrom: i % 2 === 0 ? null : {} }));
const cases: readonly Case[] = [
  { name: 'lists of structs', schema: deployment, given: { spec: { template: podWith([{ env, name: 'c' }]) } } },
  {
    name: 'many small parts',
    schema: deployment,
    given: { spec: { template: podWith(many(i => ({ name: `c${i}` }))) } },
  },
  {
    name: 'a sorted map',
    schema: core('ConfigMap'),
    given: {
      data: entries(
        () => 'v',
        i => `k${i + 10_000}`,
      ),
    },
  },
  { name: 'maps in reverse order', schema: core('ConfigMap'), given: { data: entries(() => null, reversed) } },
  { name: 'bytes', schema: core('Secret'), given: { data: entries(i => (i % 2 === 0 ? 'YQ==\n' : 'YQ==')) } },
  { name: 'quantities', schema: core('NodeStatus'), given: { capacity: entries(i => (i % 2 === 0 ? '1000m' : i)) } },
  { name: 'wrong values', schema: core('ConfigMap'), given: { data: entries(i => (i === 3000 ? 1 : '')) } },
  { name: 'a list in place of a map', schema: core('ConfigMap'), given: { data: many(String) } },
  { name: 'a map in place of a list', schema: core('PodSpec'), given: { containers: entries(String) } },
  { name: 'a list in place of a struct', schema: core('Pod'), given: { spec: many(String) } },
  { name: 'unknown fields', schema: core('ConfigMap'), given: entries(String) },
  {
    name: 'schemas',
    schema: jsonSchema,
    given: {
      properties: entries(i => ({ type: 'string', minimum: i === 7 ? -0 : i, bogus: i })),
      maximum: -0,
      items: many(i => ({ description: `d${i}`, type: 'string' })),
      additionalProperties: { type: 'object', properties: entries(i => ({ default: i }), reversed) },
    },
  },
];
const options: Readonly<Record<string, Options>> = {
  default: {},
  sharing: { shareCanonical: true },
  'empty as null': { emptyAsNull: true, shareCanonical: true },
};

const outcome = (run: () => ReturnType<typeof canonical>): string => {
  try {
    const { object, unknown } = run();
    return jsonText({ object, unknown });
  } catch (error) {
    return String(error);
  }
};

function checkSame(t: Test, { name, schema, given }: Case, option: Options): void {
  const before = JSON.stringify(given);
  const inSteps = outcome(() => countedSteps(canonicalInSteps(given, schema, option)).value);
  t.ok(inSteps === outcome(() => canonical(given, schema, option)), name);
  t.ok(JSON.stringify(given) === before, `${name}: the argument is left alone`);
}

t.test('the result in steps is that of canonical', async t => {
  for (const [name, option] of Object.entries(options))
    await t.test(name, async t => {
      for (const one of cases) checkSame(t, one, option);
    });
});

t.test('parts in canonical form are shared if that is asked for', async t => {
  const data = entries(
    () => 'v',
    i => `k${i + 10_000}`,
  );
  const of = (option: Options): unknown =>
    countedSteps(canonicalInSteps({ metadata: {}, data }, core('ConfigMap'), option)).value.object['data'];
  t.equal(of({ shareCanonical: true }), data);
  t.not(of({}), data);
  const wrong = { a: 1 };
  const known = countedSteps(canonicalInSteps({ data: wrong }, core('ConfigMap'), { canonicalParts: [wrong] })).value;
  t.equal(known.object['data'], wrong, 'known parts are not converted');
});

t.test('no step converts many values', async t => {
  for (const one of cases.slice(0, 6)) {
    const steps = countedSteps(canonicalInSteps(one.given, one.schema)).count;
    t.ok(steps >= count / 16, `${one.name}: ${steps} steps`);
  }
});
