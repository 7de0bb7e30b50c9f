/** An agent gets a new certificate and goes on with it. The test signs instead of the control plane, to give it another group. */
import fs from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import type { CertificateSigningRequest } from '../../../api/kubernetes/certificates.js';
import { certificateSigningRequests, namespaces, secrets } from '../../../api/kubernetes/resources.js';
import { buildCertificate } from '../../../apimachinery/x509/certificate.js';
import { encodeSubject } from '../../../apimachinery/x509/name.js';
import { parseRequest } from '../../../apimachinery/x509/request.js';
import { loadAuthority } from '../../../authn/pki/authority.js';
import { parseKubeconfig } from '../../../aggregation/remote/kubeconfig.js';
import { updateObject } from '../../../client/runtime/update.js';
import { grant, rbac } from '../../aggregation/fleet.js';
import { until } from '../../storage/until.js';
import { AgentProcess, ControlPlane, quick, startPulledMember } from './pull-mode.js';

/** Signs the only request, with one more group than was asked for. */
async function sign(plane: ControlPlane, group: string): Promise<CertificateSigningRequest> {
  let found: CertificateSigningRequest | undefined;
  await until('a request', async () => {
    found = (await plane.client.list(certificateSigningRequests)).items[0];
    return found !== undefined;
  });
  if (!found) throw new Error('not reached');
  const read = (name: string): Promise<string> => fs.readFile(path.join(plane.directory, 'pki', name), 'utf8');
  const authority = loadAuthority({ certificate: await read('ca.crt'), key: await read('ca.key') });
  const text = Buffer.from(found.spec?.request ?? '', 'base64').toString();
  const { subject, publicKey } = parseRequest(text);
  const certificate = buildCertificate(
    {
      ...{ publicKey, authority: false, usages: found.spec?.usages ?? [], alternativeNames: undefined },
      subject: encodeSubject({ name: subject.name, groups: [...subject.groups, group] }),
      notBefore: new Date(Date.now() - 1000),
      notAfter: new Date(Date.now() + 3600_000),
    },
    authority.issuer,
  );
  const status = { certificate: Buffer.from(certificate).toString('base64') };
  await updateObject(plane.client, certificateSigningRequests, found, draft => void (draft.status = status), {
    subresource: 'status',
  });
  return found;
}

t.test('a certificate that ends soon is replaced, in the Secret and in the running agent', async t => {
  const plane = await ControlPlane.start(t, ['--controllers=*,-agentcsrapproving,-csrsigning']);
  const member = await startPulledMember(t, 'edge');
  await plane.admit('edge');
  const config = await plane.credential('edge', 1);
  const text = await fs.readFile(config, 'utf8');
  const key = { namespace: 'karmada-system', name: 'karmada-kubeconfig' };
  await member.client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: key.namespace } });
  const data = { 'karmada-kubeconfig': Buffer.from(text).toString('base64') };
  await member.client.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: key, data });
  const agent = new AgentProcess(t, [
    ...['--karmada-kubeconfig', config, '--kubeconfig', member.file, '--cluster-name', 'edge', ...quick],
    ...['--controllers', '*,certRotation', '--cert-rotation-remaining-time-threshold', '0.9999'],
  ]);
  await agent.registered();
  const request = await sign(plane, 'rotated');
  t.match(request, {
    metadata: { name: /^edge-/ },
    spec: {
      signerName: 'kubernetes.io/kube-apiserver-client',
      usages: ['digital signature', 'key encipherment', 'client auth'],
      expirationSeconds: 86_700,
    },
  });
  await until('the agent has the certificate', () => agent.log.includes('certificate was replaced'));
  const secret = await member.client.get(secrets, key);
  const { 'karmada-kubeconfig': written = '' } = secret['data'] as Record<string, string>;
  const endpoint = parseKubeconfig(Buffer.from(written, 'base64').toString(), 'the Secret');
  t.equal(endpoint.server, plane.url);
  t.not(endpoint.clientCertificate, parseKubeconfig(text, 'the file').clientCertificate);

  // From now on only the new certificate has rights, by its group.
  await grant(
    plane.client,
    'rotated',
    { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'rotated' },
    'cluster-admin',
  );
  await plane.client.delete(rbac('clusterrolebindings'), { name: 'system:karmada:edge:agent' });
  await plane.client.delete(rbac('rolebindings'), {
    namespace: 'karmada-es-edge',
    name: 'system:karmada:edge:agent-work',
  });
  await plane.propagate('web', 2);
  t.notMatch(agent.log, /forbidden/i);
  t.strictSame(await agent.end('SIGTERM'), [0, null]);
});
