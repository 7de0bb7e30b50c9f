/** Lists and watches over all clusters refuse invalid parameters with the Status of the control plane's own lists and watches. */
import t from 'tap';
import { resources } from '../../../api/karmada/well-known.js';
import { httpClient } from '../../apiserver/http-client.js';
import { until } from '../../storage/until.js';
import { object, startFleet } from '../fleet.js';

const path = '/api/v1/namespaces/default/configmaps';
const overAll = `/apis/search.karmada.io/v1alpha1/proxying/karmada/proxy${path}`;

const { control } = await startFleet(t, 1, { ready: true });
const ask = httpClient(t, control);

t.before(async () => {
  const spec = { targetCluster: {}, resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }] };
  const registry = object('search.karmada.io/v1alpha1', 'ResourceRegistry', 'all', { spec });
  await control.client.create(resources.resourceRegistries, registry);
  await until('the member is mirrored', async () => (await ask(`GET ${overAll}?resourceVersion=0`)).status === 200);
});

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Parameters of lists and watches that kube-apiserver refuses, with the code of its answer. */
const both = [
  ['limit=x', 400],
  ['limit=1.5', 400],
  ['limit=', 400],
  ['limit=9223372036854775808', 400],
  ['timeoutSeconds=x', 400],
  ['timeoutSeconds=1s', 400],
  ['labelSelector=a%3D%3D%3Db', 400],
  ['labelSelector=a%20in%20(', 400],
  ['fieldSelector=x', 400],
  ['fieldSelector=spec.x%3D1', 400],
  ['resourceVersionMatch=Other&resourceVersion=1', 422],
  ['resourceVersionMatch=Exact', 422],
  ['resourceVersion=1&resourceVersionMatch=Exact&continue=x', 422],
  ['limit=x&resourceVersionMatch=Exact', 400],
  ['resourceVersionMatch=Exact&fieldSelector=spec.x%3D1', 422],
] as const;

const ofLists = [
  ...both,
  ['resourceVersion=x', 400],
  ['resourceVersion=-1', 400],
  ['resourceVersion=1&resourceVersionMatch=x', 422],
  ['resourceVersion=0&resourceVersionMatch=Exact', 422],
  ['sendInitialEvents=true', 422],
] as const;

const ofWatches = [
  ...both,
  ['resourceVersion=x', 500],
  ['resourceVersion=-1', 500],
  ['resourceVersion=1&resourceVersionMatch=NotOlderThan', 422],
  ['sendInitialEvents=true', 422],
  ['sendInitialEvents=true&resourceVersionMatch=Exact', 422],
].map(([query, code]) => [`watch=true&${query}`, code] as const);

t.test('invalid parameters are refused as by the API itself', async t => {
  for (const [query, code] of [...ofLists, ...ofWatches]) {
    const [own, all] = [await ask(`GET ${path}?${query}`), await ask(`GET ${overAll}?${query}`)];
    t.equal(own.status, code, query);
    t.equal(all.status, code, query);
    t.strictSame(all.json, own.json, query);
  }
});

t.test('a continue token must be one of a list over all clusters', async t => {
  for (const token of ['x', '*', encoded(7), encoded([]), encoded(null)])
    t.match((await ask(`GET ${overAll}?limit=1&continue=${token}`)).json, {
      ...{ kind: 'Status', code: 400, reason: 'BadRequest' },
      message: /^invalid continue token: continue key is not valid: /,
    });
  const token = encoded({ cluster: 'member1', rv: '' });
  t.match((await ask(`GET ${overAll}?limit=1&continue=${token}&resourceVersion=1`)).json, {
    ...{ code: 400, message: 'specifying resource version is not allowed when using continue' },
  });
  t.equal((await ask(`GET ${overAll}?limit=1&continue=${token}&resourceVersion=0`)).status, 200);
  t.equal((await ask(`GET ${overAll}?limit=1&continue=${encoded({ cluster: 'gone' })}`)).status, 410);
});

t.test('versions of this server, and numbers, which other servers may have given, are accepted', async t => {
  const { resourceVersion = '' } = (await ask(`GET ${overAll}`)).json.metadata;
  for (const version of ['', '0', '7', resourceVersion])
    t.equal((await ask(`GET ${overAll}?resourceVersion=${version}`)).status, 200, version);
  t.equal((await ask(`GET ${overAll}?limit=-1`)).status, 200, 'as without a limit');
});
