/** Lists of tens of thousands of items: comparing each pair of items would take minutes and block other requests. */
import t from 'tap';
import { httpClient } from '../http-client.js';
import { runningServer } from '../running.js';

const many = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));
const templates = '/api/v1/namespaces/default/podtemplates';
const containers = [{ name: 'c', image: 'i' }];
const template = (spec: object): object => ({
  apiVersion: 'v1',
  kind: 'PodTemplate',
  metadata: { name: 'a' },
  template: { metadata: { labels: { a: 'b' } }, spec: { containers, ...spec } },
});
const files = (path: (i: number) => string): object =>
  template({
    volumes: [{ name: 'v', configMap: { name: 'a', items: many(15_000, i => ({ key: `k${i}`, path: path(i) })) } }],
  });

t.test('large lists are validated in bounded time', async t => {
  const ask = httpClient(t, await runningServer(t));
  const rows: readonly { readonly name: string; readonly path?: string; readonly given: object }[] = [
    { name: 'files of a volume', given: files(i => `d/${i}`) },
    { name: 'files of a volume, all equal', given: files(() => 'd') },
    {
      name: 'spread constraints',
      given: template({
        topologySpreadConstraints: many(11_000, i => ({
          ...{ maxSkew: 1, topologyKey: `k${i}`, whenUnsatisfiable: 'DoNotSchedule' },
        })),
      }),
    },
    {
      name: 'owners',
      path: '/api/v1/namespaces/default/configmaps',
      given: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: 'a',
          ownerReferences: many(9000, i => ({ apiVersion: 'v1', kind: 'A', name: `n${i}`, uid: 'u' })),
        },
      },
    },
  ];
  for (const { name, path = templates, given } of rows) {
    const { status, json } = await ask(`POST ${path}?dryRun=All`, { body: given });
    t.equal(status, 201, `${name}: ${json.message ?? ''}`);
  }
});

t.test('tolerations of an updated pod', async t => {
  const ask = httpClient(t, await runningServer(t));
  const pods = '/api/v1/namespaces/default/pods';
  const tolerations = many(15_000, i => ({ key: `k${i}`, operator: 'Exists' }));
  const spec = { containers, tolerations, serviceAccountName: 'none', automountServiceAccountToken: false };
  await ask('POST /api/v1/namespaces/default/serviceaccounts', { body: { metadata: { name: 'none' } } });
  const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec };
  const made = await ask(`POST ${pods}`, { body });
  t.equal(made.status, 201, made.json.message ?? '');
  const patch = (what: object) =>
    ask(`PATCH ${pods}/a`, { body: JSON.stringify(what), type: 'application/merge-patch+json' });
  t.equal((await patch({ metadata: { labels: { a: 'b' } } })).status, 200);
  const fewer = await patch({ spec: { tolerations: tolerations.slice(1) } });
  t.match(fewer.json.message, /existing toleration can not be modified except its tolerationSeconds/);
});
