import t from 'tap';
import {
  maxObjectValues,
  refuseLargeObject,
  refuseManyValues,
  ValueBudget,
} from '../../../apimachinery/meta/values.js';
import { StatusError } from '../../../apimachinery/errors/status.js';

const refused = {
  code: 413,
  message: `Request entity too large: an object may consist of at most ${maxObjectValues} JSON values`,
};

const isRefused = (run: () => void): boolean => {
  try {
    run();
    return false;
  } catch (error) {
    return error instanceof StatusError && error.code === refused.code && error.message === refused.message;
  }
};

/** Makes objects of exactly this many values. */
const shapes: Readonly<Record<string, (values: number) => unknown>> = {
  numbers: values => Array.from({ length: values - 1 }, (_, i) => i),
  texts: values => Array.from({ length: values - 1 }, () => 'a,"[{\\'),
  'empty lists': values => Array.from({ length: values - 1 }, () => []),
  'empty objects': values => Array.from({ length: values - 1 }, () => ({})),
  fields: values => Object.fromEntries(Array.from({ length: values - 1 }, (_, i) => [`{[,"${i}`, null])),
  'objects in a list': values => [
    ...Array.from({ length: Math.floor((values - 1) / 3) }, () => ({ a: 1, b: true })),
    ...Array.from({ length: (values - 1) % 3 }, () => false),
  ],
};

for (const [name, shape] of Object.entries(shapes))
  t.test(`values are counted: ${name}`, t => {
    for (const indent of [0, 1]) {
      const largest = JSON.stringify(shape(maxObjectValues), undefined, indent);
      const more = JSON.stringify(shape(maxObjectValues + 1), undefined, indent);
      t.notOk(
        isRefused(() => refuseManyValues(largest)),
        `the maximum, indent ${indent}`,
      );
      t.ok(
        isRefused(() => refuseManyValues(more)),
        `one more, indent ${indent}`,
      );
    }
    t.notOk(
      isRefused(() => refuseLargeObject(shape(maxObjectValues))),
      'of an object',
    );
    t.ok(
      isRefused(() => refuseLargeObject(shape(maxObjectValues + 1))),
      'of an object, one more',
    );
    t.end();
  });

t.test('texts that are not JSON are not refused', t => {
  for (const text of ['', '"', '{"a', '}'.repeat(300_000), '"'.repeat(300_001), '\\'.repeat(300_000)])
    t.notOk(
      isRefused(() => refuseManyValues(text)),
      text.slice(0, 10),
    );
  t.end();
});

t.test('a number with very many digits is refused, and space or a text of digits is not', t => {
  const padding = ' '.repeat(200_000);
  const digits = (length: number): string => '1'.repeat(length);
  for (const text of [`{"a":${digits(65_536)}${padding}}`, `{"a":"${digits(200_000)}"}`, `[${padding}1${padding}]`])
    t.doesNotThrow(() => refuseManyValues(text), text.slice(0, 10));
  for (const text of [`{"a":${digits(65_537)}${padding}}`, `[0.${digits(200_000)}]`, digits(200_000)])
    t.throws(
      () => refuseManyValues(text),
      { code: 413, message: 'Request entity too large: a number may have at most 65536 digits' },
      text.slice(0, 10),
    );
  t.end();
});

t.test('a budget refuses the first value that exceeds it', t => {
  const budget = new ValueBudget();
  for (let i = 0; i < maxObjectValues; i++) budget.take();
  t.ok(isRefused(() => budget.take()));
  t.end();
});
