import t from 'tap';
import { isLongRunning, requestInfo, selectedName } from '../../../apiserver/http/request-info.js';
import { parseQuery } from '../../../apiserver/http/query.js';

/** `expect` is: prefix group/version verb namespace/resource/name/subresource. */
interface Row {
  readonly given: string;
  readonly expect: string;
}

// as apiserver/pkg/endpoints/request/requestinfo_test.go, and more
const rows: readonly Row[] = [
  { given: 'GET /api/v1/namespaces', expect: 'api /v1 list -/namespaces/-/-' },
  { given: 'GET /api/v1/namespaces/other', expect: 'api /v1 get other/namespaces/other/-' },
  { given: 'GET /api/v1/namespaces/other/pods', expect: 'api /v1 list other/pods/-/-' },
  { given: 'GET /api/v1/namespaces/other/pods/foo', expect: 'api /v1 get other/pods/foo/-' },
  { given: 'HEAD /api/v1/namespaces/other/pods/foo', expect: 'api /v1 get other/pods/foo/-' },
  { given: 'GET /api/v1/pods', expect: 'api /v1 list -/pods/-/-' },
  { given: 'HEAD /api/v1/pods', expect: 'api /v1 list -/pods/-/-' },
  { given: 'GET /api/v1/namespaces/other/pods/foo/log', expect: 'api /v1 get other/pods/foo/log' },
  { given: 'POST /api/v1/namespaces/other/pods/foo/exec', expect: 'api /v1 create other/pods/foo/exec' },
  { given: 'PUT /api/v1/namespaces/other/finalize', expect: 'api /v1 update other/namespaces/other/finalize' },
  { given: 'PATCH /api/v1/namespaces/other/status', expect: 'api /v1 patch other/namespaces/other/status' },
  { given: 'GET /api/v1/namespaces/other/statuses', expect: 'api /v1 list other/statuses/-/-' },
  { given: 'PUT /api/v1/namespaces/other/pods/foo', expect: 'api /v1 update other/pods/foo/-' },
  { given: 'POST /api/v1/namespaces/other/pods', expect: 'api /v1 create other/pods/-/-' },
  { given: 'DELETE /api/v1/namespaces/other/pods/foo', expect: 'api /v1 delete other/pods/foo/-' },
  { given: 'DELETE /api/v1/namespaces/other/pods', expect: 'api /v1 deletecollection other/pods/-/-' },
  { given: 'DELETE /api/v1/nodes', expect: 'api /v1 deletecollection -/nodes/-/-' },
  { given: 'OPTIONS /api/v1/nodes', expect: 'api /v1 - -/nodes/-/-' },
  { given: 'GET /apis/apps/v1/deployments', expect: 'apis apps/v1 list -/deployments/-/-' },
  { given: 'GET /apis/apps/v1/namespaces/n/deployments/d/scale', expect: 'apis apps/v1 get n/deployments/d/scale' },
  { given: 'GET /apis/apps/v1/namespaces/n/deployments/d/scale/x/y', expect: 'apis apps/v1 get n/deployments/d/scale' },
  // watches
  { given: 'GET /api/v1/pods?watch=true', expect: 'api /v1 watch -/pods/-/-' },
  { given: 'GET /api/v1/pods?watch=1', expect: 'api /v1 watch -/pods/-/-' },
  { given: 'GET /api/v1/pods?watch', expect: 'api /v1 watch -/pods/-/-' },
  { given: 'GET /api/v1/pods?watch=', expect: 'api /v1 watch -/pods/-/-' },
  { given: 'GET /api/v1/pods?watch=yes', expect: 'api /v1 watch -/pods/-/-' },
  { given: 'GET /api/v1/pods?watch=0', expect: 'api /v1 list -/pods/-/-' },
  { given: 'GET /api/v1/pods?watch=FALSE', expect: 'api /v1 list -/pods/-/-' },
  { given: 'GET /api/v1/namespaces/n/pods/p?watch=true', expect: 'api /v1 get n/pods/p/-' },
  { given: 'GET /api/v1/watch/pods', expect: 'api /v1 watch -/pods/-/-' },
  { given: 'GET /api/v1/watch/namespaces/other/pods', expect: 'api /v1 watch other/pods/-/-' },
  { given: 'GET /api/v1/watch/namespaces/other/pods/foo', expect: 'api /v1 watch other/pods/foo/-' },
  { given: 'GET /apis/apps/v1/watch/deployments', expect: 'apis apps/v1 watch -/deployments/-/-' },
  { given: 'GET /api/v1/proxy/namespaces/other/pods/foo/x', expect: 'api /v1 proxy other/pods/foo/-' },
  // a name in a field selector
  { given: 'GET /api/v1/pods?fieldSelector=metadata.name=foo', expect: 'api /v1 list -/pods/foo/-' },
  { given: 'GET /api/v1/pods?fieldSelector=metadata.name%3D%3Dfoo&watch=1', expect: 'api /v1 watch -/pods/foo/-' },
  { given: 'GET /api/v1/pods?fieldSelector=metadata.name!=foo', expect: 'api /v1 list -/pods/-/-' },
  { given: 'GET /api/v1/pods?fieldSelector=metadata.name=a%2Fb', expect: 'api /v1 list -/pods/-/-' },
  { given: 'GET /api/v1/pods?fieldSelector=metadata.name=..', expect: 'api /v1 list -/pods/-/-' },
  { given: 'DELETE /api/v1/pods?fieldSelector=metadata.name=foo', expect: 'api /v1 deletecollection -/pods/-/-' },
  // unusual paths
  { given: 'GET /api/v1/pods/', expect: 'api /v1 list -/pods/-/-' },
  { given: 'GET //api/v1/pods', expect: 'api /v1 list -/pods/-/-' },
  { given: 'GET /api/v1/namespaces/a%20b/pods', expect: 'api /v1 list a b/pods/-/-' },
  { given: 'GET /api/v1/namespaces/n/pods/a%2Fb', expect: 'api /v1 get n/pods/a/b' },
  { given: 'GET /api/v1/namespaces/n/pods/%ff', expect: 'api /v1 get n/pods/%ff/-' },
  // non-resource paths
  { given: 'GET /', expect: 'get /' },
  { given: 'GET /api', expect: 'get /api' },
  { given: 'GET /api/v1', expect: 'get /api/v1' },
  { given: 'POST /apis/apps/v1', expect: 'post /apis/apps/v1' },
  { given: 'GET /apis/apps/v1/', expect: 'get /apis/apps/v1/' },
  { given: 'GET /healthz/ping', expect: 'get /healthz/ping' },
  { given: 'GET /other/v1/pods/x', expect: 'get /other/v1/pods/x' },
  { given: 'PROPFIND /api', expect: 'propfind /api' },
];

t.test('requestInfo', async t => {
  for (const { given, expect } of rows) {
    const [method = '', url = ''] = given.split(' ');
    const [path = '', query = ''] = url.split('?');
    const info = requestInfo(method, path, parseQuery(query));
    const dash = (text: string) => (text === '' ? '-' : text);
    const place = [info.namespace, info.resource, info.name, info.subresource].map(dash).join('/');
    const attributes = info.isResource
      ? `${info.prefix} ${info.group}/${info.version} ${dash(info.verb)} ${place}`
      : `${info.verb} ${info.path}`;
    t.equal(attributes, expect, given);
  }
});

t.test('an undecodable path', async t => {
  for (const path of ['/%', '/api/v1/%zz', '/a%2'])
    t.throws(() => requestInfo('GET', path, parseQuery('')), { message: path });
});

t.test('a verb in the path needs a resource after it', async t => {
  t.throws(() => requestInfo('GET', '/api/v1/watch', parseQuery('')), {
    message: /^unable to determine kind and namespace/,
  });
  t.throws(() => requestInfo('GET', '/apis/apps/v1/proxy', parseQuery('')), {
    message: /^unable to determine kind and namespace/,
  });
});

t.test('selectors are set for verbs that have them, not with the verb in the path', async t => {
  const query = parseQuery('labelSelector=a%3Db&fieldSelector=spec.x%3D1');
  const expected = { labelSelector: 'a=b', fieldSelector: 'spec.x=1' };
  t.match(requestInfo('GET', '/api/v1/pods', query), expected);
  t.match(requestInfo('DELETE', '/api/v1/namespaces/n/pods', query), expected);
  const none = { labelSelector: undefined, fieldSelector: undefined };
  t.match(requestInfo('GET', '/api/v1/namespaces/n/pods/p', query), none);
  t.match(requestInfo('GET', '/api/v1/watch/pods', query), none);
  t.match(requestInfo('POST', '/api/v1/namespaces/n/pods', query), none);
});

t.test('selectedName', async t => {
  const cases: Readonly<Record<string, string | undefined>> = {
    'metadata.name=a': 'a',
    'metadata.name==a': 'a',
    'metadata.namespace=n,metadata.name=a': 'a',
    'metadata.name=': undefined,
    'metadata.name!=a': undefined,
    'metadata.name=a%b': undefined,
    'spec.x=metadata.name=a': undefined,
  };
  for (const [given, expect] of Object.entries(cases)) t.equal(selectedName(given), expect, given);
});

t.test('long-running requests', async t => {
  const long = (url: string, method = 'GET') => {
    const [path = '', query = ''] = url.split('?');
    return isLongRunning(requestInfo(method, path, parseQuery(query)));
  };
  t.ok(long('/api/v1/pods?watch=1'));
  t.ok(long('/api/v1/watch/pods'));
  for (const part of ['exec', 'attach', 'log', 'portforward', 'proxy'])
    t.ok(long(`/api/v1/namespaces/n/pods/p/${part}`, 'POST'), part);
  t.ok(long('/debug/pprof/profile'));
  t.notOk(long('/api/v1/pods'));
  t.notOk(long('/api/v1/namespaces/n/pods/p/status'));
  t.notOk(long('/healthz'));
});
