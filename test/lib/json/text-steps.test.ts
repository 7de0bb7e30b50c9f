import t from 'tap';
import { jsonText } from '../../../lib/json/json.js';
import { jsonTextSteps } from '../../../lib/json/text-steps.js';
import { VerbatimObject } from '../../../lib/json/verbatim-object.js';
import { atOnce, inTimeSlices } from '../../../lib/time-slice.js';

const many = <T>(make: (i: number) => T): T[] => Array.from({ length: 2500 }, (_, i) => make(i));
const entries = (make: (i: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(many(i => [`k"${i}`, make(i)]));

t.test('the text in steps is that of the value', async t => {
  for (const value of [
    {},
    [],
    'text',
    null,
    { a: 1, b: undefined, c: [undefined] },
    entries(i => i),
    entries(i => (i % 2 === 0 ? undefined : { i })),
    many(i => [i, undefined, { big: 2n ** 70n }]),
    many(() => undefined),
    { deep: { deeper: entries(i => many(j => j).slice(0, i % 3)) }, after: true },
    many(i => (i === 7 ? new VerbatimObject({ a: 1 }, '{"a":1.0}') : null)),
    new VerbatimObject({ list: many(i => i) }, '{"list":[]}'),
  ])
    t.equal(await inTimeSlices(jsonTextSteps(value)), jsonText(value));
});

t.test('a text that is made at once is not divided', t => {
  const looked: string[] = [];
  const value = new Proxy(
    { a: { b: 1 } },
    {
      ownKeys(target) {
        looked.push('keys');
        return Reflect.ownKeys(target);
      },
    },
  );
  t.equal(atOnce(jsonTextSteps(value)), '{"a":{"b":1}}');
  t.same(looked, ['keys'], 'its size is not looked at before');
  t.end();
});

t.test('no step encodes many values', async t => {
  let steps = 0;
  for (const _ of jsonTextSteps({ spec: { map: entries(i => i), list: many(i => ({ i })) } })) steps++;
  t.ok(steps > 100, `${steps} steps`);
});
