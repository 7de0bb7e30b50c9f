/** A cluster in pull mode is registered, again, and with other settings. */
import t from 'tap';
import { registerCluster, type ReportedSecret } from '../../../aggregation/members/register.js';
import type { Cluster } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import type { Client } from '../../../client/interface.js';
import { toBase64 } from '../../../apimachinery/codec/base64.js';
import { forbidden } from '../../../apimachinery/errors/status.js';
import { controlPlane, core, memberServer } from '../fleet.js';

t.test('registrations', async t => {
  const { client: control } = await controlPlane(t);
  const { client: member } = await memberServer(t);
  let token = 'first';
  const register = (
    name: string,
    reported: readonly ReportedSecret[],
    more: Partial<Parameters<typeof registerCluster>[0]> = {},
  ) =>
    registerCluster({
      ...{ name, control, member, namespace: 'karmada-cluster', reported: new Set(reported), authority: 'ca' },
      ...{ tokens: () => Promise.resolve(token), facts: {}, reach: {}, signal: new AbortController().signal },
      ...more,
    });
  const secret = async (name: string): Promise<unknown> =>
    (await control.get(core('secrets'), { namespace: 'karmada-cluster', name }))['data'];
  const read = async (): Promise<Cluster> => (await control.get(resources.clusters, { name: 'edge' })) as Cluster;

  t.equal(await register('edge', ['KubeCredentials', 'KubeImpersonator']), 'registered');
  t.match((await read()).spec, {
    syncMode: 'Pull',
    secretRef: { name: 'edge' },
    impersonatorSecretRef: { name: 'edge-impersonator' },
  });
  t.strictSame(await secret('edge'), { caBundle: toBase64('ca'), token: toBase64('first') });

  t.equal(await register('edge', ['KubeCredentials', 'KubeImpersonator']), 'registered', 'again');
  token = 'second';
  const reach = { apiEndpoint: 'https://edge.example.com', insecureSkipTLSVerification: true };
  const facts = { region: 'eu' };
  t.equal(await register('edge', ['KubeCredentials', 'KubeImpersonator'], { reach, facts }), 'registered');
  t.strictSame(await secret('edge'), { caBundle: toBase64('ca'), token: toBase64('second') });
  t.match((await read()).spec, { ...reach, ...facts });
  t.equal(await register('edge', []), 'registered', 'without tokens');
  t.notHas((await read()).spec, { apiEndpoint: 'https://edge.example.com' });
  t.equal((await read()).spec.region, 'eu', 'what is not named stays');

  await t.rejects(register('other', []), { message: /has been registered, by the Cluster edge/ });

  const refusing = (error: Error): Client =>
    new Proxy(control, {
      get(target, name): unknown {
        if (name === 'update') return () => Promise.reject(error);
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
  const moved = { facts: { region: 'us' } };
  const denied = forbidden(resources.clusters, 'edge', 'no rights');
  t.equal(await register('edge', [], { ...moved, control: refusing(denied) }), 'kept');
  await t.rejects(register('edge', [], { ...moved, control: refusing(new Error('no answer')) }), {
    message: 'no answer',
  });
});
