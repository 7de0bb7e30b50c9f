import t from 'tap';
import * as ip from '../../../apimachinery/net/ip.js';
import * as names from '../../../apimachinery/meta/names.js';
import { random as randomOf } from '../../random.js';

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const keyText =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const long = 'a'.repeat(64);

t.test('names have the errors of upstream', async t => {
  const cases: { check: names.NameCheck; given: string; expect: string[] }[] = [
    { check: names.checkDns1123Label, given: 'a-1', expect: [] },
    { check: names.checkDns1123Label, given: 'a.b', expect: ['must not contain dots'] },
    { check: names.checkDns1123Label, given: 'A', expect: [label] },
    { check: names.checkDns1123Label, given: long, expect: ['must be no more than 63 characters'] },
    { check: names.checkDns1123Label, given: `${long}.`, expect: ['must be no more than 63 characters', label] },
    { check: names.checkDns1123Subdomain, given: 'a.b-c.d', expect: [] },
    { check: names.checkDns1035Label, given: 'a1', expect: [] },
    { check: names.checkLabelKey, given: 'example.com/a_b', expect: [] },
    { check: names.checkLabelKey, given: '', expect: ['name part must be non-empty', `name part ${keyText}`] },
    { check: names.checkLabelKey, given: '/a', expect: ['prefix part must be non-empty'] },
    { check: names.checkLabelKey, given: long, expect: ['name part must be no more than 63 bytes'] },
    {
      check: names.checkLabelKey,
      given: 'é'.repeat(32),
      expect: ['name part must be no more than 63 bytes', `name part ${keyText}`],
    },
    { check: names.checkLabelKey, given: 'a'.repeat(63), expect: [] },
    { check: names.checkLabelKey, given: 'A-_.9', expect: [] },
    { check: names.checkLabelKey, given: '-a', expect: [`name part ${keyText}`] },
    { check: names.checkLabelKey, given: 'a.', expect: [`name part ${keyText}`] },
    { check: names.checkLabelKey, given: 'a b', expect: [`name part ${keyText}`] },
    { check: names.checkLabelKey, given: 'a\u0161', expect: [`name part ${keyText}`] },
    { check: names.checkLabelValue, given: '', expect: [] },
    { check: names.checkLabelValue, given: 'a-_.9Z', expect: [] },
    { check: names.checkLabelValue, given: long, expect: ['must be no more than 63 bytes'] },
    { check: names.checkPathSegmentName, given: '..', expect: ["may not be '..'"] },
    { check: names.checkPathSegmentName, given: 'a/b%', expect: ["may not contain '/'", "may not contain '%'"] },
    { check: names.checkPathSegmentName, given: 'system:a', expect: [] },
    {
      check: names.checkPortName,
      given: '-a--B-long-port-name',
      expect: [
        'must be no more than 15 characters',
        'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
        'must not contain consecutive hyphens',
        'must not begin or end with a hyphen',
      ],
    },
    { check: names.checkPortName, given: '1', expect: ['must contain at least one letter (a-z)'] },
    { check: names.checkConfigMapKey, given: '..a', expect: ["must not start with '..'"] },
    { check: names.checkConfigMapKey, given: '.', expect: ["must not be '.'"] },
    { check: names.checkRelaxedEnvVarName, given: 'a b', expect: [] },
    {
      check: names.checkRelaxedEnvVarName,
      given: 'a=b',
      expect: ["a valid environment variable name must consist only of printable ASCII characters other than '='"],
    },
    { check: names.asPrefix(names.checkDns1123Label), given: 'abc-', expect: [] },
    { check: names.asPrefix(names.checkDns1123Label), given: 'ab_-', expect: [] },
    { check: names.checkPercent, given: '10%', expect: [] },
    { check: names.checkWildcardDns1123Subdomain, given: '*.a.b', expect: [] },
  ];
  for (const { check, given, expect } of cases) t.strictSame([...check(given)], expect, given);
});

t.test('domains have the errors of upstream', async t => {
  t.same(names.domainPrefixedPathFaults('p', 'acme.io/a'), []);
  t.match(names.domainPrefixedPathFaults('p', 'acme.io/'), [{ message: /must be a domain-prefixed path/ }]);
  t.match(names.domainPrefixedKeyFaults('p', 'a'), [{ message: /must be a domain-prefixed key/ }]);
  t.match(names.fullyQualifiedNameFaults('p', 'a.b'), [{ message: /at least three segments/ }]);
  t.same(names.fullyQualifiedDomainNameFaults('p', 'a.b.'), []);
});

t.test('addresses are parsed, formatted and validated', async t => {
  const texts: [string, string | undefined][] = [
    ['10.0.0.1', '10.0.0.1'],
    ['10.0.0.256', undefined],
    ['10.0.0', undefined],
    ['010.0.0.1', undefined],
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:102:304'],
    ['1:2:3:4:5:6:7:8:9', undefined],
    ['1::2::3', undefined],
    ['fe80::1%eth0', undefined],
    [':1', undefined],
    ['12345::', undefined],
  ];
  for (const [given, expect] of texts) {
    const address = ip.parseIp(given);
    t.equal(address && ip.formatIp(address), expect, given);
  }
  const cidr = ip.parseCidr('10.1.2.3/20');
  t.equal(cidr && ip.formatCidr(cidr), '10.1.0.0/20');
  t.ok(cidr && ip.cidrContains(cidr, ip.parseIp('10.1.15.255') ?? []));
  t.notOk(cidr && ip.cidrContains(cidr, ip.parseIp('10.1.16.0') ?? []));
  t.equal(ip.parseCidr('10.0.0.0/33'), undefined);
  t.same(ip.ipFaults('p', '10.0.0.1'), []);
  t.match(ip.ipFaults('p', '10.0.0.01'), [{ message: 'Invalid value: "10.0.0.01": must not have leading 0s' }]);
  t.match(ip.ipFaults('p', '::0'), [{ message: 'Invalid value: "::0": must be in canonical form ("::")' }]);
  t.match(ip.cidrFaults('p', '10.0.0.1/8'), [{ message: /must not have bits set beyond the prefix length/ }]);
  t.same(ip.legacyIpFaults('p', '010.0.0.1', false), []);
  t.same(ip.ipWarnings('p', '010.0.0.1'), ['p: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"']);
  t.same(ip.cidrWarnings('p', '10.0.0.1/8'), [
    'p: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
  ]);
});

t.test('random label keys are valid if they match the patterns', async t => {
  const random = randomOf(1);
  const name = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
  const prefix = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
  const isRight = (key: string): boolean => {
    const parts = key.split('/');
    const last = parts.pop() ?? '';
    if (parts.length > 1 || !name.test(last) || last.length > 63) return false;
    return parts.every(part => prefix.test(part) && part.length <= 253);
  };
  let right = 0;
  for (let i = 0; i < 20_000; i++) {
    const key = Array.from({ length: random.below(7) }, () => random.pick([...'aaz09AZ-._/ é'])).join('');
    const expect = isRight(key);
    if (expect) right++;
    if ((names.checkLabelKey(key).length === 0) !== expect) t.fail(`${key}: ${names.checkLabelKey(key).join()}`);
  }
  t.ok(right > 1000, `${right} are right`);
  for (const [key, expect] of [
    [`${'a'.repeat(253)}/a`, true],
    [`${'a'.repeat(254)}/a`, false],
    [`a/${'a'.repeat(63)}`, true],
    [`a/${'a'.repeat(64)}`, false],
  ] as const)
    t.equal(names.checkLabelKey(key).length === 0, expect);
});
