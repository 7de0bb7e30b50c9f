/** Flow schemas: the order in Tables. */
import t from 'tap';
import { sharedFixture } from '../fixture.js';

t.test('a Table shows flow schemas by precedence', async t => {
  const { ask, table } = await sharedFixture();
  const schemas = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
  const { rows } = await table(schemas);
  t.strictSame(
    rows.map(({ cells }) => `${String(cells[2])} ${String(cells[0])}`),
    [
      ...['1 exempt', '2 probes', '100 system-leader-election', '400 system-node-high', '500 system-nodes'],
      ...['800 kube-controller-manager', '800 kube-scheduler', '900 kube-system-service-accounts'],
      ...['9000 service-accounts', '9900 global-default', '10000 catch-all'],
    ],
  );
  t.strictSame(
    rows.map(({ object }) => object.metadata.name),
    rows.map(({ cells }) => cells[0]),
    'each row has its object',
  );
  const plain = (await ask(`GET ${schemas}`)).object.items ?? [];
  const names = plain.map(({ metadata }) => metadata.name ?? '');
  t.strictSame(names, names.toSorted(), 'a list that is not a Table has its own order');
});
