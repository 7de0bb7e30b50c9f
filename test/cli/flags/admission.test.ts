/** Enabling and disabling admission plugins with flags, on a separate process. */
import t from 'tap';
import { temporaryFolder } from '../../apiserver/running.js';
import type { Reply } from '../../conformance/call.js';
import { run, up } from '../process.js';

t.test('mistakes', async t => {
  const rows = [
    ['--enable-admission-plugins=NodeRestrictions', 'did you mean NodeRestriction?'],
    ['--disable-admission-plugins=LimitRangers', 'did you mean LimitRanger?'],
    ['--enable-admission-plugins=AlwaysPullImages', 'AlwaysPullImages in --enable-admission-plugins is not available'],
    ['--enable-admission-plugins=Karmada', 'unknown plugin "Karmada" in --enable-admission-plugins'],
    ['--tenant-boundaries=enforced', 'did you mean enforce?'],
    ['--tenant-boundaries=', 'want one of enforce, warn, off'],
  ] as const;
  for (const [flag, expect] of rows) {
    const { code, err } = await run(t, 'up', flag);
    t.equal(code, 1, flag);
    t.ok(err.includes(expect), err);
    t.equal(err.trimEnd().split('\n').length, 1, 'one line');
  }
  const both = ['--enable-admission-plugins=NodeRestriction', '--disable-admission-plugins=Priority,NodeRestriction'];
  t.match(await run(t, 'up', ...both), { code: 1, err: /NodeRestriction is in both --enable-adm/ });
});

const node = { 'impersonate-user': 'system:node:n1', 'impersonate-group': 'system:nodes' };
const object = (apiVersion: string, kind: string, name: string, more: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name },
  ...more,
});

interface Row {
  readonly request: string;
  readonly body?: object;
  /** Matches the message of the refusal; absent: the request is allowed. */
  readonly refusal?: RegExp;
  readonly type?: string;
}

const merge = 'application/merge-patch+json';
const nodes = '/api/v1/nodes';
const pods = '/api/v1/namespaces/default/pods';
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

function pod(name: string, spec: object, metadata: object = {}): object {
  return {
    ...object('v1', 'Pod', name),
    metadata: { name, ...metadata },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  };
}

const mirror = (owner: object): object => ({
  annotations: { 'kubernetes.io/config.mirror': 'x' },
  ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n1', controller: true, ...owner }],
});

/** Requests of node n1; `uid` is the uid of the Node. The node n2 exists, too. */
const rows = (uid: string): readonly Row[] => [
  {
    request: `POST ${nodes}?dryRun=All`,
    body: object('v1', 'Node', 'n3'),
    refusal: /node "n1" is not allowed to modify node "n3"/,
  },
  {
    request: `PATCH ${nodes}/n1?dryRun=All`,
    type: merge,
    body: { metadata: { labels: { 'node-restriction.kubernetes.io/tier': 'gold' } } },
    refusal: /is not allowed to modify labels: node-restriction.kubernetes.io\/tier/,
  },
  {
    request: `PATCH ${nodes}/n1?dryRun=All`,
    type: merge,
    body: { metadata: { labels: { 'kubelet.kubernetes.io/x': 'y', own: 'yes' } } },
  },
  {
    request: `PATCH ${nodes}/n1?dryRun=All`,
    type: merge,
    body: { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } },
    refusal: /is not allowed to modify taints/,
  },
  {
    request: `PATCH ${nodes}/n2/status?dryRun=All`,
    type: merge,
    body: { status: { phase: 'Running' } },
    refusal: /node "n1" is not allowed to modify node "n2"/,
  },
  {
    request: `POST ${pods}?dryRun=All`,
    body: pod('plain', { nodeName: 'n1' }),
    refusal: /node "n1" can only create mirror pods/,
  },
  {
    request: `POST ${pods}?dryRun=All`,
    body: pod('elsewhere', { nodeName: 'n2' }, mirror({ uid })),
    refusal: /can only create pods with spec.nodeName set to itself/,
  },
  {
    request: `POST ${pods}?dryRun=All`,
    body: pod('uid', { nodeName: 'n1' }, mirror({ uid: 'other' })),
    refusal: /node n1 UID mismatch: expected other got/,
  },
  {
    request: `POST ${pods}?dryRun=All`,
    body: pod('secret', { nodeName: 'n1', imagePullSecrets: [{ name: 's' }] }, mirror({ uid })),
    refusal: /node "n1" can not create pods that reference secrets/,
  },
  {
    request: `POST ${pods}?dryRun=All`,
    body: pod(
      'claim',
      { nodeName: 'n1', volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] },
      mirror({ uid }),
    ),
    refusal: /can not create pods that reference persistentvolumeclaims/,
  },
  { request: `POST ${pods}?dryRun=All`, body: pod('good', { nodeName: 'n1' }, mirror({ uid })) },
  {
    request: `DELETE ${pods}/theirs?dryRun=All`,
    refusal: /node "n1" can only delete pods with spec.nodeName set to itself/,
  },
  {
    request: `POST ${pods}/theirs/eviction?dryRun=All`,
    body: object('policy/v1', 'Eviction', 'theirs'),
    refusal: /node n1 can only evict pods with spec.nodeName set to itself/,
  },
  {
    request: `PATCH ${pods}/theirs/status?dryRun=All`,
    type: merge,
    body: { status: { phase: 'Failed' } },
    refusal: /can only update pod status for pods with spec.nodeName set to itself/,
  },
  {
    request: `POST ${leases}?dryRun=All`,
    body: object('coordination.k8s.io/v1', 'Lease', 'n2', { spec: {} }),
    refusal: /can only access node lease with the same name as the requesting node/,
  },
  { request: `POST ${leases}?dryRun=All`, body: object('coordination.k8s.io/v1', 'Lease', 'n1', { spec: {} }) },
  {
    request: 'POST /apis/storage.k8s.io/v1/csinodes?dryRun=All',
    body: object('storage.k8s.io/v1', 'CSINode', 'n2', { spec: { drivers: [] } }),
    refusal: /can only access CSINode with the same name as the requesting node/,
  },
];

for (const mode of ['on', 'off'] as const)
  t.test(`NodeRestriction is ${mode}`, async t => {
    const flags = mode === 'on' ? ['--enable-admission-plugins', 'NodeRestriction'] : [];
    const { server } = await up(t, await temporaryFolder(t), '--controllers=-*', ...flags);
    const call = (request: string, headers: Record<string, string>, body?: object, type = 'application/json') => {
      const [method = '', path = ''] = request.split(' ');
      return server.call(method, path, {
        headers: { ...headers, 'content-type': type },
        ...(body && { body: JSON.stringify(body) }),
      });
    };
    const made = async (request: string, body: object): Promise<Reply> => {
      const reply = await call(request, {}, body);
      t.equal(reply.status, 201, reply.text);
      return reply;
    };
    const { text } = await made(`POST ${nodes}`, object('v1', 'Node', 'n1'));
    const { metadata } = JSON.parse(text) as { metadata: { uid: string } };
    await made(`POST ${nodes}`, object('v1', 'Node', 'n2'));
    await made(`POST ${pods}`, pod('theirs', { nodeName: 'n2' }));
    for (const { request, body, refusal, type } of rows(metadata.uid)) {
      const { status, text } = await call(request, node, body, type);
      const about = `${request} ${JSON.stringify(body)}: ${text}`;
      if (mode === 'on' && refusal) {
        t.equal(status, 403, about);
        t.match(text.replaceAll('\\"', '"'), refusal);
      } else t.ok(status < 300, about);
    }
  });

t.test('a disabled plugin', async t => {
  const { server } = await up(
    t,
    await temporaryFolder(t),
    '--controllers=-*',
    '--disable-admission-plugins=DefaultTolerationSeconds,StorageObjectInUseProtection',
  );
  const { status, text } = await server.call('POST', `${pods}?dryRun=All`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(pod('p', {})),
  });
  t.equal(status, 201);
  t.notMatch(text, /not-ready/);
});
