import t from 'tap';
import { compileRules } from '../../../apiserver/flow/match.js';
import { parseQuery } from '../../../apiserver/http/query.js';
import { requestInfo } from '../../../apiserver/http/request-info.js';
import type { FlowSchemaSpec } from '../../../api/kubernetes/flowcontrol.js';

type Rules = NonNullable<FlowSchemaSpec['rules']>[number];
const all = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true };
const everyone = { kind: 'Group', group: { name: '*' } };

function matches(rule: Rules, user: string, groups: readonly string[], what: string): boolean {
  const [method = '', path = ''] = what.split(' ');
  const info = requestInfo(method, path, parseQuery(''));
  return compileRules({ rules: [rule] }).some(each => each.user({ name: user, groups }) && each.request(info));
}

t.test('subjects', async t => {
  const account = (name: string) => ({ kind: 'ServiceAccount', serviceAccount: { namespace: 'ns', name } });
  const cases = [
    { name: 'a user', subject: { kind: 'User', user: { name: 'jane' } }, expect: ['jane'] },
    { name: 'all users', subject: { kind: 'User', user: { name: '*' } }, expect: ['jane', 'joe', 'sa', 'other'] },
    { name: 'a group', subject: { kind: 'Group', group: { name: 'devs' } }, expect: ['joe'] },
    { name: 'all groups', subject: everyone, expect: ['jane', 'joe', 'sa', 'other'] },
    { name: 'a service account', subject: account('bot'), expect: ['sa'] },
    { name: 'all service accounts of a namespace', subject: account('*'), expect: ['sa', 'other'] },
    { name: 'a subject without its specification', subject: { kind: 'User' }, expect: [] },
  ];
  const users: Record<string, [string, string[]]> = {
    jane: ['jane', []],
    joe: ['joe', ['devs']],
    sa: ['system:serviceaccount:ns:bot', []],
    other: ['system:serviceaccount:ns:bot2', []],
  };
  for (const { name, subject, expect } of cases) {
    const rule = { subjects: [subject], resourceRules: [all] } as Rules;
    const found = Object.entries(users).filter(([, [user, groups]]) => matches(rule, user, groups, 'GET /api/v1/pods'));
    t.same(
      found.map(([key]) => key),
      expect,
      name,
    );
  }
});

t.test('requests', async t => {
  const cases = [
    { name: 'everything', rule: { resourceRules: [all] }, given: 'GET /api/v1/pods', expect: true },
    { name: 'verb', rule: { resourceRules: [{ ...all, verbs: ['list'] }] }, given: 'POST /api/v1/pods', expect: false },
    { name: 'group', rule: { resourceRules: [{ ...all, apiGroups: ['apps'] }] }, given: 'GET /api/v1/pods', expect: false },
    { name: 'core', rule: { resourceRules: [{ ...all, apiGroups: [''] }] }, given: 'GET /api/v1/pods', expect: true },
    { name: 'part', rule: { resourceRules: [{ ...all, resources: ['pods/status'] }] }, given: 'PUT /api/v1/namespaces/a/pods/b/status', expect: true },
    { name: 'whole', rule: { resourceRules: [{ ...all, resources: ['pods'] }] }, given: 'PUT /api/v1/namespaces/a/pods/b/status', expect: false },
    { name: 'clusterScope is false', rule: { resourceRules: [{ ...all, clusterScope: false }] }, given: 'GET /api/v1/pods', expect: false },
    { name: 'a namespace', rule: { resourceRules: [{ ...all, namespaces: ['a'] }] }, given: 'GET /api/v1/namespaces/a/pods', expect: true },
    { name: 'another', rule: { resourceRules: [{ ...all, namespaces: ['a'] }] }, given: 'GET /api/v1/namespaces/b/pods', expect: false },
    { name: 'a path does not match resource rules', rule: { resourceRules: [all] }, given: 'GET /version', expect: false },
    { name: 'a path', rule: { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/version'] }] }, given: 'GET /version', expect: true },
    { name: 'below a path', rule: { nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/healthz/*'] }] }, given: 'GET /healthz/ping', expect: true },
    { name: 'a path with the same prefix', rule: { nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/health'] }] }, given: 'GET /healthz', expect: false },
    { name: 'all paths', rule: { nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] }, given: 'GET /x', expect: true },
  ]; // prettier-ignore
  for (const { name, rule, given, expect } of cases)
    t.equal(matches({ subjects: [everyone], ...rule }, 'jane', [], given), expect, name);
});
