/** The admission plugin NodeRestriction over stored Nodes and Pods; test/cli/flags/admission.test.ts has requests to a whole server. */
import { generateKeyPairSync } from 'node:crypto';
import t, { type Test } from 'tap';
import { nodeRestriction } from '../../../authn/access/node-restriction.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { StatusError } from '../../../apimachinery/errors/status.js';
import { nativeDefinitions } from '../../../kinds/kubernetes/native.js';
import type { AdmissionRequest } from '../../../registry/admission-plugin.js';
import { createRequest } from '../../../apimachinery/x509/create-request.js';
import { serve } from '../serve.js';

const nodes = { group: '', version: 'v1', resource: 'nodes' };
const pods = { group: '', version: 'v1', resource: 'pods' };

const pod = (name: string, nodeName: string, more: object = {}): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default', ...more } },
  spec: { nodeName, containers: [{ name: 'c', image: 'i' }] },
});

const mirror = (owners: readonly object[]): object => ({
  annotations: { 'kubernetes.io/config.mirror': 'x' },
  ownerReferences: owners,
});

type Ask = Partial<AdmissionRequest>;

interface Row {
  readonly about: string;
  /** The resource: `pods`, `pods/status`. */
  readonly on: string;
  readonly ask: Ask;
  /** The end of the message of the refusal; '' if the request is allowed. */
  readonly refusal: string;
}

const row = (about: string, on: string, ask: Ask, refusal = ''): Row => ({ about, on, ask, refusal });
const create = (object: unknown, more: Ask = {}): Ask => ({ object: object as KubeObject, ...more });
const update = (old: unknown, object: unknown): Ask => ({
  ...{ operation: 'UPDATE', old: old as KubeObject, object: object as KubeObject },
  name: (old as KubeObject).metadata.name ?? '',
});
const remove = (old: unknown): Ask => ({ operation: 'DELETE', old: old as KubeObject });

/** Calls the plugin for node n1. Returns the text of the refusal after `is forbidden: `, or the whole text of another error; '' if it is allowed. */
async function askFor(t: Test) {
  const { client } = await serve(t);
  const node = await client.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
  const mine = await client.create(pods, pod('mine', 'n1'));
  await client.create(pods, pod('theirs', 'n2'));
  const plugin = nodeRestriction(() => client);
  const definitions = new Map(nativeDefinitions().map(definition => [definition.plural, definition]));
  const ask = async (on: string, more: Ask): Promise<string> => {
    const [plural = '', subresource = ''] = on.split('/');
    const definition = definitions.get(plural);
    if (definition === undefined) throw new Error(`no resource ${plural}`);
    const request: AdmissionRequest = {
      ...{ operation: 'CREATE', definition, version: 'v1', subresource },
      ...{ namespace: 'default', name: '', dryRun: false, options: {}, object: undefined, old: undefined },
      user: { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] },
      ...{ warn: () => undefined, annotate: () => undefined },
      ...more,
    };
    try {
      await plugin.mutate?.(request);
      return '';
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return error.message.replace(/^.* is forbidden: /, '');
    }
  };
  return { ask, nodeUid: node.metadata.uid ?? '', podUid: mine.metadata.uid ?? '' };
}

async function check(t: Test, rows: (uids: { nodeUid: string; podUid: string }) => readonly Row[]): Promise<void> {
  const { ask, ...uids } = await askFor(t);
  for (const { about, on, ask: more, refusal } of rows(uids)) t.equal(await ask(on, more), refusal, about);
}

t.test('who is a node', async t => {
  const { ask } = await askFor(t);
  const other = create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n2' } });
  t.match(await ask('nodes', other), /^node "n1" is not allowed to modify node "n2"$/);
  t.equal(await ask('nodes', { ...other, user: { name: 'system:node:n1', groups: [] } }), '', 'not in system:nodes');
  t.equal(await ask('nodes', { ...other, user: { name: 'jane', groups: ['system:nodes'] } }), '', 'another name');
  t.equal(
    await ask('nodes', { ...other, user: { name: 'system:node:', groups: ['system:nodes'] } }),
    'could not determine node from user "system:node:"',
  );
  t.equal(await ask('configmaps', create({ metadata: { name: 'x' } })), '', 'a resource without a rule');
});

t.test('pods that a node may create and delete', t =>
  check(t, ({ nodeUid }) => {
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: nodeUid, controller: true };
    const owned = (...owners: readonly object[]): Ask => create(pod('p', 'n1', mirror(owners)));
    const only = 'node "n1" can only create pods with';
    return [
      row('a mirror pod', 'pods', owned(owner)),
      row('no owner', 'pods', owned(), `${only} an owner reference set to itself`),
      row('two owners', 'pods', owned(owner, owner), `${only} a single owner reference set to itself`),
      row('another kind', 'pods', owned({ ...owner, kind: 'Pod' }), `${only} an owner reference set to itself`),
      row('another node', 'pods', owned({ ...owner, name: 'n2' }), `${only} an owner reference set to itself`),
      row(
        'no controller',
        'pods',
        owned({ ...owner, controller: false }),
        `${only} a controller owner reference set to itself`,
      ),
      row(
        'a blocking owner',
        'pods',
        owned({ ...owner, blockOwnerDeletion: true }),
        'node "n1" must not set blockOwnerDeletion on an owner reference',
      ),
      row('its own pod goes', 'pods', remove(pod('mine', 'n1'))),
      row(
        "another node's pod goes",
        'pods',
        remove(pod('theirs', 'n2')),
        'node "n1" can only delete pods with spec.nodeName set to itself',
      ),
      row(
        'an update',
        'pods',
        update(pod('mine', 'n1'), pod('mine', 'n1')),
        'unexpected operation "UPDATE", node "n1" can only create and delete mirror pods',
      ),
      row('exec', 'pods/exec', {}, `unexpected pod subresource "exec", only 'status' and 'eviction' are allowed`),
    ];
  }),
);

t.test('the status of pods, and their eviction', t =>
  check(t, () => {
    const mine = pod('mine', 'n1');
    const status = (object: object) => update(mine, { ...mine, ...object });
    const evict = (name: string, more: Ask = {}): Ask => create({ metadata: { name } }, more);
    return [
      row('its own', 'pods/status', status({ status: { phase: 'Running' } })),
      row(
        "another node's",
        'pods/status',
        update(pod('theirs', 'n2'), pod('theirs', 'n2')),
        'node "n1" can only update pod status for pods with spec.nodeName set to itself',
      ),
      row('no update', 'pods/status', { operation: 'DELETE' }, 'unexpected operation "DELETE"'),
      row(
        'labels',
        'pods/status',
        status({ metadata: { name: 'mine', labels: { a: 'b' } } }),
        'node "n1" cannot update labels through pod status',
      ),
      row(
        'claims',
        'pods/status',
        status({ status: { resourceClaimStatuses: [{ name: 'c' }] } }),
        'node "n1" cannot update resource claim statues',
      ),
      row(
        'extended claims',
        'pods/status',
        status({ status: { extendedResourceClaimStatus: { resourceClaimName: 'c' } } }),
        'node "n1" cannot update extended resource claim status',
      ),
      row('evicts its own', 'pods/eviction', evict('mine')),
      row('named by the path', 'pods/eviction', evict('', { name: 'mine' })),
      row(
        "evicts another node's",
        'pods/eviction',
        evict('theirs'),
        'node n1 can only evict pods with spec.nodeName set to itself',
      ),
      row('evicts nothing', 'pods/eviction', evict(''), 'could not determine pod from request data'),
      row('evicts what is not there', 'pods/eviction', evict('gone'), 'pods "gone" not found'),
      row('no create', 'pods/eviction', { operation: 'DELETE' }, 'unexpected operation DELETE'),
    ];
  }),
);

t.test('its own Node', t =>
  check(t, () => {
    const node = (more: object = {}, labels: object = {}) => ({
      ...{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', labels } },
      ...more,
    });
    const configSource = { configMap: { name: 'c' } };
    const tier = { 'x.node-restriction.kubernetes.io/tier': 'gold' };
    const allowed = { 'kubernetes.io/hostname': 'h', 'node.kubernetes.io/a': 'b', 'example.com/c': 'd' };
    return [
      row('created', 'nodes', create(node())),
      row('its labels', 'nodes', create(node({}, allowed))),
      row(
        'reserved labels',
        'nodes',
        create(node({}, { ...tier, 'k8s.io/z': 'z' })),
        'node "n1" is not allowed to set the following labels: k8s.io/z, x.node-restriction.kubernetes.io/tier',
      ),
      row(
        'a removed label',
        'nodes',
        update(node({}, tier), node()),
        'is not allowed to modify labels: x.node-restriction.kubernetes.io/tier',
      ),
      row('the same reserved label', 'nodes', update(node({}, tier), node({ spec: {} }, tier))),
      row(
        'created with a configSource',
        'nodes',
        create(node({ spec: { configSource } })),
        'node "n1" is not allowed to create pods with a non-nil configSource',
      ),
      row(
        'a new configSource',
        'nodes',
        update(node(), node({ spec: { configSource } })),
        'node "n1" is not allowed to update configSource to a new non-nil configSource',
      ),
      row('the same configSource', 'nodes', update(node({ spec: { configSource } }), node({ spec: { configSource } }))),
      row(
        'owners',
        'nodes',
        update(node(), { ...node(), metadata: { name: 'n1', labels: {}, ownerReferences: [{ name: 'x' }] } }),
        'node "n1" is not allowed to modify ownerReferences',
      ),
      row('deleted', 'nodes', { operation: 'DELETE', name: 'n1' }),
    ];
  }),
);

t.test('tokens', t =>
  check(t, ({ podUid }) => {
    const bound = { apiVersion: 'v1', kind: 'Pod', name: 'mine', uid: podUid };
    const token = (boundObjectRef: object | undefined, audiences: readonly string[] = []): Ask =>
      create({ spec: { audiences, ...(boundObjectRef && { boundObjectRef }) } });
    const on = 'serviceaccounts/token';
    return [
      row('for its own pod', on, token(bound, ['a'])),
      row('for no pod', on, token(undefined), 'node requested token not bound to a pod'),
      row('for a Secret', on, token({ ...bound, kind: 'Secret' }), 'node requested token not bound to a pod'),
      row('no uid', on, token({ ...bound, uid: '' }), 'node requested token with a pod binding without a uid'),
      row(
        'another uid',
        on,
        token({ ...bound, uid: 'x' }),
        `the UID in the bound object reference (x) does not match the UID in record. ` +
          'The object might have been deleted and then recreated',
      ),
      row('a pod that is not there', on, token({ ...bound, name: 'gone' }), 'pods "gone" not found'),
      row('two audiences', on, token(bound, ['a', 'b']), 'node may only request 0 or 1 audiences'),
      row('the account itself', 'serviceaccounts', create({ metadata: { name: 'x' } })),
    ];
  }),
);

t.test("a token for another node's pod", async t => {
  const { client } = await serve(t);
  const theirs = await client.create(pods, pod('theirs', 'n2'));
  const definition = nativeDefinitions().find(({ plural }) => plural === 'serviceaccounts');
  if (definition === undefined) throw new Error('no service accounts');
  const spec = { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'theirs', uid: theirs.metadata.uid } };
  const request: AdmissionRequest = {
    ...{ operation: 'CREATE', definition, version: 'v1', subresource: 'token', namespace: 'default', name: 'sa' },
    ...{ user: { name: 'system:node:n1', groups: ['system:nodes'] }, dryRun: false, options: {}, old: undefined },
    object: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec },
    ...{ warn: () => undefined, annotate: () => undefined },
  };
  await t.rejects(async () => nodeRestriction(() => client).mutate?.(request), {
    code: 403,
    message: /node requested token bound to a pod scheduled on a different node$/,
  });
});

t.test('claims, Leases, CSINodes, ResourceSlices and certificate requests', t =>
  check(t, () => {
    const claim = (spec: object, status: object) => ({ metadata: { name: 'c', resourceVersion: '1' }, spec, status });
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const csr = (name: string, signer = 'kubernetes.io/kubelet-serving'): Ask => {
      const request = createRequest({ name, groups: ['system:nodes'] }, privateKey);
      return create({ spec: { signerName: signer, request: Buffer.from(request).toString('base64') } });
    };
    const slice = (nodeName: string) => ({ metadata: { name: 's' }, spec: { nodeName } });
    const named = (name: string, more: Ask = {}): Ask => create({ metadata: { name } }, more);
    const inNodeLeases = { namespace: 'kube-node-lease' };
    return [
      row(
        'capacity',
        'persistentvolumeclaims/status',
        update(claim({}, {}), claim({}, { capacity: { storage: '1' } })),
      ),
      row(
        'a phase',
        'persistentvolumeclaims/status',
        update(claim({}, {}), claim({}, { phase: 'Lost' })),
        'node "n1" is not allowed to update fields other than status.quantity and status.conditions',
      ),
      row('a claim', 'persistentvolumeclaims', create(claim({}, {})), 'may only update PVC status'),
      row('no update', 'persistentvolumeclaims/status', create(claim({}, {})), 'unexpected operation "CREATE"'),
      row('its Lease', 'leases', named('n1', inNodeLeases)),
      row(
        'the Lease of another',
        'leases',
        { operation: 'UPDATE', name: 'n2', ...inNodeLeases },
        'can only access node lease with the same name as the requesting node',
      ),
      row(
        'another namespace',
        'leases',
        named('n1'),
        'can only access leases in the "kube-node-lease" system namespace',
      ),
      row('its CSINode', 'csinodes', named('n1')),
      row(
        'the CSINode of another',
        'csinodes',
        { operation: 'DELETE', name: 'n2' },
        'can only access CSINode with the same name as the requesting node',
      ),
      row('its slice', 'resourceslices', create(slice('n1'))),
      row(
        'the slice of another',
        'resourceslices',
        remove(slice('n2')),
        'can only delete ResourceSlice with the same NodeName as the requesting node',
      ),
      row('an updated slice', 'resourceslices', update(slice('n2'), slice('n2'))),
      row('its certificate', 'certificatesigningrequests', csr('system:node:n1')),
      row(
        'the certificate of another',
        'certificatesigningrequests',
        csr('system:node:n2'),
        'can only create a node CSR with CN=system:node:n1',
      ),
      row('another signer', 'certificatesigningrequests', csr('system:node:n2', 'example.com/s')),
      row(
        'no request',
        'certificatesigningrequests',
        create({ spec: { signerName: 'kubernetes.io/kube-apiserver-client-kubelet', request: 'eA==' } }),
        'unable to parse csr',
      ),
    ];
  }),
);
