/** What a manifest lacks of its template. as pkg/resourceinterpreter/default/native/prune RemoveIrrelevantFields */
import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { pruneManifest } from '../../../../kinds/karmada/work/prune-manifest.js';

/** Returns what is left of an object of a kind with these fields. */
function pruned(kind: string, fields: object): unknown {
  const draft = { apiVersion: 'v1', kind, metadata: { name: 'a' }, ...fields } as KubeObject;
  pruneManifest(draft);
  const { apiVersion: _, kind: __, ...rest } = draft;
  return rest;
}

const metadata = { name: 'a' };

t.test('what belongs to the object of the control plane alone is removed from every kind', async t => {
  const own = {
    ...{ creationTimestamp: 'x', deletionTimestamp: 'x', deletionGracePeriodSeconds: 1, generation: 1 },
    ...{ managedFields: [], resourceVersion: '1', selfLink: '/', uid: 'u', ownerReferences: [], finalizers: [] },
  };
  const kept = { ...metadata, namespace: 'n', labels: { a: 'b' }, annotations: { c: 'd' } };
  for (const kind of ['Widget', 'constructor', '__proto__'])
    t.strictSame(pruned(kind, { metadata: { ...kept, ...own }, status: {}, spec: { a: 1 } }), {
      metadata: kept,
      spec: { a: 1 },
    });
});

t.test('a Deployment loses the annotations of its revisions', async t => {
  const annotations = {
    'deployment.kubernetes.io/revision': '1',
    'deployment.kubernetes.io/revision-history': '1,2',
    other: 'x',
  };
  t.strictSame(pruned('Deployment', { metadata: { ...metadata, annotations } }), {
    metadata: { ...metadata, annotations: { other: 'x' } },
  });
  t.strictSame(pruned('Deployment', {}), { metadata });
});

t.test('a Job loses its TTL, and the labels of a generated selector', async t => {
  const generated = { 'controller-uid': 'u', 'batch.kubernetes.io/controller-uid': 'u' };
  const labels = { ...generated, 'job-name': 'a', 'batch.kubernetes.io/job-name': 'a' };
  const jobWith = (more: object): object => ({
    spec: {
      ...{ ttlSecondsAfterFinished: 1, selector: { matchLabels: { ...generated, own: 'x' } } },
      template: { metadata: { labels: { ...labels, own: 'x' } } },
      ...more,
    },
  });
  const bare = { selector: { matchLabels: { own: 'x' } }, template: { metadata: { labels: { own: 'x' } } } };
  t.strictSame(pruned('Job', jobWith({})), { metadata, spec: bare });
  t.strictSame(pruned('Job', jobWith({ manualSelector: false })), {
    metadata,
    spec: { manualSelector: false, ...bare },
  });
  const manual = { manualSelector: true };
  t.strictSame(pruned('Job', jobWith(manual)), {
    metadata,
    spec: {
      ...{ selector: { matchLabels: { ...generated, own: 'x' } } },
      ...{ template: { metadata: { labels: { ...labels, own: 'x' } } }, ...manual },
    },
  });
  t.strictSame(pruned('Job', { spec: {} }), { metadata, spec: {} });
  t.strictSame(pruned('Job', {}), { metadata });
});

t.test('a Secret with the token of a ServiceAccount loses the token', async t => {
  const annotations = { 'kubernetes.io/service-account.uid': 'u', 'kubernetes.io/service-account.name': 'a' };
  const token = { type: 'kubernetes.io/service-account-token', data: { token: 'eA==' } };
  t.strictSame(pruned('Secret', { ...token, metadata: { ...metadata, annotations } }), {
    ...{ metadata: { ...metadata, annotations: { 'kubernetes.io/service-account.name': 'a' } } },
    ...{ type: token.type, data: null },
  });
  t.strictSame(pruned('Secret', token), { metadata, type: token.type, data: null });
  const opaque = { type: 'Opaque', data: { a: 'eA==' } };
  t.strictSame(pruned('Secret', { ...opaque, metadata: { ...metadata, annotations } }), {
    ...{ metadata: { ...metadata, annotations }, ...opaque },
  });
});

t.test('a ServiceAccount loses the Secrets that were generated for it', async t => {
  const secrets = [{ name: 'a-token-x' }, { name: 'a-token-y' }, { name: 'b-token-x' }, { name: 'a' }, {}];
  t.strictSame(pruned('ServiceAccount', { secrets }), { metadata, secrets: secrets.slice(2) });
  t.strictSame(pruned('ServiceAccount', { secrets: [] }), { metadata, secrets: [] });
  t.strictSame(pruned('ServiceAccount', {}), { metadata });
});

t.test('a Service loses its addresses unless it is headless', async t => {
  const addresses = { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] };
  t.strictSame(pruned('Service', { spec: { ...addresses, ports: [] } }), { metadata, spec: { ports: [] } });
  const headless = { clusterIP: 'None', clusterIPs: ['None'] };
  t.strictSame(pruned('Service', { spec: headless }), { metadata, spec: headless });
  t.strictSame(pruned('Service', { spec: { clusterIP: '' } }), { metadata, spec: {} });
  t.strictSame(pruned('Service', { spec: {} }), { metadata, spec: {} });
  t.strictSame(pruned('Service', {}), { metadata });
});

t.test('a PersistentVolumeClaim loses the node that was selected for it', async t => {
  const annotations = { 'volume.kubernetes.io/selected-node': 'n1', other: 'x' };
  t.strictSame(pruned('PersistentVolumeClaim', { metadata: { ...metadata, annotations } }), {
    metadata: { ...metadata, annotations: { other: 'x' } },
  });
  t.strictSame(pruned('PersistentVolumeClaim', {}), { metadata });
});
