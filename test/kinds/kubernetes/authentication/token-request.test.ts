import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { StatusError } from '../../../../apimachinery/errors/status.js';
import type { TokenRequest } from '../../../../api/kubernetes/authentication.js';
import { serve } from '../../../authn/serve.js';

const core = (resource: string) => ({ group: '', version: 'v1', resource });
const object = (kind: string, name: string, body: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'default' },
  ...body,
});

t.test('tokens are issued for accounts, and are valid as long as the bound object exists', async t => {
  const { client, authn } = await serve(t);
  const account = await client.create(core('serviceaccounts'), object('ServiceAccount', 'sa'));
  const secret = await client.create(core('secrets'), object('Secret', 's'));
  const ask = async (spec: object, metadata: object = {}): Promise<TokenRequest> => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
    const request = { ...body, metadata: { namespace: 'default', ...metadata } };
    return await client.create(core('serviceaccounts'), request, {
      name: 'sa',
      subresource: 'token',
    });
  };
  const refused = async (spec: object, metadata: object = {}): Promise<string> => {
    try {
      await ask(spec, metadata);
      return 'allowed';
    } catch (error) {
      if (error instanceof StatusError) return `${error.code} ${error.message}`;
      throw error;
    }
  };

  const { uid = '' } = account.metadata;
  const plain = await ask({});
  t.match(plain.metadata, { name: 'sa', namespace: 'default', uid, creationTimestamp: /Z$/ });
  t.same(plain.spec, { audiences: [...authn.ports.audiences], expirationSeconds: 3600, boundObjectRef: null });
  const review = await authn.ports.reviewToken(plain.status?.token ?? '', [], 'bob');
  t.match(review, { identity: { name: 'system:serviceaccount:default:sa', uid } });

  const reference = { apiVersion: 'v1', kind: 'Secret', name: 's' };
  const bound = (await ask({ boundObjectRef: reference })).status?.token ?? '';
  t.match(await authn.ports.reviewToken(bound, [], 'bob'), { identity: { uid } });
  await client.delete(core('secrets'), { namespace: 'default', name: 's' });
  t.same(await authn.ports.reviewToken(bound, [], 'bob'), {
    error: '[invalid bearer token, service account token has been invalidated]',
  });

  const invalid = 'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value:';
  t.equal(
    await refused({ expirationSeconds: 599 }),
    `422 ${invalid} 599: may not specify a duration less than 10 minutes`,
  );
  t.equal(
    await refused({ expirationSeconds: 2 ** 32 + 1 }),
    `422 ${invalid} 4294967297: may not specify a duration larger than 2^32 seconds`,
  );
  t.equal(
    await refused({ boundObjectRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } }),
    '400 cannot bind token to object of type apps/v1, Kind=Deployment',
  );
  t.equal(await refused({ boundObjectRef: reference }), '404 secrets "s" not found');
  t.equal(
    await refused({}, { name: 'other' }),
    '422 TokenRequest.authentication.k8s.io "sa" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
  );
  t.equal(
    await refused({}, { uid: 'other' }),
    `409 Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "sa": the UID in the token request (other) does not match the UID of the service account (${uid})`,
  );
  await client.create(core('secrets'), object('Secret', 's'));
  t.equal(
    await refused({ boundObjectRef: { ...reference, uid: secret.metadata.uid } }),
    `409 Operation cannot be fulfilled on Secret "s": the UID in the bound object reference (${secret.metadata.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
  );
});
