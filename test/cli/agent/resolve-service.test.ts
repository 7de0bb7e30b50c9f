/** Services of the control plane, as an agent finds them by listing. */
import t from 'tap';
import { services } from '../../../api/kubernetes/resources.js';
import { listingResolver } from '../../../cli/agent/resolve-service.js';
import { serve } from '../../registry/serve.js';

t.test('an agent resolves Services without reading their endpoints', async t => {
  const { client } = await serve(t);
  const create = async (name: string, spec: object): Promise<unknown> =>
    client.create(services, {
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'default' } },
      spec: { ports: [{ port: 443 }], ...spec },
    });
  await create('plain', { clusterIP: '10.0.0.7', clusterIPs: ['10.0.0.7'] });
  await create('headless', { clusterIP: 'None', clusterIPs: ['None'] });
  await create('elsewhere', { type: 'ExternalName', externalName: 'hooks.example.com' });
  const resolve = listingResolver(client);
  t.strictSame(await resolve('default', 'plain', 443), { host: '10.0.0.7', port: 443 });
  t.strictSame(await resolve('default', 'elsewhere', 8443), { host: 'hooks.example.com', port: 8443 });
  await t.rejects(resolve('default', 'plain', 80), { message: 'no service port 80 found for service "plain"' });
  await t.rejects(resolve('default', 'headless', 443), {
    message: 'service "headless" has no address that an agent can find',
  });
  await t.rejects(resolve('default', 'none', 443), { message: 'services "none" not found' });
  await t.rejects(resolve('other', 'plain', 443), { message: 'services "plain" not found' }, 'of its namespace only');
});
