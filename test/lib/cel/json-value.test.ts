import t from 'tap';
import { compile } from '../../../openapi/cel/environment.js';
import { StepLimit } from '../../../lib/steps.js';
import { asStructpb, jsonOf, jsonValue } from '../../../lib/cel/json-value.js';
import { dyn } from '../../../lib/cel/types.js';
import { type Value, structOf } from '../../../lib/cel/values.js';

const free = new StepLimit(Infinity);

const odd = 9007199254740993n;

t.test('JSON is converted to CEL values', async t => {
  const rows: readonly { readonly given: string; readonly x: unknown }[] = [
    { given: 'x.a == 9007199254740993 && x.a + 1 == 9007199254740994 && type(x.a) == int', x: { a: odd } },
    { given: 'x == 9223372036854775807', x: 9223372036854775807n },
    { given: 'type(x) == double && x == 9223372036854775808.0', x: 2 ** 63 },
    { given: 'type(x) == double && x > 1', x: 1e18 },
    { given: 'type(x) == int && x == 5', x: 5 },
    { given: 'x.filter(i, i > 9007199254740992) == [9007199254740993]', x: [odd, 9007199254740992n, 1] },
  ];
  for (const { given, x } of rows) {
    const compiled = compile(given, new Map([['x', dyn]]));
    if (!('run' in compiled)) throw new Error(JSON.stringify(compiled));
    t.strictSame(
      compiled.run(() => jsonValue(x)),
      { ...compiled.run(() => jsonValue(x)), value: true },
      given,
    );
  }
});

t.test('CEL values are converted to JSON', async t => {
  const object = structOf('Object', new Map<string, Value>([['a', odd]]));
  const rows: readonly { readonly given: Value; readonly exact: unknown; readonly structpb: unknown }[] = [
    { given: 5n, exact: 5, structpb: 5 },
    { given: odd, exact: odd, structpb: '9007199254740993' },
    { given: jsonValue({ a: [odd] }), exact: { a: [odd] }, structpb: { a: ['9007199254740993'] } },
    { given: object, exact: { a: odd }, structpb: { a: 9007199254740992n } },
  ];
  for (const { given, exact, structpb } of rows) {
    t.strictSame(jsonOf(given, free), exact);
    t.strictSame(jsonOf(given, free, asStructpb), structpb);
  }
});
