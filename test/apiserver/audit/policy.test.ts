import t from 'tap';
import { evaluator, type AuditRule } from '../../../apiserver/audit/policy.js';
import { readPolicy } from '../../../apiserver/audit/read-policy.js';
import { sourceIPs } from '../../../apiserver/audit/source-ips.js';
import { attributesOf } from '../../../apiserver/http/filters.js';
import { parseQuery } from '../../../apiserver/http/query.js';
import { requestInfo } from '../../../apiserver/http/request-info.js';

const jane = { name: 'jane', groups: ['devs', 'system:authenticated'] };

function fits(rule: Omit<AuditRule, 'level'>, what: string): boolean {
  const [method = '', path = ''] = what.split(' ');
  const evaluate = evaluator({ rules: [{ level: 'Metadata', ...rule }] });
  return evaluate(jane, attributesOf(requestInfo(method, path, parseQuery('')))).level === 'Metadata';
}

t.test('rules', async t => {
  const pod = 'GET /api/v1/namespaces/ns/pods/p';
  const status = 'PUT /api/v1/namespaces/ns/pods/p/status';
  const cases: [string, Omit<AuditRule, 'level'>, string, boolean][] = [
    ['everything', {}, pod, true],
    ['the user', { users: ['jane'] }, pod, true],
    ['another user', { users: ['joe'] }, pod, false],
    ['a group', { userGroups: ['x', 'devs'] }, pod, true],
    ['another group', { userGroups: ['x'] }, pod, false],
    ['the verb', { verbs: ['get'] }, pod, true],
    ['another verb', { verbs: ['list'] }, pod, false],
    ['the namespace', { namespaces: ['ns'] }, pod, true],
    ['no namespace', { namespaces: [''] }, 'GET /api/v1/nodes', true],
    ['another namespace', { namespaces: ['x'] }, pod, false],
    ['a path has no namespace', { namespaces: [''] }, 'GET /version', false],
    ['the core group', { resources: [{ group: '' }] }, pod, true],
    ['another group of kinds', { resources: [{ group: 'apps' }] }, pod, false],
    ['all groups', { resources: [{ group: '*' }] }, pod, true],
    ['the resource', { resources: [{ resources: ['pods'] }] }, pod, true],
    ['a resource does not match its subresources', { resources: [{ resources: ['pods'] }] }, status, false],
    ['the subresource', { resources: [{ resources: ['pods/status'] }] }, status, true],
    ['all subresources', { resources: [{ resources: ['pods/*'] }] }, status, true],
    ['all resources and subresources', { resources: [{ resources: ['pods/*'] }] }, pod, true],
    ['that subresource of all resources', { resources: [{ resources: ['*/status'] }] }, status, true],
    ['all resources', { resources: [{ resources: ['*'] }] }, status, true],
    ['the name', { resources: [{ resources: ['pods'], resourceNames: ['p'] }] }, pod, true],
    ['another name', { resources: [{ resources: ['pods'], resourceNames: ['q'] }] }, pod, false],
    ['a path', { nonResourceURLs: ['/version'] }, 'GET /version', true],
    ['below a path', { nonResourceURLs: ['/healthz*'] }, 'GET /healthz/ping', true],
    ['all paths', { nonResourceURLs: ['*'] }, 'GET /version', true],
    ['a resource does not match paths', { nonResourceURLs: ['*'] }, pod, false],
  ];
  for (const [name, rule, what, expect] of cases) t.equal(fits(rule, what), expect, name);
});

t.test('the level of an event', async t => {
  const evaluate = evaluator({
    omitStages: ['RequestReceived'],
    omitManagedFields: true,
    rules: [
      { level: 'Request', users: ['joe'], omitStages: ['Panic'], omitManagedFields: false },
      { level: 'Metadata', users: ['jane'] },
    ],
  });
  const version = attributesOf(requestInfo('GET', '/version', parseQuery('')));
  t.same(evaluate({ name: 'joe', groups: [] }, version), {
    level: 'Request',
    omitStages: new Set(['RequestReceived', 'Panic']),
    omitManagedFields: false,
  });
  t.match(evaluate(jane, version), { level: 'Metadata', omitManagedFields: true });
  t.equal(evaluate({ name: 'x', groups: [] }, version).level, 'None', 'no rule');
  t.equal(evaluate(undefined, version).level, 'None', 'no user');
});

const head = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n';

t.test('invalid policies', async t => {
  const cases = [
    ['', 'want apiVersion audit.k8s.io/v1 and kind Policy'],
    ['kind: Policy\napiVersion: audit.k8s.io/v1beta1\nrules: []', 'want apiVersion audit.k8s.io/v1 and kind Policy'],
    [`${head}rules: []`, 'loaded illegal policy with 0 rules'],
    [`${head}rules: 5`, 'rules: must be a list'],
    [`${head}rules:\n- level: Metadata\n  user: [x]`, 'rules[0].user: unknown field'],
    [`${head}rules:\n- level: Metadata\n  users: [5]`, 'rules[0].users[0]: must be a string'],
    [`${head}rules:\n- users: [x]`, 'rules[0].level: Required value'],
    [
      `${head}rules:\n- level: All`,
      'rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
    ],
    [
      `${head}omitStages: [Begin]\nrules:\n- level: None`,
      'omitStages[0]: Invalid value: "Begin": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
    ],
    [
      `${head}rules:\n- level: None\n  nonResourceURLs: [version]`,
      `rules[0].nonResourceURLs[0]: Invalid value: "version": non-resource URL rules must begin with a '/' character`,
    ],
    [
      `${head}rules:\n- level: None\n  nonResourceURLs: [/a*b]`,
      `rules[0].nonResourceURLs[0]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule`,
    ],
    [
      `${head}rules:\n- level: None\n  resources: [{resourceNames: [a]}]`,
      'rules[0].resources.resourceNames: Invalid value: ["a"]: using resourceNames requires at least one resource',
    ],
    [
      `${head}rules:\n- level: None\n  namespaces: [a]\n  nonResourceURLs: [/a]`,
      'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
  ];
  for (const [text = '', message] of cases) t.throws(() => readPolicy(text), { message: message as string });
  t.throws(() => readPolicy('a: [1'), { message: /^yaml: line/ });
});

t.test('a policy in JSON', async t => {
  const policy = {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    metadata: { name: 'a' },
    rules: [{ level: 'Request' }],
  };
  t.match(readPolicy(JSON.stringify(policy)), { rules: [{ level: 'Request' }] });
});

t.test('source addresses of requests', async t => {
  t.same(sourceIPs(undefined, undefined, '::ffff:10.0.0.1'), ['10.0.0.1']);
  t.same(sourceIPs('1.2.3.4, nonsense, 5.6.7.8', '1.2.3.4', '9.9.9.9'), ['1.2.3.4', '5.6.7.8', '9.9.9.9']);
  t.same(sourceIPs('1.2.3.4', '2.2.2.2', '1.2.3.4'), ['1.2.3.4', '2.2.2.2', '1.2.3.4']);
  t.same(sourceIPs('1.2.3.4', undefined, '1.2.3.4'), ['1.2.3.4']);
});
