import t from 'tap';
import { atOnce } from '../../../lib/time-slice.js';
import { nativeSchema } from '../../../openapi/facts/native-schemas.js';
import type { Fault, StatusCause } from '../../../apimachinery/interface.js';
import { causesOf } from '../../../apimachinery/errors/status.js';
import { definitionSchemaFaults } from '../../../openapi/schema/definition.js';
import { readFieldPath } from '../../../openapi/schema/field-path.js';
import type { SchemaProps } from '../../../openapi/schema/schema-props.js';
import { recorded } from '../../data.js';

const defaults = {
  objectMeta: nativeSchema('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'),
  metadataFaults: (): Fault[] => [],
};

const faultsOf = (schema: SchemaProps, path = 'p', status = false): Fault[] =>
  atOnce(definitionSchemaFaults(schema, { path, status, defaults }));

interface Definition {
  spec: { versions: { schema?: { openAPIV3Schema: SchemaProps }; subresources?: { status?: object } }[] };
}

interface Step {
  body?: Definition;
  want?: { status: number; body: { details?: { causes?: StatusCause[] } } };
}

t.test('recorded definitions have the faults of kube-apiserver', async t => {
  const { cases } = recorded('corpus/crd.json') as { cases: { name: string; steps: Step[] }[] };
  let compared = 0;
  for (const { name, steps } of cases) {
    const [step] = steps;
    const version = step?.body?.spec.versions[0];
    if (!version?.schema || step?.body?.spec.versions.length !== 1) continue;
    if (name.startsWith('invalid/') && !/^invalid\/(?:schema|cel)\//.test(name)) continue;
    const path = 'spec.validation.openAPIV3Schema';
    const faults = faultsOf(version.schema.openAPIV3Schema, path, version.subresources?.status !== undefined);
    t.same(causesOf(faults), step.want?.body.details?.causes ?? [], name);
    compared++;
  }
  t.ok(compared > 50, `${compared} compared`);
});

const object = (properties: Record<string, SchemaProps>, more: SchemaProps = {}): SchemaProps => ({
  type: 'object',
  properties,
  ...more,
});

const cases: { name: string; schema: SchemaProps; expect: string[]; status?: boolean }[] = [
  { name: 'nothing', schema: { type: 'object' }, expect: [] },
  {
    name: 'no type at all',
    schema: {},
    expect: ['p.type: Required value: must not be empty at the root'],
  },
  {
    name: 'items without type',
    schema: object({ a: { type: 'array', items: {} } }),
    expect: ['p.properties[a].items.type: Required value: must not be empty for specified array items'],
  },
  {
    name: 'int or string, as controller-gen writes it',
    schema: object({ a: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] } }),
    expect: [],
  },
  {
    name: 'int or string within all of',
    schema: object({
      a: {
        'x-kubernetes-int-or-string': true,
        allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: 'a' }],
      },
    }),
    expect: [],
  },
  {
    name: 'alternatives with forbidden keywords and undeclared fields',
    schema: object({}, { anyOf: [{ properties: { b: { description: 'x', nullable: true } } }] }),
    expect: [
      'p.anyOf[0].properties[b].description: Forbidden: must be empty to be structural',
      'p.anyOf[0].properties[b].nullable: Forbidden: must be false to be structural',
      'p.properties[b]: Required value: because it is defined in p.anyOf[0].properties[b]',
    ],
  },
  {
    name: 'metadata may restrict names',
    schema: object({ metadata: object({ name: { type: 'string', pattern: '^a' } }), apiVersion: { type: 'string' } }),
    expect: [],
  },
  {
    name: 'metadata may not restrict other fields',
    schema: object({ metadata: object({ labels: { type: 'object' } }), kind: { type: 'integer' } }),
    expect: [
      'p.properties[kind].type: Invalid value: "integer": must be string',
      'p.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
  },
  {
    name: 'defaults',
    schema: object({
      a: object({ b: { type: 'string' } }, { default: { c: 1 } }),
      d: { type: 'array', items: { type: 'integer' }, default: ['x'] },
      e: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
        default: {},
      },
    }),
    expect: [
      'p.properties[a].default: Invalid value: {"c":1}: must not have unknown fields',
      'p.properties[d].default.[0]: Invalid value: "string": [0] in body must be of type integer: "string"',
      'p.properties[e].default.apiVersion: Required value',
      'p.properties[e].default.kind: Required value',
    ],
  },
  {
    name: 'defaults in metadata',
    schema: object({ metadata: object({ name: { type: 'string', default: 'x' } }) }),
    expect: ['p.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata'],
  },
  {
    name: 'list maps',
    schema: object({
      a: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k', 'z', 'k'],
        items: object({ k: { type: 'object', nullable: true } }, { nullable: true }),
      },
    }),
    expect: [
      'p.properties[a].items.properties[k].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
      'p.properties[a].x-kubernetes-list-map-keys: Invalid value: ["k","z","k"]: entries must all be names of item properties',
      'p.properties[a].items.properties[k].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
      'p.properties[a].x-kubernetes-list-map-keys: Invalid value: ["k","z","k"]: must not contain duplicate entries',
      'p.properties[a].items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map',
      'p.properties[a].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      'p.properties[a].items.properties[k].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
      'p.properties[a].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      'p.properties[a].items.properties[k].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
    ],
  },
  {
    name: 'types of lists and maps',
    schema: object({
      a: { type: 'string', 'x-kubernetes-list-type': 'atomic' },
      b: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' },
      c: { type: 'object', 'x-kubernetes-map-type': 'round' as 'atomic' },
      d: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-map-keys': ['x'] },
    }),
    expect: [
      'p.properties[a].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified',
      'p.properties[b].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
      'p.properties[c].x-kubernetes-map-type: Unsupported value: "round": supported values: "atomic", "granular"',
      'p.properties[d].x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty',
    ],
  },
  {
    name: 'properties beside additional ones',
    schema: object({ a: object({ b: { type: 'string' } }, { additionalProperties: { type: 'string' } }) }),
    expect: [
      'p.properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
    ],
  },
  {
    name: 'the form of rules',
    schema: object(
      { b: { type: 'string' } },
      {
        'x-kubernetes-validations': [
          { rule: ' ' },
          { rule: 'true', message: ' ' },
          { rule: 'true\n&& true' },
          { rule: 'true', messageExpression: ' ', reason: 'Odd' as 'FieldValueInvalid', fieldPath: '.c' },
        ],
      },
    ),
    expect: [
      'p.x-kubernetes-validations[0].rule: Required value: rule is not specified',
      'p.x-kubernetes-validations[1].message: Invalid value: " ": must be non-empty if specified',
      'p.x-kubernetes-validations[2].message: Required value: message must be specified if rule contains line breaks',
      'p.x-kubernetes-validations[3].messageExpression: Required value: messageExpression must be non-empty if specified',
      'p.x-kubernetes-validations[3].reason: Unsupported value: "Odd": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
      'p.x-kubernetes-validations[3].fieldPath: Invalid value: ".c": must be a valid path',
    ],
  },
  {
    name: 'the root of a schema with status',
    schema: { type: 'array', items: { type: 'string' } },
    status: true,
    expect: [
      'p.type: Invalid value: "array": only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
      'p.type: Invalid value: "array": must be object at the root',
    ],
  },
];

const rules = (...texts: string[]): SchemaProps => ({ 'x-kubernetes-validations': texts.map(rule => ({ rule })) });
const hint =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';
const integers: SchemaProps = { type: 'array', items: { type: 'integer' } };

const celCases: { name: string; schema: SchemaProps; expect: string[] }[] = [
  {
    name: 'valid rules',
    schema: object({ spec: object({ n: { type: 'integer', ...rules('self == oldSelf') } }, rules('has(self.n)')) }),
    expect: [],
  },
  {
    name: 'too expensive, alone and together',
    schema: object({
      l: { ...integers, ...rules('self.all(x, self.all(y, x == y))') },
      m: { ...integers, ...rules(...Array.from({ length: 12 }, () => 'self.all(x, x > 0 && x > 1)')) },
    }),
    expect: [
      `p.properties[l].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${hint}`,
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(
        i =>
          `p.properties[m].x-kubernetes-validations[${i}].rule: Forbidden: estimated rule cost exceeds budget by factor of 1.101004x ${hint}`,
      ),
      'p.properties[l].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      ...[0, 1, 2].map(
        i =>
          `p.properties[m].x-kubernetes-validations[${i}].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
      ),
      `p: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${hint}`,
    ],
  },
  {
    name: 'the cost is multiplied by the maximum number of items',
    schema: object({
      a: { type: 'array', items: { type: 'integer', ...rules('[1, 2, 3].all(x, x + self > 1)') } },
      b: { type: 'array', maxItems: 9, items: { type: 'integer', ...rules('[1, 2, 3].all(x, x + self > 1)') } },
    }),
    expect: [
      `p.properties[a].items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 5.0x ${hint}`,
    ],
  },
  {
    name: 'oldSelf in uncorrelatable items; optionalOldSelf without oldSelf',
    schema: object({
      l: { type: 'array', items: { type: 'integer', ...rules('self == oldSelf') } },
      n: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 1', optionalOldSelf: true }] },
    }),
    expect: [
      'p.properties[l].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within p.properties[l]',
      'p.properties[n].x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule',
    ],
  },
  {
    name: 'defaults that break rules',
    schema: object({ n: { type: 'integer', default: 1, ...rules('self > 5') } }),
    expect: ['p.properties[n].default: Invalid value: 1: failed rule: self > 5'],
  },
  {
    name: 'rules of a schema without a type',
    schema: object({ x: { 'x-kubernetes-preserve-unknown-fields': true, ...rules('self == 1') } }),
    expect: [
      'p.properties[x].x-kubernetes-validations: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations',
    ],
  },
];

t.test('rules in CEL are compiled and their cost is limited', async t => {
  for (const { name, schema, expect } of celCases)
    t.same(
      faultsOf(schema).map(f => `${f.path}: ${f.message}`),
      expect,
      name,
    );
});

t.test('schemas are validated', async t => {
  for (const { name, schema, expect, status = false } of cases)
    t.same(
      faultsOf(schema, 'p', status).map(f => `${f.path}: ${f.message}`),
      expect,
      name,
    );
  const [fault] = faultsOf({ type: 'object', maxProperties: 3 }, 'p', true);
  t.match(
    fault?.message,
    /^Invalid value: \{"ID":"","Schema":"","Ref":null,"Description":"","Type":"object",.*"MaxProperties":3,.*"XValidations":null\}: only \[Description Type .* XValidations\] fields are allowed at the root/,
  );
});

t.test('field paths are resolved in a schema', async t => {
  const schema = object({
    spec: object({ a: { type: 'string' }, 'b-c': { type: 'object', additionalProperties: { type: 'string' } } }),
  });
  const cases: [string, string][] = [
    ['.spec.a', 'spec.a'],
    [".spec['b-c'].x", 'spec.b-c[x]'],
    [".spec['b-c']['it\\'s']", "spec.b-c[it's]"],
    ['.spec.z', 'does not refer to a valid field'],
    ['spec', 'expected [ or . but got: spec'],
    ['.spec[a]', 'expected single quoted string but got a'],
    ['.spec.', 'unexpected end of JSON path'],
    ['.spec.a.b', 'does not refer to a valid field'],
  ];
  for (const [given, expect] of cases) {
    const found = readFieldPath(given, schema);
    t.equal('error' in found ? found.error : found.path, expect, given);
  }
  t.same(readFieldPath(".spec['a']", schema, { brackets: false }), { error: 'array notation is not allowed' });
});
