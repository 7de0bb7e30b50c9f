/** Validation rules in CEL, compared to the recorded behaviour of Kubernetes 1.36. */
import t from 'tap';
import { definitionsPath, object, text, whole } from '../../custom-kinds.js';
import { foo, ofSchema, pathOf, fixture } from './fixture.js';
import { merge, refusal } from '../wire.js';

t.test('CEL rules behave as in Kubernetes', async t => {
  const { ask, defined } = await fixture(t);
  const withRule = (rule: object, more: object = {}) =>
    ofSchema(
      object({
        spec: {
          ...object({ a: text, n: whole, 'x-y': text, list: { type: 'array', items: text } }),
          'x-kubernetes-validations': [rule],
          ...more,
        },
      }),
    );

  await t.test('invalid rules are refused', async t => {
    const cases: { name: string; given: object; expect: RegExp }[] = [
      {
        name: 'an unknown field',
        given: { rule: 'self.zzz' },
        expect:
          /rule: Invalid value: .*compilation failed: ERROR: <input>:1:5: undefined field 'zzz'\n \| self\.zzz\n \| \.\.\.\.\^/,
      },
      {
        name: 'cost',
        given: { rule: 'self.list.all(x, self.list.all(y, x == y))' },
        expect:
          /estimated rule cost exceeds budget by factor of .*x \(try simplifying the rule, or adding maxItems, maxProperties, and maxLength/,
      },
      {
        name: 'several lines without a message',
        given: { rule: 'true\n|| false' },
        expect: /message: Required value: message must be specified if rule contains line breaks/,
      },
      {
        name: 'authorizer',
        given: { rule: "authorizer.group('').resource('x').check('get').allowed()" },
        expect: /undeclared reference to 'authorizer'/,
      },
      {
        name: 'fieldPath',
        given: { rule: 'true', fieldPath: '.zzz' },
        expect: /fieldPath: Invalid value: "\.zzz": must be a valid path/,
      },
      {
        name: 'reason',
        given: { rule: 'true', reason: 'Other' },
        expect: /reason: Unsupported value: "Other": supported values/,
      },
    ];
    for (const { name, given, expect } of cases)
      t.match(refusal(await ask(`POST ${definitionsPath}`, withRule(given))), expect, name);
    const inList = ofSchema(
      object({ l: { type: 'array', items: { ...text, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] } } }),
    );
    t.match(
      refusal(await ask(`POST ${definitionsPath}`, inList)),
      /oldSelf cannot be used on the uncorrelatable portion of the schema/,
    );
  });

  await t.test('the fields of a rule and escaped names are used', async t => {
    const rule = {
      rule: "self.x__dash__y != 'no'",
      reason: 'FieldValueForbidden',
      messageExpression: "'not ' + self.x__dash__y",
      fieldPath: '.a',
    };
    const of = withRule(rule);
    await defined(of);
    const post = (spec: object) => ask(`POST ${pathOf(of)}?dryRun=All`, foo(of, 'x', { spec }));
    t.equal(refusal(await post({ 'x-y': 'no' })), '422: spec.a: Forbidden: not no');
    t.equal((await post({ 'x-y': 'yes' })).status, 201);
    const plain = withRule({ rule: 'self.n > 1' });
    await defined(plain);
    t.equal(
      refusal(await ask(`POST ${pathOf(plain)}`, foo(plain, 'x', { spec: { n: 1 } }))),
      '422: spec: Invalid value: failed rule: self.n > 1',
    );
    const root = ofSchema({
      ...object({}),
      'x-kubernetes-validations': [{ rule: "self.metadata.name.startsWith('a')" }],
    });
    await defined(root);
    t.equal((await ask(`POST ${pathOf(root)}`, foo(root, 'ab'))).status, 201);
    t.equal((await ask(`POST ${pathOf(root)}`, foo(root, 'b'))).status, 422);
  });

  await t.test('the CEL libraries can be used', async t => {
    const rules = [
      '[1,2,3].sum() == 6 && [1,2].isSorted()',
      "'abc'.find('[b-c]+') == 'bc' && 'a1b2'.findAll('[0-9]') == ['1','2']",
      "url('https://a:80/p?q=1').getHost() == 'a:80'",
      "ip('10.0.0.1').family() == 4 && cidr('10.0.0.0/8').containsIP('10.1.1.1')",
      "quantity('1Ki').isGreaterThan(quantity('1k'))",
      "!format.dns1123Label().validate('ok').hasValue()",
      "semver('1.2.3').isLessThan(semver('1.10.0'))",
      'sets.contains([1,2],[1])',
      'optional.of(1).hasValue() && [1,2].transformMap(i, v, v > 1, v * 2) == {1: 4}',
      'cel.bind(x, 1, x + 1) == 2',
      '[[1], [2, 3]].flatten() == [1, 2, 3] && [2, 1].sort() == [1, 2] && [1, 1].distinct() == [1]',
      "['a', 'b'].reverse() == ['b', 'a'] && lists.range(2) == [0, 1] && [1, 2, 3].slice(1, 2) == [2]",
      "semver('v1.2', true).major() == 1",
      "'a,b'.split(',').size() == 2 && 'abc'.substring(1) == 'bc'",
    ];
    for (const rule of rules) {
      const of = ofSchema({ ...object({}), 'x-kubernetes-validations': [{ rule }] });
      await defined(of);
      const seen = await ask(`POST ${pathOf(of)}`, foo(of, 'x'));
      t.equal(seen.status, 201, `${rule} ${seen.status === 201 ? '' : refusal(seen)}`);
    }
  });

  await t.test('transition rules run on updates, also of the status', async t => {
    const of = ofSchema(
      object({
        spec: {
          ...object({ a: text, n: { ...whole, 'x-kubernetes-validations': [{ rule: 'self > 0' }] } }),
          'x-kubernetes-validations': [{ rule: 'self.a == oldSelf.a', message: 'stays' }],
        },
        status: {
          ...object({ ok: { type: 'boolean' }, m: whole }),
          'x-kubernetes-validations': [{ rule: 'self.ok', message: 'not ok' }, { rule: '10 / self.m > 0' }],
        },
      }),
      { subresources: { status: {} } },
    );
    await defined(of);
    const one = pathOf(of, '/x');
    t.equal(
      (await ask(`POST ${pathOf(of)}`, foo(of, 'x', { spec: { a: '1', n: 1 } }))).status,
      201,
      'a transition rule does not apply to a new object',
    );
    t.equal(refusal(await ask(`PATCH ${one}`, { spec: { a: '2' } }, merge)), '422: spec: Invalid value: stays');
    t.equal(
      refusal(await ask(`PATCH ${one}/status`, { status: { ok: false, m: 1 } }, merge)),
      '422: status: Invalid value: not ok',
    );
    t.match(
      refusal(await ask(`PATCH ${one}/status`, { status: { ok: true, m: 0 } }, merge)),
      /^422: status: Invalid value: .*10 \/ self\.m > 0.*division by zero|^422: status: Invalid value: .*division by zero/,
    );
    t.match(
      refusal(await ask(`POST ${pathOf(of)}`, foo(of, 'y', { spec: { a: 1, n: 'x' } }))),
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    );
    const fresh = withRule({ rule: "!oldSelf.hasValue() || self.a == 'x'", optionalOldSelf: true });
    await defined(fresh);
    t.equal((await ask(`POST ${pathOf(fresh)}`, foo(fresh, 'x', { spec: { a: 'y' } }))).status, 201);
    t.equal((await ask(`PATCH ${pathOf(fresh, '/x')}`, { spec: { a: 'z' } }, merge)).status, 422);
  });
});
