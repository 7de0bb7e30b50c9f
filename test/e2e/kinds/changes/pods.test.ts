/** Bindings and evictions of Pods. */
import t from 'tap';
import { refusal } from '../../wire.js';
import { containers } from '../manifests.js';
import { sharedFixture } from '../fixture.js';

const core = '/api/v1/namespaces/default';

t.test('Pods are bound and evicted', async t => {
  const { ask } = await sharedFixture();
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers } };
  t.equal((await ask(`POST ${core}/pods`, pod)).status, 201);
  const bound = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { kind: 'Node', name: 'n1' } };
  t.match(await ask(`POST ${core}/pods/p/binding`, bound), {
    status: 201,
    object: { kind: 'Status', status: 'Success' },
  });
  t.equal(
    refusal(await ask(`POST ${core}/pods/p/binding`, bound)),
    '409: Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
    'a second binding is refused',
  );
  const evict = (apiVersion: string, query = '') =>
    ask(`POST ${core}/pods/p/eviction${query}`, { apiVersion, kind: 'Eviction', metadata: { name: 'p' } });
  t.match(await evict('policy/v1beta2'), { status: 400 }, 'an unknown version');
  const evicted = { status: 201, object: { kind: 'Status', status: 'Success' } };
  t.match(await evict('policy/v1beta1', '?dryRun=All'), evicted, 'both versions are accepted');
  t.match(await evict('policy/v1'), evicted, 'it is evicted');
});
