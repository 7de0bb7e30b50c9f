import t from 'tap';
import { KnownRoutes } from '../../../apiserver/handlers/known-routes.js';
import { requestInfo } from '../../../apiserver/http/request-info.js';
import { parseQuery } from '../../../apiserver/http/query.js';

const infoOf = (method: string, path: string) => requestInfo(method, path, parseQuery(''));

const pods = '/api/v1/namespaces/a/pods';

t.test('requests of different routes are told apart', t => {
  const requests = [
    ['GET', pods],
    ['GET', '/api/v1/pods'],
    ['GET', `${pods}/one`],
    ['HEAD', `${pods}/one`],
    ['PUT', `${pods}/one`],
    ['PUT', `${pods}/one/status`],
    ['GET', `${pods}/one/proxy`],
    ['GET', `${pods}/one/proxy/more`],
    ['GET', '/apis/other/v1/namespaces/a/pods'],
    ['GET', '/api/v2/namespaces/a/pods'],
  ] as const;
  const known = new KnownRoutes<string>();
  for (const [method, path] of requests) {
    t.equal(known.get(method, infoOf(method, path)), undefined, `${method} ${path} is new`);
    known.add(method, infoOf(method, path), `${method} ${path}`);
  }
  for (const [method, path] of requests) t.equal(known.get(method, infoOf(method, path)), `${method} ${path}`);
  t.equal(known.get('GET', infoOf('GET', '/api/v1/namespaces/b/pods/two')), `GET ${pods}/one`, 'names do not matter');
  known.clear();
  t.equal(known.get('GET', infoOf('GET', pods)), undefined);
  t.end();
});

t.test('a client that invents methods does not fill the memory', t => {
  const known = new KnownRoutes<number>();
  const path = `${pods}/one/proxy`;
  const methods = Array.from({ length: 10_000 }, (_, turn) => `M${turn}`);
  for (const [turn, method] of methods.entries()) known.add(method, infoOf(method, path), turn);
  const remembered = methods.filter(method => known.get(method, infoOf(method, path)) !== undefined);
  t.ok(remembered.length <= 128, `${remembered.length} routes are remembered`);
  t.ok(remembered.includes('M9999'));
  t.end();
});
