import t from 'tap';
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
} from '../../../authn/access/signers.js';
import type { Authorizer } from '../../../authn/interface.js';
import { createKey } from '../../../apimachinery/x509/keys.js';
import { createRequest } from '../../../apimachinery/x509/create-request.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { StatusError } from '../../../apimachinery/errors/status.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../../registry/admission-plugin.js';
import { nativeDefinitions } from '../../../kinds/kubernetes/native.js';

const definition = nativeDefinitions().find(({ kind }) => kind === 'CertificateSigningRequest');
if (definition === undefined) throw new Error('no definition');

const csr = (spec: object, status?: object): KubeObject => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: 'a' },
  spec,
  ...(status && { status }),
});

async function said(plugin: AdmissionPlugin, change: Partial<AdmissionRequest>): Promise<string> {
  const request = {
    ...{ operation: 'UPDATE', definition, version: 'v1', subresource: '', namespace: '', name: 'a', dryRun: false },
    ...{ user: { name: 'jane', groups: [] }, options: {}, object: undefined, old: undefined, warn: () => undefined },
    ...change,
  } as AdmissionRequest;
  try {
    await plugin.validate?.(request);
    return '';
  } catch (error) {
    if (error instanceof StatusError) return error.message;
    throw error;
  }
}

const may =
  (right: string): Authorizer =>
  (_user, a) => ({ allowed: a.type === 'resource' && `${a.verb} ${a.resource}/${a.name}` === right, reason: '' });

const head = 'certificatesigningrequests.certificates.k8s.io "a" is forbidden:';

t.test('approving and signing need rights on the signer', async t => {
  const old = csr({ signerName: 'x.io/s' });
  const approve = { old, object: old, subresource: 'approval' };
  t.equal(await said(certificateApproval(may('approve signers/x.io/s')), approve), '');
  t.equal(await said(certificateApproval(may('approve signers/x.io/*')), approve), '');
  const none = may('nothing');
  t.equal(
    await said(certificateApproval(none), approve),
    `${head} user not permitted to approve requests with signerName "x.io/s"`,
  );
  t.equal(await said(certificateApproval(none), { ...approve, subresource: 'status' }), '');
  const sign = { old, object: csr({ signerName: 'x.io/s' }, { certificate: 'eA==' }), subresource: 'status' };
  t.equal(await said(certificateSigning(may('sign signers/x.io/s')), sign), '');
  t.equal(
    await said(certificateSigning(none), sign),
    `${head} user not permitted to sign requests with signerName "x.io/s"`,
  );
  t.equal(await said(certificateSigning(none), { ...sign, object: old }), '', 'no relevant change');
});

t.test('a request for system:masters is refused', async t => {
  const request = async (...groups: string[]): Promise<string> =>
    Buffer.from(createRequest({ name: 'x', groups }, await createKey())).toString('base64');
  const create = async (signerName: string, ...groups: string[]): Promise<string> =>
    said(certificateSubjectRestriction, {
      operation: 'CREATE',
      object: csr({ signerName, request: await request(...groups) }),
    });
  const signer = 'kubernetes.io/kube-apiserver-client';
  t.equal(await create(signer, 'devs'), '');
  t.equal(await create('x.io/s', 'system:masters'), '');
  t.equal(
    await create(signer, 'devs', 'system:masters'),
    `${head} use of ${signer} signer with system:masters group is not allowed`,
  );
});
