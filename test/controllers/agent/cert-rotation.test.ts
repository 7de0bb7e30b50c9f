/** The rotation of an agent's certificate when the member refuses or returns what it must not. */
import type { Test } from 'tap';
import t from 'tap';
import { parseKubeconfig } from '../../../aggregation/remote/kubeconfig.js';
import { toBase64 } from '../../../apimachinery/codec/base64.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { secrets } from '../../../api/kubernetes/resources.js';
import { kubeconfig } from '../../../authn/pki/kubeconfig.js';
import { rotateCertificate } from '../../../controllers/agent/cert-rotation.js';
import { grant, object, rbac } from '../../aggregation/fleet.js';
import { until } from '../../storage/until.js';
import { certificateOf, clientOf, CountingClock, endpointOf, startAgent } from './agent-fixture.js';

const name = 'karmada-kubeconfig';
const namespace = 'karmada-system';
const dayMs = 24 * 3600_000;

const textOf = ({ data }: KubeObject & { readonly data?: Readonly<Record<string, string>> }): string =>
  Buffer.from(data?.[name] ?? '', 'base64').toString();

interface Options {
  /** What follows the kubeconfig in the Secret. */
  readonly padding?: string;
  /** How long the new certificates are valid. */
  readonly days?: number;
}

/** Rotates a certificate that is due. The agent may read the Secret, and may not write it. The server is that of the control plane and of the member. */
async function rotating(t: Test, { padding = '', days = 300 }: Options = {}) {
  const clock = new CountingClock(0.99 * dayMs);
  const { server, context, end } = await startAgent(t, clock);
  const { client, pki, url } = server;
  const credential = await certificateOf(server, 'agent', 1);
  const user = { credential };
  const text = kubeconfig([{ name: 'c', server: url, authority: pki.authority.certificate, user }]) + padding;
  const data = { [name]: toBase64(text) };
  await client.create(secrets, object('v1', 'Secret', name, { metadata: { namespace }, data }));
  const allow = async (verb: string): Promise<void> => {
    const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: [verb] }];
    await client.create(rbac('clusterroles'), object('rbac.authorization.k8s.io/v1', 'ClusterRole', verb, { rules }));
    await grant(client, verb, { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'agent' }, verb);
  };
  await allow('get');
  const counts = { requests: 0, uses: 0 };
  const done = rotateCertificate(context, {
    ...{ namespace, intervalMs: 5, remainingShare: 0.2, cluster: 'edge' },
    member: clientOf(t, endpointOf(server, await certificateOf(server, 'agent'))),
    request: async ({ commonName }) => {
      counts.requests++;
      const { certificate, key } = await certificateOf(server, commonName, days);
      return { certificatePem: certificate, keyPem: key };
    },
    use: () => void counts.uses++,
  });
  return {
    ...{ text, counts, allow },
    written: async () => textOf(await client.get(secrets, { namespace, name })),
    /** Resolves when the certificate was looked at so many more times. */
    looks: async (count: number): Promise<void> => {
      const before = clock.sleeps;
      await until('further looks', () => clock.sleeps >= before + count);
    },
    end: async (): Promise<void> => {
      end();
      await done;
    },
  };
}

t.test('a certificate that cannot be written is kept for the next attempts', async t => {
  const { counts, text, allow, written, looks, end } = await rotating(t);
  await until('a request', () => counts.uses > 0);
  await looks(4);
  t.equal(await written(), text, 'the member refuses it');
  await allow('update');
  await until('it is written', async () => (await written()) !== text);
  await looks(2);
  t.same(counts, { requests: 1, uses: 1 });
  const [before, after] = [parseKubeconfig(text, 'it'), parseKubeconfig(await written(), 'the new one')];
  t.not(after.clientCertificate, before.clientCertificate);
  t.equal(after.server, before.server);
  await end();
});

t.test('one that has too little of its life left is not kept', async t => {
  const { counts, text, written, end } = await rotating(t, { days: 1 });
  await until('further requests', () => counts.requests >= 3);
  await end();
  t.equal(counts.uses, counts.requests);
  t.equal(await written(), text);
});

t.test('a kubeconfig of any length is not read', async t => {
  const short = await rotating(t, { padding: '#'.repeat(20_000) });
  await until('a request', () => short.counts.requests > 0);
  await short.end();
  const long = await rotating(t, { padding: '#'.repeat(40_000) });
  await long.looks(3);
  t.same(long.counts, { requests: 0, uses: 0 });
  await long.end();
});
