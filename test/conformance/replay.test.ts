/** Replays the areas that agree with kube-apiserver. docs/conformance.md lists the others. */
import t, { type Test } from 'tap';
import { kubeconfigEndpoint } from '../../aggregation/remote/kubeconfig.js';
import type { ServerConfig } from '../../server/config.js';
import { runningServer } from '../apiserver/running.js';
import { startEtcd, withoutEtcd } from '../storage/etcd-server.js';
import { apiClient } from './call.js';
import { known } from './known.js';
import { mask, withoutAges } from './mask.js';
import { area, areas, replayArea } from './replay.js';

/** Number of cases that are replayed in each area, so that none is lost: all but those in known.ts. */
const counts: Readonly<Record<string, number>> = {
  admission: 27,
  apply: 51,
  authz: 51,
  crd: 89,
  defaults: 288,
  discovery: 45,
  fieldvalidation: 51,
  listwatch: 91,
  metadata: 119,
  patch: 65,
  validation: 187,
};

t.jobs = 2; // the cases mostly wait for watches to end

/** Replays all areas on a server without controllers. */
async function replayAll(t: Test, config: Partial<ServerConfig>): Promise<void> {
  const served = await runningServer(t, { tokens: 'RS256', ...config });
  const server = apiClient(kubeconfigEndpoint(served.kubeconfig), 'corpus/1.0');
  t.teardown(() => server.close());
  for (const [name, count] of Object.entries(counts)) {
    const results = await replayArea(server, area(name), each => known[`${name}/${each}`] === undefined);
    t.equal(results.length, count, `${name}: cases`);
    t.same(
      results.filter(({ problems }) => problems.length > 0),
      [],
      name,
    );
  }
}

t.test('recorded cases agree with the embedded store', { timeout: 300_000, buffered: true }, t => replayAll(t, {}));

t.test('recorded cases agree with etcd', { timeout: 300_000, buffered: true, skip: withoutEtcd }, async t => {
  const { endpoint } = await startEtcd(t);
  await replayAll(t, { storage: { type: 'etcd', etcd: { endpoints: [endpoint] } } });
});

t.test('every recorded case is replayed, or has a known difference', async t => {
  t.strictSame(Object.keys(counts), areas);
  const all = areas.flatMap(name => area(name).cases.map(each => `${name}/${each.name}`));
  t.equal(new Set(all).size, all.length, 'their names are unique');
  const corpus = Object.keys(known).filter(name => (areas as readonly string[]).includes(name.split('/')[0] ?? ''));
  t.strictSame(
    corpus.filter(name => !all.includes(name)),
    [],
    'a known difference is that of a recorded case',
  );
});

t.test('varying values are masked', async t => {
  const table = [
    { name: 'a uid', given: { uid: '0e4d2f52-0d13-4c39-9ef9-0f6d4c1e1d54' }, expect: { uid: '{uid}' } },
    { name: 'a resource version', given: { resourceVersion: '17' }, expect: { resourceVersion: '{rv}' } },
    { name: 'not the resource version 0', given: { resourceVersion: '0' }, expect: { resourceVersion: '0' } },
    { name: 'a time in a text', given: ['at 2026-01-02T03:04:05Z'], expect: ['at {time}'] },
    {
      name: 'a generated name',
      given: { generateName: 'a-', name: 'a-x' },
      expect: { generateName: 'a-', name: '{generated}' },
    },
    { name: 'a variable in a key', given: { 'c-1/x': 1 }, expect: { '{ns}/x': 1 } },
    { name: 'a port', given: { nodePort: 30001 }, expect: { nodePort: '{port}' } },
  ];
  for (const { name, given, expect } of table) t.strictSame(mask(given, { ns: 'c-1' }), expect, name);
  const aged = {
    kind: 'Table',
    columnDefinitions: [{ name: 'Name' }, { name: 'Age' }],
    rows: [{ cells: ['1s', '2s'] }],
  };
  t.match(withoutAges(aged), { rows: [{ cells: ['1s', '{age}'] }] });
});
