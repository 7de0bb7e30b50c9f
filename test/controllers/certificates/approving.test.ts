/** Which requests the approving controllers recognize, and for whom they approve them. as pkg/controller/certificates/approver sarApprover */
import t, { type Test } from 'tap';
import type { CertificateSigningRequest } from '../../../api/kubernetes/certificates.js';
import { certificateSigningRequests } from '../../../api/kubernetes/resources.js';
import { createRequest } from '../../../apimachinery/x509/create-request.js';
import { createKey } from '../../../apimachinery/x509/keys.js';
import type { Client } from '../../../client/interface.js';
import type { ControllerOptions, ReconcileResult } from '../../../client/runtime/interface.js';
import { startAgentApproving, startNodeApproving } from '../../../controllers/certificates/approving.js';
import type { PartContext } from '../../../server/parts.js';
import { grant, object, rbac } from '../../aggregation/fleet.js';
import { until } from '../../storage/until.js';
import { runningControllers, withVerbs } from '../one-controller.js';
import { recordingQueue } from '../recording-queue.js';

const kubeletSigner = 'kubernetes.io/kube-apiserver-client-kubelet';
const clientSigner = 'kubernetes.io/kube-apiserver-client';
const usages = ['client auth', 'digital signature', 'key encipherment'];

interface Asked {
  /** The user who creates the request, and the groups of the user. */
  readonly user: string;
  readonly groups?: readonly string[];
  /** The name in the certificate. */
  readonly of: string;
  readonly organization: string;
  readonly usages?: readonly string[];
  readonly signerName: string;
}

/** Starts a server with an approving controller that reconciles only when the test says so. */
async function approving(
  t: Test,
  start: typeof startNodeApproving,
  wrap: (client: Client) => Client = client => client,
) {
  let started:
    { controller: ControllerOptions; part: PartContext; shows: (name: string) => string | undefined } | undefined;
  const server = await runningControllers(
    t,
    (context, part) => {
      start({
        ...context,
        run(controller) {
          const requests = context.informers.informer<CertificateSigningRequest>(certificateSigningRequests);
          started = { controller, part, shows: name => requests.get(name)?.metadata.resourceVersion };
        },
      });
    },
    { wrap },
  );
  if (!started) throw new Error('not reached');
  const { controller, part, shows } = started;
  const { client } = server;
  await Promise.all(controller.synced ?? []);
  const { queue, added } = recordingQueue();
  controller.wire(queue);
  const get = (name: string): Promise<CertificateSigningRequest> => client.get(certificateSigningRequests, { name });
  /** Resolves when the controller knows the request as it is. */
  const seen = (name: string): Promise<void> =>
    until(`the mirror shows ${name}`, async () => shows(name) === (await get(name)).metadata.resourceVersion);
  return {
    ...{ client, added, get, seen },
    ask: async (name: string, { user, groups = [], of, organization, ...spec }: Asked): Promise<void> => {
      const pem = createRequest({ name: of, groups: [organization] }, await createKey(), []);
      const request = Buffer.from(pem).toString('base64');
      await part
        .clientFor({ name: user, groups: [...groups, 'system:authenticated'] })
        .create(
          certificateSigningRequests,
          object('certificates.k8s.io/v1', 'CertificateSigningRequest', name, { spec: { usages, ...spec, request } }),
        );
      await seen(name);
    },
    /** Permits the subject to create a subresource of requests. */
    permit: async (subresource: string, kind: 'User' | 'Group', name: string): Promise<void> => {
      const role = `${subresource}-of-${name.replaceAll(':', '-')}`;
      const resources = [`certificatesigningrequests/${subresource}`];
      const rules = [{ apiGroups: ['certificates.k8s.io'], resources, verbs: ['create'] }];
      await client.create(rbac('clusterroles'), object('rbac.authorization.k8s.io/v1', 'ClusterRole', role, { rules }));
      await grant(client, role, { apiGroup: 'rbac.authorization.k8s.io', kind, name }, role);
    },
    reconcile: (name: string): Promise<ReconcileResult> => controller.reconcile(name, new AbortController().signal),
    /** Returns the conditions of a request, as `type: message`. */
    conditionsOf: async (name: string) =>
      (await get(name)).status?.conditions?.map(({ type, message }) => `${type}: ${message}`) ?? [],
  };
}

const kubelet = (of: string, more: Partial<Asked> = {}): Asked => ({
  ...{ user: of, groups: ['system:nodes'], of, organization: 'system:nodes', signerName: kubeletSigner },
  ...more,
});
const agent = (of: string, more: Partial<Asked> = {}): Asked => ({
  ...{ user: of, groups: ['system:karmada:agents'], of, organization: 'system:karmada:agents' },
  signerName: clientSigner,
  ...more,
});

const selfMessage = 'Approved: Auto approving self kubelet client certificate after SubjectAccessReview.';
const nodeMessage = 'Approved: Auto approving kubelet client certificate after SubjectAccessReview.';

t.test('the permission of the user decides, that for the own certificate first', async t => {
  const { ask, permit, reconcile, conditionsOf } = await approving(t, startNodeApproving);
  const [self, both] = ['system:node:self', 'system:node:both'];
  for (const name of [self, both]) await permit('selfnodeclient', 'User', name);
  await permit('nodeclient', 'User', both);
  await permit('nodeclient', 'Group', 'joining');
  const again = { againAfter: 60_000 };
  const rows: readonly (readonly [name: string, Asked, condition: string | undefined, ReconcileResult])[] = [
    ['its own', kubelet(self), selfMessage, undefined],
    ['its own, with both permissions', kubelet(both), selfMessage, undefined],
    ['that of another', kubelet('system:node:new', { user: both }), nodeMessage, undefined],
    ['by a group', kubelet('system:node:new', { user: 'joiner', groups: ['joining'] }), nodeMessage, undefined],
    ['its own, without a permission', kubelet('system:node:new'), undefined, again],
    ['that of another, with the permission for its own', kubelet('system:node:new', { user: self }), undefined, again],
    ['with other usages', kubelet(self, { usages: ['client auth'] }), undefined, undefined],
    ['of another group', kubelet(self, { organization: 'devs' }), undefined, undefined],
    ['for another signer', kubelet(self, { signerName: clientSigner }), undefined, undefined],
  ];
  for (const [i, [name, asked, condition, result]] of rows.entries()) {
    await ask(`csr-${i}`, asked);
    t.strictSame(await reconcile(`csr-${i}`), result, name);
    t.same(await conditionsOf(`csr-${i}`), condition === undefined ? [] : [condition], name);
  }
});

t.test('an approval says who approved it', async t => {
  const { ask, permit, reconcile, get } = await approving(t, startNodeApproving);
  await permit('selfnodeclient', 'User', 'system:node:n1');
  await ask('csr', kubelet('system:node:n1'));
  await reconcile('csr');
  t.match((await get('csr')).status?.conditions, [{ type: 'Approved', status: 'True', reason: 'AutoApproved' }]);
});

t.test('a permission that comes later is found by the next look', async t => {
  const { ask, permit, reconcile, conditionsOf } = await approving(t, startNodeApproving);
  await ask('csr', kubelet('system:node:n1'));
  t.strictSame(await reconcile('csr'), { againAfter: 60_000 });
  await permit('selfnodeclient', 'User', 'system:node:n1');
  await reconcile('csr');
  t.same(await conditionsOf('csr'), [selfMessage]);
});

t.test('only undecided requests for the signer are looked at', async t => {
  const { client, ask, permit, reconcile, conditionsOf, added, get, seen } = await approving(t, startNodeApproving);
  await permit('selfnodeclient', 'User', 'system:node:n1');
  await ask('other-signer', kubelet('system:node:n1', { signerName: clientSigner }));
  await ask('open', kubelet('system:node:n1'));
  await until('the open request is added', () => added.length > 0);
  t.same(added.splice(0), ['open']);
  for (const [name, status, subresource] of [
    [
      'approved',
      { conditions: [{ type: 'Approved', status: 'True', reason: 'Test', message: 'by hand' }] },
      'approval',
    ],
    ['denied', { conditions: [{ type: 'Denied', status: 'True', reason: 'Test', message: 'by hand' }] }, 'approval'],
  ] as const) {
    await ask(name, kubelet('system:node:n1'));
    await client.update(certificateSigningRequests, { ...(await get(name)), status }, { subresource });
    await seen(name);
    await until('the undecided one is added', () => added.includes(name));
    t.same(added.splice(0), [name], 'once, when it was undecided');
    t.equal(await reconcile(name), undefined);
    t.equal((await conditionsOf(name)).length, 1, name);
  }
  t.equal(await reconcile('absent'), undefined);
});

t.test('a request that is being deleted is left alone', async t => {
  const { client, ask, permit, reconcile, conditionsOf, get, seen } = await approving(t, startNodeApproving);
  await permit('selfnodeclient', 'User', 'system:node:n1');
  await ask('csr', kubelet('system:node:n1'));
  const { metadata } = await get('csr');
  const finalizers = ['example.com/keep'];
  await client.patch(
    certificateSigningRequests,
    { name: 'csr' },
    { type: 'merge', patch: { metadata: { finalizers } } },
  );
  await client.delete(certificateSigningRequests, { name: 'csr' });
  await seen('csr');
  t.not((await get('csr')).metadata.resourceVersion, metadata.resourceVersion);
  t.equal(await reconcile('csr'), undefined);
  t.same(await conditionsOf('csr'), []);
});

t.test('a decision that comes before the approval stands', async t => {
  let decide: (() => Promise<unknown>) | undefined;
  const wrap = (client: Client): Client =>
    withVerbs(client, {
      update: async (...request) => {
        await decide?.();
        decide = undefined;
        return client.update(...request);
      },
    });
  const { client, ask, permit, reconcile, conditionsOf, get } = await approving(t, startNodeApproving, wrap);
  await permit('selfnodeclient', 'User', 'system:node:n1');
  await ask('csr', kubelet('system:node:n1'));
  const denied = { type: 'Denied', status: 'True', reason: 'Test', message: 'by hand' };
  const current = await get('csr');
  decide = () =>
    client.update(
      certificateSigningRequests,
      { ...current, status: { conditions: [denied] } },
      { subresource: 'approval' },
    );
  t.equal(await reconcile('csr'), undefined);
  t.same(await conditionsOf('csr'), ['Denied: by hand']);
});

t.test('agents get their certificates by the roles of Karmada', async t => {
  const { ask, reconcile, conditionsOf } = await approving(t, startAgentApproving);
  const edge = 'system:karmada:agent:edge';
  const bootstrapper = {
    ...{ user: 'system:bootstrap:abcdef', groups: ['system:bootstrappers:karmada:default-cluster-token'] },
  };
  const message = (what: string) => `Approved: Auto approving ${what} certificate after SubjectAccessReview.`;
  const rows: readonly (readonly [name: string, Asked, condition: string | undefined, ReconcileResult])[] = [
    ['its own', agent(edge), message('self karmada agent'), undefined],
    ['with a bootstrap token', agent(edge, bootstrapper), message('karmada agent'), undefined],
    ['that of another agent', agent('system:karmada:agent:other', { user: edge }), undefined, { againAfter: 60_000 }],
    ['that of a kubelet', agent('system:node:n', { organization: 'system:nodes' }), undefined, undefined],
    ['for the signer of kubelets', agent(edge, { signerName: kubeletSigner }), undefined, undefined],
  ];
  for (const [i, [name, asked, condition, result]] of rows.entries()) {
    await ask(`csr-${i}`, asked);
    t.strictSame(await reconcile(`csr-${i}`), result, name);
    t.same(await conditionsOf(`csr-${i}`), condition === undefined ? [] : [condition], name);
  }
});
