/** Limits of size and time, row by row. Hostile clients are tested in test/apiserver/http/hostile.test.ts. */
import { performance } from 'node:perf_hooks';
import t from 'tap';
import { answerValue } from '../../../apiserver/http/answer.js';
import { type RequestFilter, filters } from '../../../apiserver/http/filters.js';
import { parseQuery } from '../../../apiserver/http/query.js';
import type { Request } from '../../../apiserver/http/request.js';
import { allowAll } from '../allow-all.js';
import { customKind, definitionsPath, version } from '../../custom-kinds.js';
import { httpClient, watch } from '../http-client.js';
import { runningServer } from '../running.js';

const maps = '/api/v1/namespaces/default/configmaps';
const mebibyte = 1 << 20;

t.test('sizes', async t => {
  const ask = httpClient(t, await runningServer(t));
  const map = (size: number) => ({ metadata: { name: 'm' }, data: { k: 'x'.repeat(size) } });
  const tooLarge = {
    status: 413,
    json: { reason: 'RequestEntityTooLarge', message: 'Request entity too large: limit is 3145728' },
  };
  t.match(await ask(`POST ${maps}`, { body: map(3 * mebibyte) }), tooLarge);
  t.equal((await ask(`POST ${maps}`, { body: map(10) })).status, 201);
  t.match(await ask(`PUT ${maps}/m`, { body: map(3 * mebibyte) }), tooLarge);
  const type = 'application/json-patch+json';
  t.match(
    await ask(`PATCH ${maps}/m`, { body: [{ op: 'add', path: '/data/k', value: 'x'.repeat(3 * mebibyte) }], type }),
    tooLarge,
  );
  t.match(await ask(`DELETE ${maps}/m`, { body: { dryRun: ['x'.repeat(3 * mebibyte)] } }), tooLarge);
  const operations = (count: number) =>
    Array.from({ length: count }, () => ({ op: 'test', path: '/data/k', value: 'x'.repeat(10) }));
  t.equal((await ask(`PATCH ${maps}/m`, { body: operations(10_000), type })).status, 200);
  t.match((await ask(`PATCH ${maps}/m`, { body: operations(10_001), type })).json, {
    code: 413,
    message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
  });
  const copies = Array.from({ length: 5 }, (_, i) => ({ op: 'copy', from: '/data', path: `/data/copy${i}` }));
  const fat = [{ op: 'add', path: '/data/k', value: 'x'.repeat(mebibyte) }, ...copies];
  const copied = await ask(`PATCH ${maps}/m`, { body: fat, type });
  t.match(copied.json, {
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
  });
  await ask(`POST ${definitionsPath}`, { body: customKind('Foo', [version()], { scope: 'Cluster' }) });
  const foos = '/apis/example.com/v1/foos';
  while ((await ask(`GET ${foos}`)).status !== 200); // until it is served
  const foo = (size: number) => ({
    apiVersion: 'example.com/v1',
    kind: 'Foo',
    metadata: { name: 'f' },
    data: 'x'.repeat(size),
  });
  t.match((await ask(`POST ${foos}`, { body: foo(1.6 * mebibyte) })).json, {
    code: 500,
    message: /etcdserver: request is too large$/,
  });
  t.equal((await ask(`POST ${foos}`, { body: foo(1.4 * mebibyte) })).status, 201);
  const fields = Object.fromEntries(Array.from({ length: 45_000 }, (_, i) => [`the-key-of-field-${i}`, 1]));
  const many = await ask(`POST ${foos}`, { body: { ...foo(1), metadata: { name: 'many' }, fields } });
  t.equal(many.status, 201, 'too large only with managed fields');
  t.notOk(many.json.metadata.managedFields);
});

t.test('the timeout of requests', async t => {
  let given = 0;
  const route: RequestFilter = request => {
    given = request.deadline - request.received;
    answerValue(request, 200, {});
  };
  const steps = filters({
    authenticate: () => ({ name: 'alice', groups: [] }),
    impersonate: () => Promise.resolve(undefined),
    authorize: allowAll,
    limit: () => undefined,
    route,
    requestTimeoutMs: 60_000,
  });
  const timeOf = async (method: string, target: string): Promise<number> => {
    const [path = '', query = ''] = target.split('?');
    const exchange = {
      method,
      path,
      query,
      headers: {},
      rawHeaders: [],
      peer: { address: '' },
      respond: () => undefined,
    };
    const request = {
      exchange,
      query: parseQuery(query),
      received: performance.now(),
      deadline: Infinity,
    } as unknown as Request;
    Object.assign(request, {
      header: () => undefined,
      annotate: () => undefined,
      answerHeaders: () => ({}),
      done: () => undefined,
    });
    for (const step of steps) await step(request);
    return given;
  };
  const rows: readonly [method: string, target: string, seconds: number][] = [
    ['GET', maps, 60],
    ['GET', '/healthz', 60],
    ['GET', `${maps}?timeout=5s`, 5],
    ['GET', `${maps}?timeout=5m`, 60],
    ['POST', maps, 34],
    ['PUT', `${maps}/m`, 34],
    ['PATCH', `${maps}/m`, 34],
    ['DELETE', `${maps}/m`, 34],
    ['DELETE', `${maps}/m?timeout=5s`, 5],
    ['DELETE', maps, 60],
    ['GET', `${maps}?watch=1`, Infinity],
    ['GET', `/api/v1/watch/configmaps`, Infinity],
    ['POST', '/api/v1/namespaces/default/pods/p/exec', Infinity],
    ['GET', '/api/v1/namespaces/default/pods/p/log', Infinity],
    ['GET', '/debug/pprof/profile', Infinity],
  ];
  for (const [method, target, seconds] of rows) {
    const began = performance.now();
    const least = seconds * 1000;
    const had = Math.round((await timeOf(method, target)) * 1000) / 1000; // rounding of floats
    // The timeout of writes starts when they are admitted, which is a little later.
    t.ok(had >= least && had <= least + Math.ceil(performance.now() - began), `${method} ${target}: ${had} ms`);
  }
});

t.test('a watch without a timeout', async t => {
  const server = await runningServer(t, { minRequestTimeoutMs: 300 });
  const began = performance.now();
  const stream = await watch(t, server, `${maps}?watch=1`);
  t.equal(await stream.next(), undefined, 'it ends without a last event');
  const lasted = performance.now() - began;
  t.ok(lasted >= 290, `after ${Math.round(lasted)} ms`);
  const long = await watch(t, server, `${maps}?watch=1&timeoutSeconds=1000&resourceVersion=0`);
  const ask = httpClient(t, server);
  t.equal(await (await watch(t, server, `${maps}?watch=1`)).next(), undefined);
  await ask(`POST ${maps}`, { body: { metadata: { name: 'late' } } });
  t.match(await long.next(), { type: 'ADDED' }, 'a watch with a timeout');
});

t.test('seats', async t => {
  const ask = httpClient(t, await runningServer(t));
  await ask(`GET ${maps}`);
  const { text } = await ask('GET /metrics');
  const seats = [...text.matchAll(/^apiserver_flowcontrol_nominal_limit_seats\{priority_level="([^"]+)"\} (\d+)$/gm)];
  const sum = seats.reduce((all, [, , count]) => all + Number(count), 0);
  t.ok(seats.length > 5, `${seats.length} levels`);
  t.ok(sum >= 600 && sum < 600 + seats.length, `${sum} seats`);
});

t.test('only the first validation errors are listed', async t => {
  const ask = httpClient(t, await runningServer(t));
  const many = <T>(item: T, count: number): T[] => Array.from({ length: count }, () => item);
  const pod = (containers: object[]) => ({ metadata: { name: 'p' }, spec: { containers } });
  const few = await ask('POST /api/v1/namespaces/default/pods', { body: pod(many({}, 20)) });
  t.equal(few.status, 422);
  t.match(few.json.message, /spec\.containers\[19\]\.name: Required value/, 'twenty errors are listed');
  const all = await ask('POST /api/v1/namespaces/default/pods', { body: pod(many({}, 5000)) });
  t.equal(all.status, 422);
  t.match(
    all.json.message,
    /^Pod "p" is invalid: \[spec\.containers\[0\]\.name: Required value, .* and at least \d+ more\]$/,
  );
  t.ok(all.text.length < mebibyte / 4, `${all.text.length} bytes`);
  const keys = Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`/${i}`, '']));
  const bad = await ask(`POST ${maps}`, { body: { metadata: { name: 'm' }, data: keys } });
  t.equal(bad.status, 422);
  t.match(
    bad.json.message,
    /^ConfigMap "m" is invalid: \[data\[\/0\]: Invalid value: "\/0": a valid config key must consist of /,
  );
  t.ok(bad.text.length < mebibyte / 4, `${bad.text.length} bytes`);
});
