/** The rotation of an agent's certificate when the member refuses or returns what it must not. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { createAuthority, issueClient } from '../../../authn/pki/authority.js';
import { kubeconfig } from '../../../authn/pki/kubeconfig.js';
import { parseKubeconfig } from '../../../aggregation/remote/kubeconfig.js';
import type { ControllerContext } from '../../../client/runtime/interface.js';
import { rotateCertificate } from '../../../controllers/agent/cert-rotation.js';
import { silent } from '../../../server/logger.js';

const name = 'karmada-kubeconfig';
const dayMs = 24 * 3600_000;

/** Runs a number of looks at a Secret whose certificate is due. `days`: how long the new certificates are valid. */
async function rotated(looks: number, { padding = '', days = 300, refusals = 0 } = {}) {
  const authority = await createAuthority();
  const user = { credential: await issueClient(authority, { name: 'agent' }, { days: 1 }) };
  const text = kubeconfig([{ name: 'c', server: 'https://c', authority: authority.certificate, user }]) + padding;
  let secret: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    data: { [name]: Buffer.from(text).toString('base64') },
  };
  const counts = { requests: 0, uses: 0, updates: 0 };
  const ending = new AbortController();
  const clock = {
    now: () => Date.now() + 0.99 * dayMs,
    sleep: async () => {
      if (--looks === 0) ending.abort();
    },
  };
  const context = {
    ...{ log: silent, clock, signal: ending.signal },
    informers: { informer: () => ({ synced: Promise.resolve(), get: () => ({ metadata: { name: 'edge' } }) }) },
  } as unknown as ControllerContext;
  const member = {
    get: async () => secret,
    update: async (_: object, draft: KubeObject) => {
      if (counts.updates++ < refusals) throw new Error('refused');
      return (secret = draft);
    },
  };
  await rotateCertificate(context, {
    ...{ namespace: 'karmada-system', intervalMs: 1000, remainingShare: 0.2, cluster: 'edge' },
    member: member as unknown as ControllerContext['client'],
    request: async ({ commonName }) => {
      counts.requests++;
      const { certificate, key } = await issueClient(authority, { name: commonName }, { days });
      return { certificatePem: certificate, keyPem: key };
    },
    use: () => void counts.uses++,
  });
  const data = secret['data'] as Record<string, string>;
  return { ...counts, text, written: Buffer.from(data[name] ?? '', 'base64').toString() };
}

t.test('a certificate that cannot be written is kept for the next attempts', async t => {
  const { requests, uses, updates, text, written } = await rotated(6, { refusals: 3 });
  t.same({ requests, uses, updates }, { requests: 1, uses: 1, updates: 4 });
  t.not(parseKubeconfig(written, 'the new one').clientCertificate, parseKubeconfig(text, 'it').clientCertificate);
});

t.test('one that has too little of its life left is not kept', async t => {
  t.match(await rotated(3, { refusals: 3, days: 1 }), { requests: 3, uses: 3, updates: 3 });
});

t.test('a kubeconfig of any length is not read', async t => {
  t.match(await rotated(2, { padding: '#'.repeat(20_000) }), { requests: 1 });
  t.match(await rotated(2, { padding: '#'.repeat(40_000) }), { requests: 0 });
});
