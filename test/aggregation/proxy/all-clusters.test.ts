import t from 'tap';
import { httpClient } from '../../apiserver/http-client.js';
import { core, join, object, startFleet } from '../fleet.js';

const root = '/apis/cluster.karmada.io/v1alpha1/clusters/*/proxy';
const configMaps = '/api/v1/namespaces/default/configmaps';

const { control, members } = await startFleet(t, 2);
const ask = httpClient(t, control);

t.before(async () => {
  for (const [i, member] of members.entries()) {
    for (const name of [`only-${i + 1}`, 'both']) {
      const made = object('v1', 'ConfigMap', name, { metadata: { namespace: 'default' }, data: { from: `${i + 1}` } });
      await member.client.create(core('configmaps'), made);
    }
  }
  // A cluster that cannot be reached is ignored.
  await join(control, 'gone', { server: 'https://127.0.0.1:1', token: 'x' });
});

t.test('non-resource paths are answered by the control plane', async t => {
  t.match((await ask(`GET ${root}/apis/cluster.karmada.io/v1alpha1`)).json, { kind: 'APIResourceList' });
  t.match((await ask(`GET ${root}/version`)).json, { major: String, gitVersion: String });
  t.match((await ask(`GET ${root}/`)).json, { paths: Array });
});

t.test('lists of all clusters are merged', async t => {
  const { status, headers, json } = await ask(`GET ${root}${configMaps}`);
  t.equal(status, 200);
  t.equal(headers['content-type'], 'application/json');
  t.match(json, { kind: 'ConfigMapList', apiVersion: 'v1' });
  const names = json.items.map(({ metadata }) => metadata.name).filter(name => /^only|^both/.test(name));
  t.same(names, ['both', 'only-1', 'both', 'only-2']);
});

t.test('an object is looked up by name in all clusters', async t => {
  t.same((await ask(`GET ${root}${configMaps}/only-2`)).json.data, { from: '2' });
  t.equal((await ask(`DELETE ${root}${configMaps}/only-2`)).status, 200);
  const { items = [] } = (await members[1]?.client.list(core('configmaps'), { namespace: 'default' })) ?? {};
  t.notOk(items.some(({ metadata }) => metadata.name === 'only-2'));
  t.ok(items.some(({ metadata }) => metadata.name === 'both'));
  t.equal((await ask(`GET ${root}/api/v1/namespaces/karmada-cluster/serviceaccounts/none`)).status, 404);
});

t.test('refusals', async t => {
  const cases = [
    {
      what: `GET ${root}${configMaps}/missing`,
      code: 404,
      text: "resource not found or don't have permission to get it\n",
    },
    {
      what: `GET ${root}${configMaps}/both`,
      code: 409,
      text: 'conflict resource, exist in more than one cluster: member1,member2\n',
    },
    { what: `POST ${root}${configMaps}`, code: 405, text: 'Request verb create is not support\n' },
    { what: `GET ${root}${configMaps}?watch=1`, code: 405, text: 'Request verb watch is not support\n' },
    { what: `GET ${root}/apis/none/v1/things`, code: 404, text: 'not found\n' },
  ];
  for (const { what, code, text } of cases) {
    const answer = await ask(what, what.startsWith('POST') ? { body: {} } : {});
    t.equal(answer.status, code, what);
    t.equal(answer.text, text, what);
    t.equal(answer.headers['content-type'], 'text/plain; charset=utf-8');
  }
});
