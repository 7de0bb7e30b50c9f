import t from 'tap';
import { nativeSchemaFor } from '../../../openapi/facts/native-schemas.js';
import { jsonText } from '../../../lib/json/json.js';
import { DecodeError } from '../../../apimachinery/codec/decode-error.js';
import { atOnce } from '../../../lib/time-slice.js';
import { customSteps, decodeJson, decodeNative, decodedSteps, jsonSteps } from '../../../apimachinery/codec/decode.js';
import { workClock } from '../../../lib/cel/interpreter/pace.js';
import { recorded } from '../../data.js';

const decodeCustom = (text: string) => atOnce(customSteps(text));

const schemaOf = (group: string, version: string, kind: string) => {
  const schema = nativeSchemaFor({ group, version, kind });
  if (!schema) throw new Error(`no schema of ${kind}`);
  return schema;
};
const configMap = schemaOf('', 'v1', 'ConfigMap');

t.test('syntax errors have the texts of Go', async t => {
  const cases: [string, string][] = [
    ['', 'unexpected end of JSON input'],
    ['  ', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{"a":1}x', "invalid character 'x' after top-level value"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
    ['[1 2]', "invalid character '2' after array element"],
    ['[,]', "invalid character ',' looking for beginning of value"],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
    ['{"a":tru}', "invalid character '}' in literal true (expecting 'e')"],
    ['{"a":nul', 'unexpected end of JSON input'],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['-a', "invalid character 'a' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1e+', 'unexpected end of JSON input'],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ['01', "invalid character '1' after top-level value"],
    ['é', "invalid character 'Ã' looking for beginning of value"],
    ['['.repeat(2000) + ']'.repeat(2000), "invalid character '[' exceeded max depth"],
  ];
  for (const [given, expect] of cases) t.throws(() => decodeJson(given), new DecodeError(expect), expect);
});

t.test('duplicate fields are detected', async t => {
  const cases: [string, boolean][] = [
    ['{"a":1,"b":{"c":2}}', false],
    ['{ "a" : 1 , "a" : 2 }', true],
    ['{"a":"x\\":","b":"\\\\"}', false],
    ['{"a":{"b":1,"b":2}}', true],
    ['[{"a":1},{"a":1}]', false],
    ['{"a":"10:20","url":"http://x:80"}', false],
    ['{"a":"1:2:3","b":1,"b":2}', true],
    ['{"a":"1:2\\":3","a":1}', true],
    ['{"a":"1:2\\\\","a":1}', true],
    ['{"a:b":"1:\\"2\\":","b": "1:"}', false],
    ['{"a\\\\":1,"b":2}', true],
    ['{"":1}', false],
    ['{"a\\"":1}', false],
  ];
  for (const [given, expect] of cases) t.equal(decodeJson(given).repeated, expect, given);
});

t.test('faults are in the order of the document', async t => {
  const cases: { given: string; faults: string[]; object?: object }[] = [
    {
      given:
        '{"kind":"ConfigMap","data":{"k":"1","k":"2"},"bogus":1,"data":{"z":"3"},"metadata":{"bad":1,"name":"a","name":"b"}}',
      faults: [
        'duplicate field "data.k"',
        'unknown field "bogus"',
        'duplicate field "data"',
        'unknown field "metadata.bad"',
        'duplicate field "metadata.name"',
      ],
      object: { kind: 'ConfigMap', metadata: { name: 'b' }, data: { k: '2', z: '3' } },
    },
    {
      given: '{"b":1,"metadata":{"y":1,"x":2},"a":1}',
      faults: ['unknown field "b"', 'unknown field "metadata.y"', 'unknown field "metadata.x"', 'unknown field "a"'],
    },
    {
      given: '{"a\\\\":1,"data":{"x":"1"}}',
      faults: ['unknown field "a\\\\"'],
      object: { metadata: {}, data: { x: '1' } },
    },
    { given: '{"Data":{}}', faults: ['unknown field "Data"'] },
    { given: '{"toString":1}', faults: ['unknown field "toString"'] },
  ];
  for (const { given, faults, object } of cases) {
    const decoded = decodeNative(given, configMap);
    t.same(decoded.faults, faults, given);
    if (object) t.same(decoded.object, object, given);
  }
  const deployment = decodeNative(
    '{"spec":{"template":{"spec":{"containers":[{"nme":1,"ports":[{"porto":1}]}]}}}}',
    schemaOf('apps', 'v1', 'Deployment'),
  );
  t.same(deployment.faults, [
    'unknown field "spec.template.spec.containers[0].nme"',
    'unknown field "spec.template.spec.containers[0].ports[0].porto"',
  ]);
  t.equal(decodeNative(`{${Array.from({ length: 150 }, (_, i) => `"x${i}":1`).join()}}`, configMap).faults.length, 100);
});

t.test('custom resources are decoded without a schema', async t => {
  t.same(decodeCustom('{"spec":{"a":1,"a":2}}'), { object: { spec: { a: 2 } }, faults: ['duplicate field "spec.a"'] });
  t.throws(() => decodeCustom('[]'), {
    message: 'json: cannot unmarshal array into Go value of type map[string]interface {}',
  });
});

interface Step {
  do: string;
  type?: string;
  body?: { apiVersion: string; kind: string };
  text?: string;
  want?: { status: number; warnings?: string[]; body?: { message?: string } };
}

t.test('faults are those of recorded answers', async t => {
  const { cases } = recorded('corpus/fieldvalidation.json') as { cases: { name: string; steps: Step[] }[] };
  let compared = 0;
  for (const { name, steps } of cases) {
    for (const step of steps) {
      if (!/^(POST|PUT) /.test(step.do) || step.type === 'application/yaml' || !step.want?.body) continue;
      const text = step.text ?? JSON.stringify(step.body);
      const { apiVersion, kind } = JSON.parse(text) as { apiVersion: string; kind: string };
      const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
      const schema = nativeSchemaFor({ group, version, kind });
      if (!schema) continue;
      const head = `${kind} in version "${version}" cannot be handled as a ${kind}: `;
      const message = step.want.body.message ?? '';
      let found: string;
      try {
        const { faults } = decodeNative(text, schema);
        if (!step.do.includes('Strict')) {
          const warnings = step.do.includes('Ignore') ? [] : faults.map(f => `299 - ${JSON.stringify(f)}`);
          t.same(warnings, step.want.warnings ?? [], `${name} warnings`);
          compared++;
          continue;
        }
        found = faults.length === 0 ? '' : `${head}strict decoding error: ${faults.join(', ')}`;
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        found = head + error.message;
      }
      t.equal(found, step.want.status === 400 ? message : '', name);
      compared++;
    }
  }
  t.ok(compared >= 25, `${compared} compared`);
});

t.test('numbers of custom resources that are too large for float64 are refused', t => {
  const refused = new DecodeError('json: cannot unmarshal number -1e400 into Go value of type float64');
  t.throws(() => decodeCustom('{"a":[{"b":-1e400}]}'), refused);
  t.same(decodeCustom('{"a":"1e400","b":1e300,"c":1E+2}').object, { a: '1e400', b: 1e300, c: 100 });
  t.end();
});

t.test('numbers of native kinds are decoded by their types', async t => {
  const spec = (fields: string): string => `{"kind":"Pod","spec":{"containers":null,${fields}}}`;
  const fault = (literal: string, field: string, type = 'int64'): string =>
    `json: cannot unmarshal number ${literal} into Go struct field PodSpec.spec.${field} of type ${type}`;
  const grace = 'terminationGracePeriodSeconds';
  const rows: readonly { readonly given: string; readonly expect: object | string }[] = [
    { given: `"${grace}":9223372036854775807`, expect: { terminationGracePeriodSeconds: 9223372036854775807n } },
    { given: `"${grace}": -9223372036854775808`, expect: { terminationGracePeriodSeconds: -9223372036854775808n } },
    { given: `"${grace}":9007199254740993,"priority":-1`, expect: { [grace]: 9007199254740993n, priority: -1 } },
    ...['9223372036854775808', '-9223372036854775809', '1.0', '1e3', '-1E3', '1.50', '1e400'].map(literal => ({
      given: `"${grace}":${literal}`,
      expect: fault(literal, grace),
    })),
    ...['2147483648', '9007199254740993', '1.0'].map(literal => ({
      given: `"priority" : ${literal}`,
      expect: fault(literal, 'priority', 'int32'),
    })),
    {
      given: '"overhead":{"cpu":0.50,"memory":9223372036854775807,"x":1e3}',
      expect: { overhead: { cpu: '500m', memory: '9223372036854775807', x: '1e3' } },
    },
    { given: `"nodeName":"a:1.5","${grace}":1`, expect: { nodeName: 'a:1.5', terminationGracePeriodSeconds: 1 } },
  ];
  const schema = nativeSchemaFor({ group: '', version: 'v1', kind: 'Pod' });
  if (!schema) throw new Error('no schema');
  for (const { given, expect } of rows)
    if (typeof expect === 'string') t.throws(() => decodeNative(spec(given), schema), new DecodeError(expect), given);
    else t.match(decodeNative(spec(given), schema).object, { spec: expect }, given);
});

t.test('JSON in native kinds keeps its text', async t => {
  const schema = nativeSchemaFor({ group: 'apps', version: 'v1', kind: 'ControllerRevision' });
  if (!schema) throw new Error('no schema');
  const data = '{"a":9223372036854775808,"b":9007199254740993}';
  const { object } = decodeNative(`{"data":${data},"revision":9007199254740993}`, schema);
  t.equal(jsonText(object['data']), data, 'as it came');
  t.equal(object['revision'], 9007199254740993n);
  t.throws(() => decodeNative('{"data":{"a":1e400}}', schema), /cannot unmarshal number 1e400/, 'not quietly null');
});

/** Returns the members of an object that is parsed in several pieces. */
const manyKeys = (length: number, valueOf: (i: number) => string): string[] =>
  Array.from({ length }, (_, i) => `"key${i}":${valueOf(i)}`);

t.test('in steps, a long text shows the same as at once', async t => {
  const plain = manyKeys(3000, i => `{"a":${i},"b":"10:20"}`).join(',');
  const cases = {
    plain: `{${plain}}`,
    'repeated in another piece': `{"key2999":1,${plain}}`,
    'an object that is repeated': `{"long":{${plain}},"b":1,"long":{${plain}}}`,
    'repeated in one piece': `{${plain},"a":1,"a":2}`,
    'repeated inside': `[${plain.replaceAll('"key', '{"x":1},{"key').replaceAll('"},', '"}},').replace(/$/, '},{"a":1,"a":2}')}]`,
    'a float': `{${plain},"a":1.5}`,
    'floats in a list': `{"a":[${'1,'.repeat(20_000)}1.0]}`,
    'too large': `{${plain},"a":1e999}`,
    'large integers': `{${manyKeys(3000, i => `9007199254740993${i % 10}`).join(',')}}`,
    'a key that ends with a backslash': `{${plain},"a\\\\":1}`,
    'a number': '  12  ',
  };
  for (const [what, text] of Object.entries(cases))
    for (const large of ['float64', 'exact'] as const)
      t.strictSame(atOnce(jsonSteps(text, large)), decodeJson(text, large), `${what}, ${large}`);
});

t.test('in steps, errors are those of a text at once, or come without the slower parser', async t => {
  const text = `{${manyKeys(3000, () => '1').join(',')}`;
  t.throws(() => atOnce(jsonSteps(text)), new DecodeError('unexpected end of JSON input'));
  t.throws(() => atOnce(decodedSteps(text)), SyntaxError);
  const deep = `[1,${'['.repeat(2000)}${']'.repeat(2000)}]`;
  t.throws(() => atOnce(jsonSteps(deep)), new DecodeError("invalid character '[' exceeded max depth"));
});

t.test('no step after the last piece of a long text works on the whole of it', async t => {
  const now = workClock();
  const texts = {
    keys: `{${manyKeys(200_000, () => '"v"').join(',')}}`,
    'large integers': `{${manyKeys(90_000, i => `9007199254740993${i % 10}`).join(',')}}`,
  };
  for (const [what, text] of Object.entries(texts)) {
    const parts: number[] = [];
    // Now and then a collection of garbage falls into one of these steps.
    for (let round = 0; round < 3; round++) {
      const costs: number[] = [];
      const run = jsonSteps(text);
      for (let isDone = false; !isDone;) {
        const before = now();
        isDone = run.next().done === true;
        costs.push(now() - before);
      }
      const total = costs.reduce((sum, cost) => sum + cost, 0);
      parts.push(Math.max(...costs.slice(-6)) / total);
    }
    t.ok(Math.min(...parts) < 0.05, `${what}: ${parts.map(part => part.toFixed(3)).join(', ')}`);
  }
});
