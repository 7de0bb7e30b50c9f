import t from 'tap';
import { parseJsonPath, parsePath } from '../../../apimachinery/jsonpath/jsonpath.js';

const data = {
  kind: 'List',
  items: [
    {
      kind: 'None',
      metadata: { name: '127.0.0.1', labels: { 'kubernetes.io/hostname': '127.0.0.1', a: 'x' } },
      status: { capacity: { cpu: '4' }, ready: true },
    },
    {
      kind: 'None',
      metadata: { name: '127.0.0.2', labels: { 'kubernetes.io/hostname': '127.0.0.2' } },
      status: { capacity: { cpu: '8' }, n: 5 },
    },
    { kind: 'Pod', metadata: { name: 'p"q' }, status: { n: 7.5 } },
  ],
  users: [
    { name: 'myself', user: {} },
    { name: 'e2e', user: { username: 'admin', password: 'secret' } },
  ],
  nothing: null,
  empty: [],
};

t.test('templates have the values and texts of upstream', async t => {
  const cases: [string, string][] = [
    ['hello jsonpath', 'hello jsonpath'],
    ['{.kind}', 'List'],
    ['{ .kind }!', 'List!'],
    ['{@.kind} {$.kind}', 'List List'],
    ['{["kind"]}', ''],
    ["{['kind']}", 'List'],
    ['{"a\\tb"}', 'a\tb'],
    ['{.items[*].metadata.name}', '127.0.0.1 127.0.0.2 p"q'],
    ['{.items[0].metadata.name}', '127.0.0.1'],
    ['{.items[-1].kind}', 'Pod'],
    ['{.items[-2:].metadata.name}', '127.0.0.2 p"q'],
    ['{.items[0:2].metadata.name}', '127.0.0.1 127.0.0.2'],
    ['{.items[:1].kind}', 'None'],
    ['{.items[::2].metadata.name}', '127.0.0.1 p"q'],
    ["{.items[0]['metadata.name','status.capacity']}", '127.0.0.1 {"cpu":"4"}'],
    ['{.items[0,2].metadata.name}', '127.0.0.1 p"q'],
    ['{.items[*].metadata.labels.kubernetes\\.io/hostname}', '127.0.0.1 127.0.0.2'],
    ["{.items[0].metadata.labels['kubernetes\\.io/hostname']}", '127.0.0.1'],
    ['{.users[?(@.name=="e2e")].user.password}', 'secret'],
    ["{.users[?(@.name != 'e2e')].name}", 'myself'],
    ['{.items[?(@.status.n>5)].metadata.name}', 'p"q'],
    ['{.items[?(@.status.n>=5)].metadata.name}', '127.0.0.2 p"q'],
    ['{.items[?(@.status.ready==true)].metadata.name}', '127.0.0.1'],
    ['{.items[?(@.status.ready)].metadata.name}', '127.0.0.1'],
    ['{..name}', '127.0.0.1 127.0.0.2 p"q myself e2e'],
    ['{.items[0].status.*}', '{"cpu":"4"} true'],
    ['{.nothing}', 'null'],
    ['{.missing.deeper}', ''],
    ['{.items[2].status}', '{"n":7.5}'],
    ['{range .items[*]}[{.metadata.name},{.kind}] {end}', '[127.0.0.1,None] [127.0.0.2,None] [p"q,Pod] '],
    ['{range .items[*]}{.kind}{range .metadata.labels.*}-{@}{end};{end}', 'None-127.0.0.1-x;None-127.0.0.2;Pod;'],
    ['{.items[0].metadata.labels.a}{"\\n"}', 'x\n'],
    ['{true}{5}{-1.5}', 'true5-1.5'],
  ];
  for (const [template, expect] of cases) {
    if (template === '{["kind"]}') continue;
    t.equal(parseJsonPath(template, { allowMissingKeys: true }).print(data), expect, template);
  }
});

t.test('invalid templates have the errors of upstream', async t => {
  const cases: [string, string][] = [
    ['{.missing}', 'missing is not found'],
    ['{.items[5]}', 'array index out of bounds: index 5, length 3'],
    ['{.items[2:1]}', 'starting index 2 is greater than ending index 1'],
    ['{.kind[0]}', 'string is not array or slice'],
    ['{.items[?(@.kind>1)]}', 'incompatible types for comparison'],
    ['{.kind', 'unclosed action'],
    ['{.items[', 'unterminated array'],
    ['{.items[?(@.a]}', 'unterminated filter'],
    ['{.items[a]}', 'invalid array index a'],
    ['{["kind"]}', 'invalid array index "kind"'],
    ['{....}', 'invalid multiple recursive descent'],
    ['{#}', "unrecognized character in action: U+0023 '#'"],
    ['{"a}', 'unterminated quoted string'],
    ['{hello}', 'unrecognized identifier hello'],
    ['{end}', 'not in range, nothing to end'],
  ];
  for (const [template, message] of cases) t.throws(() => parseJsonPath(template).print(data), { message }, template);
});

t.test('missing keys in paths of printer columns have no values', async t => {
  t.same(parsePath('.items[0].kind')(data), ['None']);
  t.same(parsePath('.a.b')(data), []);
  t.same(parsePath('.toString')(data), []);
});
