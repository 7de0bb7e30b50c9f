import t from 'tap';
import { find, ignoreNotFound } from '../../client/find.js';
import { lightCluster } from '../../simulator/controllers.js';
import { core, object } from '../aggregation/fleet.js';
import { runningServer } from '../apiserver/running.js';
import { until } from '../storage/until.js';

t.test('a light member gives namespaces their defaults, and removes them with what is in them', async t => {
  const { client } = await runningServer(t, { parts: [lightCluster('member1')] });
  const accounts = core('serviceaccounts');
  for (const namespace of ['first', 'second']) {
    await client.create(core('namespaces'), object('v1', 'Namespace', namespace));
    await client.create(core('configmaps'), object('v1', 'ConfigMap', 'settings', { metadata: { namespace } }));
    await until('the namespace has its account', async () => {
      return (await find(client, accounts, { namespace, name: 'default' })) !== undefined;
    });
  }
  for (const name of ['first', 'second']) {
    await client.delete(core('namespaces'), { name }).catch(ignoreNotFound);
    await until(
      'the namespace is removed',
      async () => (await find(client, core('namespaces'), { name })) === undefined,
    );
    t.equal(await find(client, core('configmaps'), { namespace: name, name: 'settings' }), undefined);
  }
});
