/** CustomResourceDefinitions with large schemas and patterns, and custom objects. */
import {
  anything,
  customKind,
  definitionsPath,
  object as objectSchema,
  text,
  version,
  whole,
} from '../../custom-kinds.js';
import { entries, get, object, patch, post, put, range, remove } from './objects.js';
import type { Target } from '../../conformance/fuzz/send.js';
import type { Fixture, Row } from '../row.js';

const group = 'stalls.example.com';

interface Definition {
  /** The schema of `spec`. */
  readonly schema: object;
  /** The specs of objects that are created; their creation may fail. */
  readonly specs?: readonly unknown[];
  readonly more?: object;
}

/** The servers whose OpenAPI document was read in a play that is not measured. */
const warm = new WeakSet<Target>();

/** Reads the schemas of all kinds. The server takes a second to write them, so that it does so once only in plays that are not measured, for its code. */
async function readSchemas({ target, warmUp, send }: Fixture): Promise<void> {
  if (warmUp && warm.has(target)) return;
  warm.add(target);
  await send(get('/openapi/v2', { accept: 'application/json' }));
}

/** Creates a definition and custom objects, reads its published schema, and deletes it. */
export const definition = (name: string, size: number, make: (size: number) => Definition): Row => ({
  name: `custom/${name}`,
  size,
  async play(fixture) {
    const plural = fixture.name();
    const kind = `K${plural.replaceAll('-', '')}`;
    const { schema, specs = [], more = {} } = make(fixture.size);
    const whole = version('v1', objectSchema({ spec: schema }), more);
    const { status } = await fixture.send(
      post(definitionsPath, customKind(kind, [whole], { group, names: { plural, kind } })),
    );
    if (status !== 201) return;
    const path = `/apis/${group}/v1/namespaces/default/${plural}`;
    for (let answer = 404; answer === 404;) answer = (await fixture.send(get(path))).status;
    await readSchemas(fixture);
    await fixture.send(get(`/openapi/v3/apis/${group}/v1`));
    for (const [i, spec] of specs.entries()) {
      const made = object(`${group}/v1`, kind, `o${i}`, { spec });
      await fixture.send(post(`${path}?fieldValidation=Strict`, made));
      await fixture.send(get(`${path}/o${i}`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }));
      await fixture.send(patch('apply', `${path}/o${i}`, made));
      await fixture.send(patch('merge', `${path}/o${i}`, { metadata: { labels: { a: 'b' } } }));
    }
    await fixture.must(remove(`${definitionsPath}/${plural}.${group}`));
  },
});

const pattern = (name: string, size: number, make: (size: number) => string, value: (size: number) => string): Row =>
  definition(`pattern-${name}`, size, size => ({
    schema: objectSchema({ k: { ...text, pattern: make(size) } }),
    specs: [{ k: value(size) }],
  }));

const nest = (size: number, wrap: (inner: object) => object): object => {
  let schema: object = text;
  for (let i = 0; i < size; i++) schema = wrap(schema);
  return schema;
};
const deepValue = (size: number): unknown => {
  let value: unknown = 'v';
  for (let i = 0; i < size; i++) value = { k: value };
  return value;
};

/** Creates a definition with many served versions, each with its own schema. */
const versions = (name: string, size: number): Row => ({
  name: `custom/${name}`,
  size,
  async play(fixture) {
    const plural = fixture.name();
    const kind = `K${plural.replaceAll('-', '')}`;
    const all = range(fixture.size, i =>
      version(`v${i + 1}`, objectSchema({ [`p${i}`]: text }), { storage: i === 0, served: true }),
    );
    const { status } = await fixture.send(
      post(definitionsPath, customKind(kind, all, { group, names: { plural, kind } })),
    );
    await readSchemas(fixture);
    await fixture.send(get('/apis'));
    if (status === 201) await fixture.must(remove(`${definitionsPath}/${plural}.${group}`));
  },
});

/** Creates a definition with validation rules for `spec`. */
const rules = (name: string, size: number, make: (size: number) => readonly object[], properties: object = {}): Row =>
  definition(name, size, size => ({
    schema: objectSchema({ k: text, ...properties }, { 'x-kubernetes-validations': make(size) }),
    specs: [{ k: 'x' }],
  }));

/** Bytes of schemas with tens of thousands of fields, which the watch history retains for some minutes. */
const keptSchemas = 24 << 20;

/** Creates a definition with this schema for `spec`, and changes it by all kinds of requests. */
const changedDefinition = (name: string, size: number, make: (size: number) => object): Row => ({
  name: `custom/changed-${name}`,
  size,
  retainedBytes: keptSchemas,
  async play(fixture) {
    const plural = fixture.name();
    const kind = `K${plural.replaceAll('-', '')}`;
    const versions = [version('v1', objectSchema({ spec: make(fixture.size) }))];
    const definition = customKind(kind, versions, { group, names: { plural, kind } });
    const path = `${definitionsPath}/${plural}.${group}`;
    await fixture.must(post(definitionsPath, definition));
    await fixture.must(patch('merge', path, { metadata: { labels: { a: 'b' } } }));
    await fixture.must(patch('merge', path, { spec: { versions } }));
    await fixture.must(patch('json', path, [{ op: 'add', path: '/spec/names/shortNames', value: [plural] }]));
    // The server writes the status meanwhile.
    for (let answer = 409; answer === 409;) {
      const { text: stored } = await fixture.must(get(path));
      const [, resourceVersion] = /"resourceVersion":"([0-9]+)"/.exec(stored) ?? [];
      const next = { ...definition, metadata: { ...definition.metadata, resourceVersion } };
      answer = (await fixture.send(put(path, next))).status;
      if (answer !== 200 && answer !== 409) throw new Error(`an update is answered with ${answer}`);
    }
    await fixture.must(remove(path));
  },
});

export const customRows: readonly Row[] = [
  pattern(
    'nested',
    1000,
    size => `^(a?){${size}}a{${size}}$`,
    size => 'a'.repeat(size),
  ),
  pattern(
    'nested-deep',
    30,
    size => `${'('.repeat(size)}a${'*)'.repeat(size)}b`,
    () => 'a'.repeat(100_000),
  ),
  pattern(
    'alternatives',
    100_000,
    size => range(size, i => `a${i}`).join('|'),
    () => 'b'.repeat(1000),
  ),
  pattern(
    'repeats',
    10,
    size => `${'('.repeat(size)}a${'{10})'.repeat(size)}`,
    () => 'a'.repeat(100_000),
  ),
  pattern(
    'classes',
    100_000,
    size => `[${range(size, i => String.fromCharCode(0x100 + (i % 50_000))).join('')}]*`,
    () => 'a'.repeat(1000),
  ),
  pattern(
    'brackets',
    200_000,
    size => '('.repeat(size),
    () => 'a',
  ),
  pattern(
    'long-text',
    1_000_000,
    () => '^(aa|a|aaa)*b$',
    size => 'a'.repeat(size),
  ),
  pattern(
    'unicode',
    1000,
    size => `(\\p{L}|\\p{N}|\\p{Lu}){${size}}`,
    size => 'a'.repeat(size),
  ),
  {
    ...definition('properties', 20_000, size => ({
      schema: objectSchema(entries(size, i => [`p${i}`, text])),
      specs: [entries(size, i => [`p${i}`, 'v'])],
    })),
    retainedBytes: keptSchemas,
  },
  {
    ...definition('defaults', 10_000, size => ({
      schema: objectSchema(entries(size, i => [`p${i}`, { ...text, default: 'v' }])),
      specs: [{}],
    })),
    retainedBytes: keptSchemas,
  },
  definition('deep', 300, size => ({
    schema: nest(size, inner => objectSchema({ k: inner })),
    specs: [deepValue(size)],
  })),
  definition('enum', 100_000, size => ({
    schema: objectSchema({ k: { ...text, enum: range(size, i => `v${i}`) } }),
    specs: [{ k: 'x' }],
  })),
  changedDefinition('enum', 48_000, size => objectSchema({ k: { ...text, enum: range(size, i => `v${i}`) } })),
  changedDefinition('properties', 24_000, size => objectSchema(entries(size, i => [`p${i}`, text]))),
  definition('required', 50_000, size => ({
    schema: objectSchema({ k: text }, { required: range(size, i => `r${i}`) }),
    specs: [{}],
  })),
  definition('any-of', 10_000, size => ({
    schema: objectSchema({ k: { ...text, anyOf: range(size, i => ({ enum: [`v${i}`] })) } }),
    specs: [{ k: 'x' }],
  })),
  definition('any-of-deep', 6, size => ({
    schema: objectSchema(
      { k: text },
      {
        not: nest(size, inner => ({
          anyOf: [{ not: inner }, { not: inner }],
          oneOf: [{ not: inner }, { not: inner }],
        })),
      },
    ),
    specs: [{ k: 'x' }],
  })),
  definition('list-map', 20_000, size => ({
    schema: objectSchema({
      list: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: objectSchema({ k: text, v: text }, { required: ['k'] }),
      },
    }),
    specs: [{ list: range(size, i => ({ k: `k${i}`, v: 'v' })) }, { list: range(size, () => ({ k: 'k' })) }],
  })),
  definition('set', 40_000, size => ({
    schema: objectSchema({ list: { type: 'array', 'x-kubernetes-list-type': 'set', items: text } }),
    specs: [{ list: range(size, i => `v${i}`) }],
  })),
  definition('set-of-objects', 10_000, size => ({
    schema: objectSchema({
      list: {
        type: 'array',
        'x-kubernetes-list-type': 'set',
        items: objectSchema({ a: text }, { 'x-kubernetes-map-type': 'atomic' }),
      },
    }),
    specs: [{ list: range(size, i => ({ a: `v${i}` })) }],
  })),
  definition('wrong-items', 100_000, size => ({
    schema: objectSchema({ list: { type: 'array', items: whole } }),
    specs: [{ list: range(size, i => `v${i}`) }],
  })),
  definition('unknown-fields', 60_000, size => ({
    schema: objectSchema({}),
    specs: [entries(size, i => [`u${i}`, 1])],
  })),
  definition('anything', 100_000, size => ({ schema: anything, specs: [{ list: range(size, i => ({ i })) }] })),
  definition('columns', 2000, size => ({
    schema: anything,
    more: { additionalPrinterColumns: range(size, i => ({ name: `c${i}`, type: 'string', jsonPath: `.spec.p${i}` })) },
    specs: [{}],
  })),
  definition('column-path', 20_000, size => ({
    schema: anything,
    more: { additionalPrinterColumns: [{ name: 'c', type: 'string', jsonPath: `.spec${'..a[*]'.repeat(size)}` }] },
    specs: [{ a: [{ a: [1] }] }],
  })),
  rules('rules', 100, size => range(size, i => ({ rule: `self.k != 'x${i}'`, message: 'm' }))),
  rules('rules-many', 16_000, size => range(size, i => ({ rule: `self.k != 'x${i}' && true` }))),
  rules('rules-long', 30, size =>
    range(size, () => ({ rule: `self.k in [${range(3000, j => `'${j}'`).join(',')}]`, message: 'm' })),
  ),
  rules('rules-wrong', 5, size => range(size, () => ({ rule: `${'x + '.repeat(20_000)}y` }))),
  definition('rules-field-paths', 6000, size => ({
    schema: objectSchema(
      entries(size, i => [`p${i}`, text]),
      {
        'x-kubernetes-validations': range(size, i => ({ rule: `self.p${i} != 'x'`, fieldPath: `.p${i}` })),
      },
    ),
  })),
  definition('rules-unsupported', 6000, size => ({
    schema: objectSchema(
      { ...entries(size, i => [`p${i}`, text]), z: { ...text, $ref: 'x' } },
      { 'x-kubernetes-validations': range(size, i => ({ rule: 'true', fieldPath: `.q${i}` })) },
    ),
  })),
  definition('deep-defaults', 200, size => {
    const rule = { 'x-kubernetes-validations': [{ rule: 'true' }] };
    let schema = objectSchema(
      entries(size * 10, i => [`p${i}`, text]),
      rule,
    );
    for (let i = 0; i < size; i++) schema = objectSchema({ k: schema }, { ...rule, default: {} });
    return { schema, specs: [{}] };
  }),
  definition('metadata-defaults', 8000, size => ({
    schema: objectSchema({
      e: {
        ...anything,
        'x-kubernetes-embedded-resource': true,
        properties: {
          metadata: objectSchema({
            annotations: objectSchema(entries(size, i => [`a${i}`, { ...text, default: 'x' }])),
          }),
        },
      },
    }),
    specs: [{ e: {} }],
  })),
  definition('any-of-patterns', 10_000, size => ({
    schema: objectSchema({ k: { ...text, anyOf: range(size, i => ({ pattern: `^a${i}$` })) } }),
    specs: [{ k: 'x' }],
  })),
  definition('pattern-many-texts', 1000, size => ({
    schema: objectSchema({
      list: { type: 'array', items: { ...text, pattern: '^(\\p{L}|\\p{N}|\\p{Lu}|a){0,30}b$' } },
    }),
    specs: [{ list: range(size, i => `${'a'.repeat(2900)}${i}`) }],
  })),
  definition('map-keys', 16_000, size => ({
    schema: objectSchema({
      list: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': range(size, i => `k${i}`),
        items: objectSchema(
          entries(Math.floor(size / 3), i => [`k${i * 3}`, text]),
          {
            required: range(Math.floor(size / 3), i => `k${i * 3}`),
          },
        ),
      },
    }),
  })),
  definition('not-structural', 15_000, size => ({ schema: objectSchema(entries(size, i => [`p${i}`, {}])) })),
  versions('versions', 100),
  versions('versions-many', 5000),
];
