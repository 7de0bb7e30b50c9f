import t from 'tap';
import type { PodSpec } from '../../../api/kubernetes/core.js';
import { pod, pods, refusal } from '../../registry/serve.js';
import { guarded, object, resource } from './guarded.js';

const accounts = resource('serviceaccounts');
const nodes = resource('nodes');

const forbidden = (text: string): string => `403 Forbidden: pods "p" is forbidden: ${text}`;
const image = 'nginx';
const mirror = { annotations: { 'kubernetes.io/config.mirror': 'x' } };

t.test('Pods get the token and the image pull secrets of their ServiceAccount', async t => {
  const { client } = await guarded(t, {}, 'kubernetes');
  const account = (name: string, more: object = {}, annotations: Record<string, string> = {}) =>
    client.create(accounts, object('v1', 'ServiceAccount', { name, namespace: 'default', annotations }, more));
  const make = async (spec: object, metadata: object = {}): Promise<PodSpec> => {
    const draft = pod('p', spec);
    const made = await client.create(
      pods,
      { ...draft, metadata: { ...draft.metadata, ...metadata } },
      { dryRun: true },
    );
    return made.spec as PodSpec;
  };
  await account('default', { imagePullSecrets: [{ name: 'registry' }] });
  await account('silent', { automountServiceAccountToken: false });
  await account('strict', { secrets: [{ name: 'mine' }] }, { 'kubernetes.io/enforce-mountable-secrets': 'true' });

  const spec = await make({ initContainers: [{ name: 'i', image }] });
  const volume = spec.volumes?.[0]?.name ?? '';
  t.match(volume, /^kube-api-access-[a-z0-9]{5}$/);
  t.match(spec, {
    serviceAccountName: 'default',
    serviceAccount: 'default',
    imagePullSecrets: [{ name: 'registry' }],
    volumes: [
      {
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
          ],
        },
      },
    ],
  });
  const mount = { name: volume, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' };
  for (const containers of [spec.containers, spec.initContainers]) t.match(containers?.[0]?.volumeMounts, [mount]);

  t.equal((await make({ serviceAccountName: 'silent' })).volumes, undefined, 'the account disables the token');
  const ownVolume = { emptyDir: {}, name: 'own' };
  const ownMount = { ...mount, name: 'own' };
  const mounted = await make({ volumes: [ownVolume], containers: [{ name: 'c', image, volumeMounts: [ownMount] }] });
  t.match(mounted.volumes, [ownVolume], 'another volume is mounted at the path of the token');
  t.equal(mounted.volumes?.length, 1);
  const pulls = await make({ imagePullSecrets: [{ name: 'other' }] });
  t.same(pulls.imagePullSecrets, [{ name: 'other' }], 'image pull secrets of the Pod');

  const strict = (more: object): Promise<PodSpec> => make({ serviceAccountName: 'strict', ...more });
  const env = (name: string) => [{ name: 'E', valueFrom: { secretKeyRef: { name, key: 'k' } } }];
  t.ok(await strict({ containers: [{ name: 'c', image, env: env('mine') }] }));
  const not = 'is not allowed because service account strict does not reference that';
  const refused: readonly { name: string; given: () => Promise<unknown>; expect: string }[] = [
    {
      name: 'an unknown account',
      given: () => make({ serviceAccountName: 'nosa' }),
      expect: 'error looking up service account default/nosa: serviceaccount "nosa" not found',
    },
    {
      name: 'a volume',
      given: () => strict({ volumes: [{ name: 'v', secret: { secretName: 'yours' } }] }),
      expect: `volume with secret.secretName="yours" ${not} secret`,
    },
    {
      name: 'an environment variable',
      given: () => strict({ initContainers: [{ name: 'i', image, env: env('yours') }] }),
      expect: `init container i with envVar E referencing secret.secretName="yours" ${not} secret`,
    },
    {
      name: 'all keys of a secret as variables',
      given: () => strict({ containers: [{ name: 'c', image, envFrom: [{ secretRef: { name: 'yours' } }] }] }),
      expect: `container c with envFrom referencing secret.secretName="yours" ${not} secret`,
    },
    {
      name: 'an image pull secret',
      given: () => strict({ imagePullSecrets: [{ name: 'yours' }] }),
      expect: `imagePullSecrets[0].name="yours" ${not} imagePullSecret`,
    },
    {
      name: 'a mirror Pod with an account',
      given: () => make({ nodeName: 'n', serviceAccountName: 'default' }, mirror),
      expect: 'a mirror pod may not reference service accounts',
    },
    {
      name: 'a mirror Pod with a secret',
      given: () => make({ nodeName: 'n', volumes: [{ name: 'v', secret: { secretName: 's' } }] }, mirror),
      expect: 'a mirror pod may not reference secrets',
    },
  ];
  await client.create(nodes, object('v1', 'Node', { name: 'n' }));
  for (const { name, given, expect } of refused) t.equal(await refusal(given()), forbidden(expect), name);
  t.equal((await make({ nodeName: 'n' }, mirror)).serviceAccountName, undefined, 'mirror Pods get no account');
});

t.test('the karmada profile leaves Pods unchanged', async t => {
  const { client } = await guarded(t);
  const { spec } = await client.create(pods, pod('p', {}), { dryRun: true });
  t.equal((spec as PodSpec).serviceAccountName, undefined);
  t.equal((spec as PodSpec).volumes, undefined);
});
