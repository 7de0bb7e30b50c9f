import t from 'tap';
import { parseFieldSelector } from '../../../apimachinery/selectors/field-selectors.js';
import { labelSelectorFaults } from '../../../apimachinery/selectors/label-faults.js';
import {
  type LabelSelector,
  everything,
  nothing,
  parseSelector,
  readSelector,
  selectorOf,
  selectorOfLabels,
} from '../../../apimachinery/selectors/label-selectors.js';
import { maxRequirements, tooManyRequirements } from '../../../apimachinery/selectors/limits.js';
import { StatusError } from '../../../apimachinery/errors/status.js';
import { golden, recorded } from '../../data.js';

t.test('string syntax is parsed, matched and printed', async t => {
  const cases: { given: string; text?: string; yes?: object[]; no?: object[] }[] = [
    { given: '', yes: [{}, { a: 'b' }] },
    { given: 'a=b', yes: [{ a: 'b' }], no: [{}, { a: 'c' }] },
    { given: 'a==b', yes: [{ a: 'b' }], no: [{ a: '' }] },
    { given: 'a!=b', yes: [{}, { a: 'c' }], no: [{ a: 'b' }] },
    { given: 'a = b , c', text: 'a=b,c', yes: [{ a: 'b', c: '' }], no: [{ a: 'b' }] },
    { given: 'c,a', text: 'a,c' },
    { given: '!a', yes: [{}], no: [{ a: '' }] },
    { given: 'a in (c, b)', text: 'a in (b,c)', yes: [{ a: 'c' }], no: [{}, { a: 'd' }] },
    { given: 'a notin (b)', text: 'a notin (b)', yes: [{}, { a: 'd' }], no: [{ a: 'b' }] },
    { given: 'a in ()', text: 'a in ()', yes: [{ a: '' }] },
    { given: 'a in (,b)', text: 'a in (,b)', yes: [{ a: '' }, { a: 'b' }] },
    { given: 'a in (b,)', text: 'a in (,b)' },
    { given: 'a=', yes: [{ a: '' }], no: [{}] },
    { given: 'a=,b', text: 'a=,b' },
    { given: 'a>5', yes: [{ a: '6' }], no: [{}, { a: '5' }, { a: 'x' }] },
    { given: 'a<5', yes: [{ a: '-7' }], no: [{ a: '5' }] },
    { given: 'in in (in)', text: 'in in (in)', yes: [{ in: 'in' }] },
    { given: 'constructor', no: [{}] },
    { given: '!constructor', yes: [{}] },
  ];
  for (const { given, text = given, yes = [], no = [] } of cases) {
    const s = parseSelector(given);
    t.equal(s.toString(), text, given);
    for (const labels of yes) t.ok(s.matches(labels as Record<string, string>), `${given} / ${JSON.stringify(labels)}`);
    for (const labels of no)
      t.notOk(s.matches(labels as Record<string, string>), `${given} \\ ${JSON.stringify(labels)}`);
  }
});

t.test('invalid string syntax has the errors of upstream', async t => {
  const key =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  const cases: [string, string][] = [
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (=', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['a=(', "unable to parse requirement: found '(', expected: identifier"],
    ['-a', `unable to parse requirement: <nil>: Invalid value: "-a": ${key}`],
    [
      'a>x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    [
      'a=-',
      "unable to parse requirement: values[0][a]: Invalid value: \"-\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ];
  for (const [given, error] of cases) t.same(readSelector(given), { error }, given);
});

interface Step {
  do?: string;
  want?: { status: number; body: { message?: string } };
}

t.test('errors equal recorded ones', async t => {
  const { cases } = recorded('corpus/listwatch.json') as { cases: { name: string; steps: Step[] }[] };
  let compared = 0;
  for (const step of cases.flatMap(c => c.steps)) {
    const url = new URL(step.do?.split(' ')[1] ?? '', 'http://x');
    if (step.want?.status !== 400) continue;
    for (const [parameter, parse] of [
      ['labelSelector', parseSelector],
      ['fieldSelector', parseFieldSelector],
    ] as const) {
      const text = url.searchParams.get(parameter);
      const message = step.want.body.message ?? '';
      if (text === null || /not a known|not supported/.test(message)) continue;
      t.throws(() => parse(text), new StatusError({ ...(step.want.body as object) } as never), step.do ?? '');
      compared++;
    }
  }
  t.ok(compared >= 4, `${compared} compared`);
});

t.test('LabelSelector objects are compiled and validated', async t => {
  t.equal(selectorOf(undefined), nothing);
  t.equal(selectorOf(null), nothing);
  t.equal(selectorOf({}), everything);
  t.notOk(nothing.matches({}));
  const s = selectorOf({
    matchLabels: { z: '1', a: '2' },
    matchExpressions: [
      { key: 'm', operator: 'In', values: ['y', 'x'] },
      { key: 'n', operator: 'DoesNotExist' },
    ],
  });
  t.equal(s.toString(), 'a=2,m in (x,y),!n,z=1');
  t.equal(s.exactMatch('a'), '2');
  t.equal(s.exactMatch('m'), undefined);
  t.throws(() => selectorOf({ matchExpressions: [{ key: 'a', operator: 'Foo' }] }), {
    message: '"Foo" is not a valid label selector operator',
  });
  t.throws(() => selectorOf({ matchExpressions: [{ key: 'a', operator: 'In' }] }), {
    message: "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
  });
  t.equal(selectorOfLabels({ b: '1', a: '' }).toString(), 'a=,b=1');
  t.same(
    labelSelectorFaults(
      { matchLabels: { a: '_' }, matchExpressions: [{ key: '', operator: 'In' }] },
      'spec.selector',
    ).map(f => [f.path, f.reason]),
    [
      ['spec.selector.matchLabels', 'FieldValueInvalid'],
      ['spec.selector.matchExpressions[0].values', 'FieldValueRequired'],
      ['spec.selector.matchExpressions[0].key', 'FieldValueInvalid'],
      ['spec.selector.matchExpressions[0].key', 'FieldValueInvalid'],
    ],
  );
});

interface Matching {
  object?: {
    apiVersion: string;
    kind: string;
    metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  };
  selector?: { apiVersion: string; kind: string; namespace?: string; name?: string; labelSelector?: LabelSelector };
}

t.test('golden: label selectors of policies', async t => {
  const { cases } = golden<Matching, { implicitPriority?: number }>('matching');
  let compared = 0;
  for (const { name, input, output } of cases) {
    const { object, selector } = input;
    if (!object || !selector?.labelSelector || selector.name) continue;
    if (object.apiVersion !== selector.apiVersion || object.kind !== selector.kind) continue;
    if (selector.namespace && selector.namespace !== object.metadata.namespace) continue;
    t.equal(selectorOf(selector.labelSelector).matches(object.metadata.labels), output.implicitPriority === 2, name);
    compared++;
  }
  t.ok(compared > 20, `${compared} compared`);
});

t.test('field selectors are parsed, matched and printed', async t => {
  const s = parseFieldSelector('spec.b==x,a!=y,,c=1\\,2\\=3\\\\');
  t.equal(s.toString(), 'a!=y,c=1\\,2\\=3\\\\,spec.b=x');
  t.ok(s.matches({ 'spec.b': 'x', c: '1,2=3\\' }));
  t.notOk(s.matches({ 'spec.b': 'x', c: '1,2=3\\', a: 'y' }));
  t.equal(s.exactMatch('spec.b'), 'x');
  t.equal(s.exactMatch('a'), undefined);
  t.ok(parseFieldSelector('').empty);
  t.ok(parseFieldSelector('constructor=').matches({}));
  for (const [given, message] of [
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=x\\', 'invalid field selector: invalid escape sequence: \\'],
  ] as const)
    t.throws(() => parseFieldSelector(given), { message });
  const many = (count: number): string => Array.from({ length: count }, (_, i) => `f${i}=v`).join(',');
  t.equal(parseFieldSelector(many(maxRequirements)).requirements.length, maxRequirements);
  t.throws(() => parseFieldSelector(many(maxRequirements + 1)), {
    message: `invalid selector: ${tooManyRequirements}`,
  });
});
