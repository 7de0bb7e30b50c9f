/** Methods of connect subresources (HTTP-014). */
import t from 'tap';
import type { Connect } from '../../../apiserver/interface.js';
import { serviceUnavailable } from '../../../openapi/meta/status.js';
import { httpClient } from '../http-client.js';
import { runningServer } from '../running.js';

const echo: Connect = ({ exchange, rest }) => {
  exchange.respond(200, { method: exchange.method, rest }, undefined);
  return Promise.resolve();
};

t.test('proxies hand on every method; others have theirs', async t => {
  const connects = { 'clusters.cluster.karmada.io/proxy': echo, 'pods/exec': echo, 'services/proxy': echo };
  const ask = httpClient(t, await runningServer(t, { connects }));
  const cluster = '/apis/cluster.karmada.io/v1alpha1/clusters/c';
  const service = '/api/v1/namespaces/default/services/s';
  for (const path of [`${cluster}/proxy/a/b`, `${service}/proxy/a/b`])
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, headers } = await ask(`${method} ${path}`);
      t.match({ status, ...headers }, { status: 200, method, rest: '/a/b' }, `${method} ${path}`);
    }
  const exec = '/api/v1/namespaces/default/pods/p/exec';
  for (const [method, expect] of Object.entries({
    GET: 200,
    POST: 200,
    HEAD: 405,
    OPTIONS: 405,
    PUT: 405,
    DELETE: 405,
  }))
    t.equal((await ask(`${method} ${exec}`)).status, expect, `${method} exec`);
  for (const path of [cluster, '/api/v1/pods', '/api/v1/namespaces/default/configmaps/a'])
    for (const method of ['HEAD', 'OPTIONS'])
      t.equal((await ask(`${method} ${path}`)).status, 405, `${method} ${path}`);
});

t.test('what could not be reached is counted as such', async t => {
  const connects = { 'services/proxy': () => Promise.reject(serviceUnavailable('nobody is there')) };
  const ask = httpClient(t, await runningServer(t, { connects }));
  t.equal((await ask('GET /api/v1/namespaces/default/services/s/proxy/a')).status, 503);
  const { text } = await ask('GET /metrics');
  const counted = text.split('\n').filter(line => /^apiserver_request_total.*subresource="proxy"/.test(line));
  t.match(counted, [/code="503"} 1$/]);
  t.equal(counted.length, 1);
});
