/** Bootstrap tokens of a running server: they sign cluster-info, authenticate, and are deleted when they have ended. */
import { compactVerify } from 'jose';
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { configMaps, secrets } from '../../../api/kubernetes/resources.js';
import { remote } from '../../../aggregation/remote/client.js';
import { kubernetesControllers } from '../../../cli/parts/kubernetes-controllers.js';
import { find } from '../../../client/find.js';
import {
  bootstrapTokenName,
  bootstrapTokenSecret,
  type BootstrapToken,
} from '../../../kinds/kubernetes/bootstrap/bootstrap-token.js';
import { clusterInfoKey, isSignedWith } from '../../../kinds/kubernetes/bootstrap/cluster-info.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

const token = (id: string, more: Partial<BootstrapToken> = {}): BootstrapToken => ({
  ...{ id, secret: `0123456789${id}`, description: '', expiration: '', usages: ['authentication', 'signing'] },
  groups: ['system:bootstrappers:karmada:default-cluster-token'],
  ...more,
});

t.test('tokens sign cluster-info, authenticate, and end', async t => {
  const server = await runningServer(t, { parts: [kubernetesControllers(() => true)] });
  const { client, pki, url } = server;
  const dataOf = async (): Promise<Record<string, string>> => {
    const map: KubeObject = await client.get(configMaps, clusterInfoKey);
    return map['data'] as Record<string, string>;
  };
  const good = token('abcdef');
  const create = (made: BootstrapToken): Promise<KubeObject> => client.create(secrets, bootstrapTokenSecret(made));
  await create(good);
  await create(token('nosign', { usages: ['authentication'] }));
  await create(token('gone00', { expiration: '2020-01-01T00:00:00Z' }));
  await create(token('later0', { expiration: '2120-01-01T00:00:00Z' }));
  const signers = async (): Promise<string[]> => Object.keys(await dataOf()).sort();
  await until('the signatures', async () => (await signers()).includes('jws-kubeconfig-later0'));
  t.same(await signers(), ['jws-kubeconfig-abcdef', 'jws-kubeconfig-later0', 'kubeconfig']);
  const { 'jws-kubeconfig-abcdef': signature = '', kubeconfig = '' } = await dataOf();
  t.match(kubeconfig, `server: ${url}`);
  const [header = '', , mac = ''] = signature.split('.');
  const whole = [header, Buffer.from(kubeconfig).toString('base64url'), mac].join('.');
  const verified = await compactVerify(whole, Buffer.from(good.secret));
  t.same(verified.protectedHeader, { alg: 'HS256', kid: 'abcdef' }, 'a JWS of the kubeconfig');
  t.ok(isSignedWith(signature, kubeconfig, good));
  t.notOk(isSignedWith(signature, `${kubeconfig}#`, good));
  t.notOk(isSignedWith(signature, kubeconfig, { id: 'abcdef', secret: 'another' }));
  await until('the token that has ended is deleted', async () => {
    const key = { namespace: 'kube-system', name: bootstrapTokenName('gone00') };
    return !(await find(client, secrets, key));
  });

  const user = remote(
    { server: url, ca: pki.authority.certificate, token: `${good.id}.${good.secret}` },
    { userAgent: 'test' },
  );
  t.teardown(() => user.close());
  await t.rejects(user.list(secrets), {
    code: 403,
    message: /User "system:bootstrap:abcdef" cannot list/,
  });
  const anonymous = remote({ server: url, ca: pki.authority.certificate }, { userAgent: 'test' });
  t.teardown(() => anonymous.close());
  t.match(await anonymous.get(configMaps, clusterInfoKey), { data: { kubeconfig } }, 'everyone may read it');

  await client.delete(secrets, { namespace: 'kube-system', name: bootstrapTokenName('abcdef') });
  await until('its signature is removed', async () => !(await signers()).includes('jws-kubeconfig-abcdef'));
});
