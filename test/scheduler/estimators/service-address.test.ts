/** Where the estimator of a cluster is. */
import t from 'tap';
import { notFound } from '../../../apimachinery/errors/status.js';
import { services } from '../../../api/kubernetes/resources.js';
import { estimatorAddresses } from '../../../scheduler/estimators/service-address.js';

const settings = { serviceNamespace: 'karmada-system', servicePrefix: 'estimator', port: 10352 };
const addresses = (spec: object | undefined) => {
  const get = () =>
    spec
      ? Promise.resolve({ apiVersion: 'v1', kind: 'Service', metadata: {}, spec })
      : Promise.reject(notFound(services, 'x'));
  return estimatorAddresses({ get }, 'm1', settings);
};

t.test('the address of an estimator', async t => {
  t.strictSame(await addresses(undefined), [
    'estimator-m1.karmada-system.svc.cluster.local:10352',
    'estimator-m1.karmada-system.svc:10352',
  ]);
  const external = { type: 'ExternalName', externalName: 'example.com' };
  t.strictSame(await addresses({ ...external, ports: [{ port: 1 }, { port: 10352, targetPort: 443 }] }), [
    'example.com:443',
  ]);
  t.strictSame(await addresses({ ...external, ports: [{ port: 10352 }] }), ['example.com:10352']);
  await t.rejects(addresses({ type: 'ClusterIP' }), { message: 'unsupported service type "ClusterIP"' });
  await t.rejects(addresses({}), { message: 'unsupported service type "ClusterIP"' });
  await t.rejects(addresses(external), { message: 'no service port 10352 found for service "estimator-m1"' });
  await t.rejects(addresses({ ...external, ports: [{ port: 10352, targetPort: 'grpc' }] }), {
    message: 'ExternalName service type should have int target port, current target port: grpc',
  });
  const get = () => Promise.reject(new Error('the store is gone'));
  await t.rejects(estimatorAddresses({ get }, 'm1', settings), { message: 'the store is gone' });
});
