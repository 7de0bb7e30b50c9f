import t from 'tap';
import { compile } from '../../../openapi/cel/environment.js';
import { dyn } from '../../../lib/cel/types.js';
import { List, Uint, type Value, listOf } from '../../../lib/cel/values.js';

const variables = new Map([['x', dyn]]);

function run(expression: string, x?: Value): { value?: Value; error?: string } {
  const compiled = compile(expression, variables);
  if (!('run' in compiled)) return { error: JSON.stringify(compiled) };
  return compiled.run(name => (name === 'x' ? x : undefined));
}

/** Expressions that are true. */
const truths: Record<string, string[]> = {
  numbers: [
    '1 + 2 * 3 == 7 && 7 / 2 == 3 && -7 / 2 == -3 && 7 % 3 == 1 && -7 % 3 == -1',
    '1 < 2 && 2.5 > 1.0 && 3u >= 3u && 1 < 2.5 && 2u > 1 && 1 <= 1u',
    'dyn(1) == dyn(1.0) && dyn(1u) == dyn(1) && dyn(1) != dyn(1.5)',
    '0x1F == 31 && 1e3 == 1000.0 && .5 == 0.5 && 12u == uint(12)',
    'int(1.9) == 1 && int(-1.9) == -1 && int("12") == 12 && double("1.5") == 1.5 && uint(3) == 3u',
    'string(1.0) == "1" && string(1e6) == "1e+06" && string(123456.5) == "123456.5" && string(0.00001) == "1e-05"',
    'string(-5) == "-5" && string(true) == "true" && bool("t") && !bool("FALSE")',
    '9223372036854775807 - 1 == 9223372036854775806',
    '-9223372036854775808 + 9223372036854775807 == -1 && -9223372036854775808 / 2 == -4611686018427387904',
    '9007199254740993 != 9007199254740992 && 9007199254740993 > 9007199254740992 && 18446744073709551615u > 9223372036854775807',
    'int("9007199254740993") == 9007199254740993 && string(-9223372036854775808) == "-9223372036854775808"',
    'uint("18446744073709551615") == 18446744073709551615u && string(18446744073709551615u) == "18446744073709551615"',
    'double(9007199254740993) == 9007199254740992.0 && int(9007199254740992.0) == 9007199254740992',
    'dyn(9007199254740993) == 9007199254740992.0 && !(9007199254740993 > 9007199254740992.0) && 9223372036854775807 == dyn(9223372036854775808.0)',
    '9007199254740993 in [9007199254740993] && !(9007199254740993 in [9007199254740992]) && {9007199254740993: 1}[9007199254740993] == 1',
    "'%d'.format([9223372036854775807]) == '9223372036854775807' && [9007199254740993, 9007199254740992].min() == 9007199254740992",
    'double("1e308") == 1e308 && 9223372036854775807 % 10 == 7 && 0x7fffffffffffffff == 9223372036854775807',
  ],
  texts: [
    `'a' + "b" == 'ab' && size('x😀') == 2 && 'x😀'.size() == 2`,
    `'\\x41\\u0042\\U00000043\\104\\n' == 'ABCD\\n' && r'\\d' == '\\\\d' && b'\\xff' == bytes(b'\\xff')`,
    `'''a\n'b' ''' == "a\\n'b' "`,
    `'abc'.contains('b') && 'abc'.startsWith('ab') && 'abc'.endsWith('bc') && 'abc'.matches('^a.c$') && matches('abc', 'b')`,
    `'abc'.charAt(1) == 'b' && 'abc'.charAt(3) == '' && 'abcb'.indexOf('b', 2) == 3 && 'abcb'.lastIndexOf('b', 2) == 1`,
    `'aé😀b'.charAt(1) == 'é' && 'aé😀b'.charAt(2) == '😀' && 'aé😀b'.charAt(3) == 'b' && 'aé😀b'.charAt(4) == ''`,
    `'aBc'.lowerAscii() == 'abc' && 'aBc'.upperAscii() == 'ABC' && ' a '.trim() == 'a'`,
    `'aaa'.replace('a', 'b', 2) == 'bba' && 'ab'.replace('', '-') == '-a-b-' && 'abc'.substring(1, 2) == 'b'`,
    `'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'ab'.split('') == ['a', 'b'] && ['a', 'b'].join('-') == 'a-b'`,
    `'a1b22'.find('[0-9]+') == '1' && 'a1b22'.findAll('[0-9]+') == ['1', '22'] && 'a1b2'.findAll('[0-9]', 1) == ['1']`,
    `'%s %d %.2f %x %b %o %%'.format(['a', dyn(3), dyn(1234.567), dyn(255), dyn(5), dyn(8)]) == 'a 3 1,234.57 ff 101 10 %'`,
    `'%s'.format([[1, 2]]) == '[1, 2]' && '%s'.format([{'a': 1.5}]) == '{"a":1.500000}' && '%e'.format([1234.5]) == '1.234500×10⁰³'`,
    `strings.quote('a"b') == '"a\\\\"b"' && bytes('é') == b'\\xc3\\xa9' && string(b'a') == 'a'`,
    `'a' < 'b' && '\\uffff' < '😀' && b'a' < b'b'`,
  ],
  'texts as cel-go': [
    `'abc'.indexOf('c', 5) == -1 && 'abc'.indexOf('', 7) == 7 && 'abc'.indexOf('a', 3) == -1 && ''.indexOf('a') == -1`,
    `'abc'.lastIndexOf('c', 5) == -1 && 'abc'.lastIndexOf('', 9) == 9 && 'abc'.lastIndexOf('') == 3 && 'abc'.lastIndexOf('abcd') == -1`,
    `'abcabc'.lastIndexOf('bc') == 4 && 'abcabc'.lastIndexOf('bc', 3) == 1 && '😀b😀b'.lastIndexOf('b') == 3 && '😀b'.indexOf('b') == 1`,
    `'😀b'.replace('', '-') == '-😀-b-' && '😀b'.split('') == ['😀', 'b'] && 'abc'.split('', 2) == ['a', 'bc'] && ''.split('').size() == 0`,
    `'a,b,c'.split(',', 1) == ['a,b,c'] && ''.split(',') == [''] && ','.split(',') == ['', ''] && 'aaa'.replace('aa', 'b') == 'ba'`,
    `'\u0085\u00a0\u2003a\u3000\v'.trim() == 'a' && '\ufeffa'.trim() == '\ufeffa' && ' \t'.trim() == ''`,
    `strings.quote('\\u0001\\u007f\\u200b\\n\\a"') == '"\\u0001\\u007f\\u200b\\\\n\\\\a\\\\""'`,
    `'aab'.findAll('a*') == ['aa', ''] && 'baac'.findAll('a*', 2) == ['', 'aa'] && 'a😀b'.findAll('') == ['', '', '', '']`,
    `'%.0f %.0f %.1f %.2f'.format([0.5, 1.5, 0.25, 0.125]) == '0 2 0.2 0.12' && '%.3f'.format([-2.0005]) == '-2.001'`,
    `'%.0e %.1e %.2e'.format([2.5, 1.25, 1.125]) == '2×10⁰⁰ 1.2×10⁰⁰ 1.12×10⁰⁰' && '%.1e'.format([9.96]) == '1.0×10⁰¹'`,
    `'%.0f'.format([1e22]) == '10,000,000,000,000,000,000,000' && '%.3f'.format([1e-7]) == '0.000' && '%.1f'.format([9.96]) == '10.0'`,
    `'%s'.format([[0.1, -0.0, 2.5e-7]]) == '[0.100000, -0.000000, 0.000000]' && '%.200f'.format([0.5]).size() == 202`,
  ],
  'times as cel-go': [
    `timestamp('2024-02-29T12:30:45Z').getHours('5:30') == 18 && timestamp('2024-02-29T12:30:45Z').getMinutes('+5:5') == 35`,
    `timestamp('2024-02-29T12:30:45Z').getHours('-0:31') == 11 && timestamp('2024-02-29T12:30:45Z').getDate('-13:00') == 28`,
    `timestamp('0050-06-01T12:00:00Z').getFullYear('Europe/Berlin') == 50 && timestamp('0099-12-31T23:30:00Z').getFullYear('Asia/Tokyo') == 100`,
    `timestamp('0050-03-01T12:00:00Z').getDayOfYear() == 59 && timestamp('0001-01-01T00:00:00Z').getFullYear('America/New_York') == 0`,
    `timestamp('9999-12-31T23:59:59.999999999Z').getFullYear() == 9999 && timestamp('2024-01-01T00:30:00+05:00').getHours() == 0`,
  ],
  lists: [
    '[1, 2] + [3] == [1, 2, 3] && 2 in [1, 2] && !(3 in [1, 2]) && [1, 2][1] == 2 && size([1]) == 1',
    '[1, 2, 3].all(i, i > 0) && [1, 2].exists(i, i == 2) && [1, 2].exists_one(i, i > 1) && ![].exists(i, true)',
    '[1, 2, 3].map(i, i * 2) == [2, 4, 6] && [1, 2, 3].map(i, i > 1, i * 2) == [4, 6] && [1, 2].filter(i, i > 1) == [2]',
    '[1, 2].all(i, v, v == i + 1) && [3, 4].transformList(i, v, i + v) == [3, 5] && [3, 4].transformMap(i, v, v) == {0: 3, 1: 4}',
    "['a', 'b'].transformMapEntry(i, v, {v: i}) == {'a': 0, 'b': 1} && {'a': 1}.transformMap(k, v, v > 0, v + 1) == {'a': 2}",
    '[1, 2, 3].sum() == 6 && [1.5, 2.0].sum() == 3.5 && [].sum() == 0 && [3, 1].min() == 1 && [3, 1].max() == 3',
    "[1, 2].isSorted() && !['b', 'a'].isSorted() && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(2) == -1",
    '[3, 1, 2].sort() == [1, 2, 3] && [1, 1, 2].distinct() == [1, 2] && [1, 2].reverse() == [2, 1]',
    '[[1], [2, 3]].flatten() == [1, 2, 3] && [1, 2, 3].slice(1, 3) == [2, 3] && lists.range(3) == [0, 1, 2]',
    "[{'n': 2}, {'n': 1}].sortBy(e, e.n)[0].n == 1 && [1, 2].first().value() == 1 && [].last() == optional.none()",
    'sets.contains([1, 2], [2]) && sets.equivalent([1, 1], [1]) && sets.intersects([1], [1, 2]) && !sets.intersects([1], [2])',
    'lists.range(3000).map(i, i).map(i, i * 2).size() == 3000',
  ],
  maps: [
    "{'a': 1, 'b': 2}.size() == 2 && {'a': 1}['a'] == 1 && {'a': 1}.a == 1 && 'a' in {'a': 1} && !has({'a': 1}.b)",
    "{'a': 1}.map(k, k) == ['a'] && {1: 'x'}[dyn(1u)] == 'x' && {true: 1}[true] == 1 && {'a': 1} == {'a': 1}",
    "{'a': 1}.all(k, v, v == 1) && {'a': {'b': 1}}.a.b == 1 && {'a': 1} != {'a': 2}",
  ],
  logic: [
    'true || 1 / 0 > 0',
    '1 / 0 > 0 || true',
    '!(false && 1 / 0 > 0) && !(1 / 0 > 0 && false)',
    '[1, 0].exists(i, 1 / i > 0) && ![0, 1].all(i, 1 / i > 1)',
    'true ? true : 1 / 0 > 0',
    "type(1) == int && type('') == string && type([]) == list && type({}) == map && type(null) == null_type && type(int) == type",
    'type(1) != uint && type(timestamp(0)) == google.protobuf.Timestamp && null == null',
    'cel.bind(a, [1, 2], a.size() + a[0] == 3)',
  ],
  optional: [
    "{'a': 1}.?a.value() == 1 && !{'a': 1}.?b.hasValue() && {'a': 1}[?'b'].orValue(7) == 7 && [1][?3].orValue(2) == 2",
    "{'a': {'b': 1}}.?a.b.value() == 1 && {'a': {'b': 1}}.?x.b.orValue(3) == 3 && has({'a': {'b': 1}}.?a.b)",
    'optional.of(1).or(optional.of(2)).value() == 1 && optional.none().or(optional.of(2)).value() == 2',
    "optional.ofNonZeroValue('') == optional.none() && optional.of(2).optMap(v, v * 2).value() == 4",
    'optional.of(2).optFlatMap(v, optional.of(v + 1)).value() == 3 && [?optional.none(), ?optional.of(1)] == [1]',
    "{?'a': optional.none(), 'b': 1} == {'b': 1} && optional.unwrap([optional.of(1), optional.none()]) == [1]",
  ],
  times: [
    "timestamp('2024-02-29T12:30:45.5Z').getDayOfYear() == 59 && timestamp('2024-02-29T12:30:45Z').getMonth() == 1",
    "timestamp('2024-02-29T12:30:45Z').getHours('America/New_York') == 7 && timestamp('2024-02-29T12:30:45Z').getMinutes('+05:45') == 15",
    "timestamp('2024-01-01T00:00:00Z') + duration('1h') == timestamp('2024-01-01T02:00:00+01:00')",
    "string(timestamp('2024-01-01T02:00:00.25+01:00')) == '2024-01-01T02:00:00.25+01:00' && int(timestamp('1970-01-01T00:01:00Z')) == 60",
    "duration('1h30m').getMinutes() == 90 && duration('1.5s').getMilliseconds() == 1500 && string(duration('90m')) == '5400s'",
    "timestamp('2024-01-02T00:00:00Z') - timestamp('2024-01-01T00:00:00Z') == duration('24h')",
  ],
  quantities: [
    "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('1000m') == quantity('1') && isQuantity('5Mi') && !isQuantity('x')",
    "quantity('1k').add(1).asInteger() == 1001 && quantity('2').sub(quantity('500m')) == quantity('1500m')",
    "!quantity('500m').isInteger() && sign(quantity('-1')) == -1 && quantity('1').compareTo(quantity('2')) == -1",
    "quantity('1.5').asApproximateFloat() == 1.5 && quantity('1').isLessThan(quantity('2'))",
  ],
  versions: [
    "semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3",
    "semver('1.0.0-alpha.1').isLessThan(semver('1.0.0-alpha.beta')) && semver('1.0.0').isGreaterThan(semver('1.0.0-rc.1'))",
    "semver('1.0.0+a') == semver('1.0.0+b') && isSemver('v1.02', true) && !isSemver('v1.2.3') && !isSemver('01.2.3')",
    "semver('v1.02', true).compareTo(semver('1.2.0')) == 0",
  ],
  networks: [
    "ip('10.0.0.1').family() == 4 && ip('::1').isLoopback() && ip('fe80::1').isLinkLocalUnicast() && isIP('::') && !isIP('1.2.3.04')",
    "ip('8.8.8.8').isGlobalUnicast() && ip('0.0.0.0').isUnspecified() && ip('224.0.0.1').isLinkLocalMulticast()",
    "ip.isCanonical('2001:db8::1') && !ip.isCanonical('2001:DB8::1') && string(ip('2001:DB8::0:1')) == '2001:db8::1'",
    "cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !isCIDR('10.0.0.0')",
    "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && cidr('10.1.2.3/8').ip() == ip('10.1.2.3') && cidr('::/64').prefixLength() == 64",
    "url('https://u@a.b:80/x y/z?q=1&q=2#f').getHost() == 'a.b:80' && url('https://a.b:80/x').getPort() == '80'",
    "url('https://a.b/x y/z?q=1&q=2').getEscapedPath() == '/x%20y/z' && url('/p?q=1&q=2').getQuery()['q'] == ['1', '2']",
    "url('https://[::1]:80/').getHostname() == '::1' && url('HTTPS://a').getScheme() == 'https' && !isURL('nope') && isURL('/a')",
  ],
  formats: [
    "!format.dns1123Label().validate('a-b').hasValue() && format.dns1123Label().validate('A').hasValue()",
    "format.named('uuid').value().validate('x').value() == ['does not match the UUID format'] && !format.named('x').hasValue()",
    "!format.dns1123LabelPrefix().validate('a-').hasValue() && format.date().validate('2024-13-01').hasValue()",
  ],
};

t.test('expressions evaluate to true', async t => {
  for (const [group, expressions] of Object.entries(truths))
    for (const expression of expressions) t.match(run(expression), { value: true }, `${group}: ${expression}`);
});

const failures: { given: string; x?: Value; expect: string }[] = [
  { given: '1 / 0', expect: 'division by zero' },
  { given: '1 % 0', expect: 'modulus by zero' },
  { given: 'timestamp(x) == null', x: '0000-12-31T23:59:59Z', expect: 'timestamp overflow' },
  { given: 'timestamp(x) == null', x: '9999-12-31T23:59:59-01:00', expect: 'timestamp overflow' },
  {
    given: "timestamp('2024-01-01T00:00:00Z').getHours('x:1') == 0",
    expect: 'strconv.Atoi: parsing "x": invalid syntax',
  },
  { given: "'abc'.indexOf('a', -1) == 0", expect: 'index out of range: -1' },
  { given: "'abc'.lastIndexOf('a', -1) == 0", expect: 'index out of range: -1' },
  { given: '9223372036854775807 + 1', expect: 'integer overflow' },
  ...[
    '-9223372036854775808 - 1',
    '-(-9223372036854775808)',
    '-9223372036854775808 / -1',
    '3037000500 * 3037000500',
  ].map(given => ({ given, expect: 'integer overflow' })),
  ...[2 ** 63, -(2 ** 63), NaN, new Uint(2n ** 63n)].map(x => ({ given: 'int(x)', x, expect: 'integer overflow' })),
  ...['0u - 1u', '18446744073709551615u + 1u'].map(given => ({ given, expect: 'unsigned integer overflow' })),
  ...[-1n, -1, 2 ** 64].map(x => ({ given: 'uint(x)', x, expect: 'unsigned integer overflow' })),
  { given: '-9223372036854775808 % -1', expect: 'integer overflow' },
  { given: 'int(x)', x: '9223372036854775808', expect: "type conversion error from 'string' to 'int'" },
  { given: 'uint(x)', x: '18446744073709551616', expect: "type conversion error from 'string' to 'uint'" },
  { given: 'double(x)', x: '1e400', expect: "type conversion error from 'string' to 'double'" },
  { given: '[1][1]', expect: 'index out of bounds: 1' },
  { given: "[1][dyn('a')]", expect: "unsupported index type 'string' in list" },
  { given: "{'a': 1}.b", expect: 'no such key: b' },
  { given: '{1: 1}[2]', expect: 'no such key: 2' },
  { given: 'x', expect: 'no such attribute(s): x' },
  { given: 'x.y', x: 'text', expect: 'no such key: y' },
  { given: 'x < 1', x: 'a', expect: 'no such overload: _<_(string, int)' },
  { given: 'x && true', x: 'a', expect: 'no such overload' },
  { given: 'x ? 1 : 2', x: 1n, expect: 'no such overload' },
  { given: 'x.all(i, true)', x: 1n, expect: 'unsupported comprehension range type: int' },
  { given: 'x.startsWith("a")', x: null, expect: 'no such overload: startsWith(null_type, string)' },
  { given: 'int(x)', x: 'a', expect: "type conversion error from 'string' to 'int'" },
  { given: 'duration(x)', x: '1', expect: "type conversion error from 'string' to 'google.protobuf.Duration'" },
  { given: 'x.sum()', x: listOf([1n, 1.5]), expect: 'no such overload' },
  { given: '[].min()', expect: 'min called on empty list' },
  { given: "'abc'.substring(2, 1)", expect: 'invalid substring range. start: 2, end: 1' },
  { given: "'abc'.charAt(4)", expect: 'index out of range: 4' },
  { given: "'a😀'.charAt(3)", expect: 'index out of range: 3' },
  { given: '[1].slice(0, 2)', expect: 'cannot slice(0, 2), list is length 1' },
  { given: 'optional.none().value()', expect: 'optional.none() dereference' },
  { given: '[?x]', x: 1n, expect: 'cannot initialize optional list element from non-optional value 1' },
  {
    given: "quantity('1.5').asInteger()",
    expect: 'cannot convert value to integer',
  },
  { given: "semver('1.2')", expect: 'No Major.Minor.Patch elements found' },
  { given: "semver('1.2.x')", expect: 'Invalid character(s) found in patch number "x"' },
  {
    given: "ip('1.2.3.400')",
    expect:
      'IP Address "1.2.3.400" parse error during conversion from string: ParseAddr("1.2.3.400"): IPv4 field has value >255',
  },
  { given: "ip('::ffff:1.2.3.4')", expect: 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed' },
  { given: "ip('fe80::1%eth0')", expect: 'IP address "fe80::1%eth0" with zone value is not allowed' },
  {
    given: "cidr('10.0.0.0')",
    expect:
      'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0"): no \'/\'',
  },
  {
    given: "url('nope')",
    expect: 'URL parse error during conversion from string: parse "nope": invalid URI for request',
  },
  { given: "['a', 'b'].transformMapEntry(i, v, {'k': v})", expect: 'insert failed: key k already exists' },
  {
    given: "'%d'.format([x])",
    x: 'a',
    expect: 'error during formatting: decimal clause can only be used on integers, was given string',
  },
  { given: 'x == 1 || 1 / 0 == 1', x: 2n, expect: 'division by zero' },
  {
    given: "[1, 2].all(i, [1, 2].all(j, x.replace('', x).replace('', x).size() > 0))",
    x: 'a'.repeat(100_000),
    expect: 'operation cancelled: the expression visits or makes more values than it may',
  },
];

t.test('evaluation errors are those of cel-go', async t => {
  for (const { given, x, expect } of failures) t.equal(run(given, x).error, expect, given);
});

t.test('a call over the cost limit is not started', async t => {
  const size = 50_000;
  for (const expression of ['x.distinct()', 'sets.equivalent(x, x)']) {
    let looks = 0;
    const items = new List(size, i => (looks++, BigInt(i)));
    t.equal(run(expression, items).error, 'operation cancelled: actual cost limit exceeded');
    t.ok(
      looks <= 2 * size,
      `${expression} looked at ${looks} items: to know what it costs, not to compare each with each`,
    );
  }
});
