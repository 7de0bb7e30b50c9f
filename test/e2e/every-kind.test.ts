/** Behaviour that all kinds share, and its exceptions, with one object of each kind over a real socket. */
import t, { type Test } from 'tap';
import { everyKind, type KindSample } from './every-kind.js';
import { type Answer, type HttpClient, httpClient } from '../apiserver/http-client.js';
import { runningServer } from '../apiserver/running.js';

/** The fields of metadata that the tests read. */
interface Metadata {
  readonly [field: string]: unknown;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
}

const metadataOf = (answer: Answer): Metadata => answer.json.metadata;
const causesOf = ({ json }: Answer): string[] =>
  ((json['details'] as { causes?: { field: string; message: string }[] } | undefined)?.causes ?? []).map(
    cause => `${cause.field}: ${cause.message}`,
  );

const ids = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));
const known = new Set(everyKind.map(kind => kind.id));

/** Kinds whose first generation is 1, and grows with changes of the spec. */
const counts = ids(`
  deployments.apps replicasets.apps statefulsets.apps daemonsets.apps jobs.batch cronjobs.batch pods podtemplates replicationcontrollers
  ingresses.networking.k8s.io ingressclasses.networking.k8s.io networkpolicies.networking.k8s.io endpointslices.discovery.k8s.io
  poddisruptionbudgets.policy flowschemas.flowcontrol.apiserver.k8s.io prioritylevelconfigurations.flowcontrol.apiserver.k8s.io
  resourceslices.resource.k8s.io deviceclasses.resource.k8s.io customresourcedefinitions.apiextensions.k8s.io
  validatingwebhookconfigurations.admissionregistration.k8s.io mutatingwebhookconfigurations.admissionregistration.k8s.io
  validatingadmissionpolicies.admissionregistration.k8s.io validatingadmissionpolicybindings.admissionregistration.k8s.io
  mutatingadmissionpolicies.admissionregistration.k8s.io mutatingadmissionpolicybindings.admissionregistration.k8s.io`);
/** Kinds whose generation stays 1. */
const startsOnly = ids('priorityclasses.scheduling.k8s.io');
/** Kinds whose first generation is the one of the request, and grows with changes. */
const countsOnly = ids('csidrivers.storage.k8s.io');
const countsAnnotations = ids('deployments.apps');
const countsLabels = ids('endpointslices.discovery.k8s.io');

/** Kinds whose names are DNS labels, and below path segments; all other names are DNS subdomains. */
const labelled = ids('namespaces services statefulsets.apps');
const segments = ids(`
  roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io clusterroles.rbac.authorization.k8s.io
  clusterrolebindings.rbac.authorization.k8s.io events certificatesigningrequests.certificates.k8s.io poddisruptionbudgets.policy`);
/** Kinds with declarative validation of names, which has other messages and does not report generateName. */
const declared = ids('replicationcontrollers deviceclasses.resource.k8s.io');
/** Kinds whose names depend on the spec. */
const fixed = ids(`
  ipaddresses.networking.k8s.io apiservices.apiregistration.k8s.io customresourcedefinitions.apiextensions.k8s.io`);
/** Maximum lengths of names that are prefixes of the names of other objects. */
const longest: Readonly<Record<string, number>> = { 'jobs.batch': 63, 'cronjobs.batch': 52 };

/** Kinds whose updates need a resource version. */
const conditional = ids(`
  customresourcedefinitions.apiextensions.k8s.io apiservices.apiregistration.k8s.io leases.coordination.k8s.io
  poddisruptionbudgets.policy runtimeclasses.node.k8s.io csidrivers.storage.k8s.io csinodes.storage.k8s.io
  csistoragecapacities.storage.k8s.io volumeattachments.storage.k8s.io
  validatingwebhookconfigurations.admissionregistration.k8s.io mutatingwebhookconfigurations.admissionregistration.k8s.io
  validatingadmissionpolicies.admissionregistration.k8s.io validatingadmissionpolicybindings.admissionregistration.k8s.io
  mutatingadmissionpolicies.admissionregistration.k8s.io mutatingadmissionpolicybindings.admissionregistration.k8s.io`);
/** Kinds that a PUT creates. */
const createdByPut = ids(`
  runtimeclasses.node.k8s.io roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io
  clusterroles.rbac.authorization.k8s.io clusterrolebindings.rbac.authorization.k8s.io leases.coordination.k8s.io
  limitranges events services endpoints`);
/** Kinds that keep the status of a create. */
const keepsStatus = ids('nodes');
/** Kinds whose status subresource changes no metadata but managedFields. */
const statusKeepsMetadata = ids(`
  servicecidrs.networking.k8s.io volumeattachments.storage.k8s.io resourceclaims.resource.k8s.io
  validatingadmissionpolicies.admissionregistration.k8s.io flowschemas.flowcontrol.apiserver.k8s.io
  prioritylevelconfigurations.flowcontrol.apiserver.k8s.io apiservices.apiregistration.k8s.io`);
const statusKeepsLabels = ids('deployments.apps');
const statusKeepsOwners = ids('pods');
/** Kinds that validate the metadata of an update again: as an update (all others), as an update and as an object, as an object, or not. */
const looksAtBoth = ids(`
  configmaps secrets pods endpoints serviceaccounts persistentvolumeclaims namespaces nodes controllerrevisions.apps
  jobs.batch ingresses.networking.k8s.io ingressclasses.networking.k8s.io ipaddresses.networking.k8s.io
  roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io clusterroles.rbac.authorization.k8s.io
  clusterrolebindings.rbac.authorization.k8s.io storageclasses.storage.k8s.io csistoragecapacities.storage.k8s.io
  volumeattributesclasses.storage.k8s.io runtimeclasses.node.k8s.io deviceclasses.resource.k8s.io resourceclaims.resource.k8s.io
  resourceclaimtemplates.resource.k8s.io apiservices.apiregistration.k8s.io
  certificatesigningrequests.certificates.k8s.io`);
const looksAtWhole = ids(`
  persistentvolumes limitranges endpointslices.discovery.k8s.io flowschemas.flowcontrol.apiserver.k8s.io csinodes.storage.k8s.io
  volumeattachments.storage.k8s.io prioritylevelconfigurations.flowcontrol.apiserver.k8s.io
  validatingwebhookconfigurations.admissionregistration.k8s.io mutatingwebhookconfigurations.admissionregistration.k8s.io
  validatingadmissionpolicies.admissionregistration.k8s.io validatingadmissionpolicybindings.admissionregistration.k8s.io
  mutatingadmissionpolicies.admissionregistration.k8s.io mutatingadmissionpolicybindings.admissionregistration.k8s.io`);
const looksAtNothing = ids('events poddisruptionbudgets.policy');
const looksTwice = ids('persistentvolumes');
const statusLooksAtNothing = ids('poddisruptionbudgets.policy cronjobs.batch');
const statusLooksAtBoth = ids('certificatesigningrequests.certificates.k8s.io');
/** Kinds that accept finalizers without a domain. */
const plainFinalizers = ids(`
  events poddisruptionbudgets.policy leases.coordination.k8s.io runtimeclasses.node.k8s.io apiservices.apiregistration.k8s.io
  customresourcedefinitions.apiextensions.k8s.io
  validatingwebhookconfigurations.admissionregistration.k8s.io mutatingwebhookconfigurations.admissionregistration.k8s.io
  validatingadmissionpolicies.admissionregistration.k8s.io validatingadmissionpolicybindings.admissionregistration.k8s.io
  mutatingadmissionpolicies.admissionregistration.k8s.io mutatingadmissionpolicybindings.admissionregistration.k8s.io`);
/** Kinds whose deletion returns the object. */
const returned = ids(`
  pods services serviceaccounts namespaces persistentvolumes persistentvolumeclaims resourcequotas podtemplates
  storageclasses.storage.k8s.io volumeattributesclasses.storage.k8s.io volumeattachments.storage.k8s.io csinodes.storage.k8s.io
  csidrivers.storage.k8s.io deviceclasses.resource.k8s.io resourceclaims.resource.k8s.io resourceclaimtemplates.resource.k8s.io
  resourceslices.resource.k8s.io`);
/** Kinds that orphan their dependents by default. */
const orphans = ids('replicationcontrollers jobs.batch');
/** Kinds that are deleted in several steps, which other tests cover. */
const endsInSteps = ids('namespaces customresourcedefinitions.apiextensions.k8s.io');

/** Kinds whose status the server writes, with the condition that it writes last. */
const settled: Readonly<Record<string, string>> = {
  'apiservices.apiregistration.k8s.io': 'Available',
  'customresourcedefinitions.apiextensions.k8s.io': 'Established',
  'flowschemas.flowcontrol.apiserver.k8s.io': 'Dangling',
};

for (const set of [
  labelled,
  segments,
  fixed,
  counts,
  startsOnly,
  countsOnly,
  conditional,
  createdByPut,
  statusKeepsMetadata,
  returned,
  orphans,
])
  for (const id of set) if (!known.has(id)) throw new Error(`no sample of ${id}`);

const server = await runningServer(t);
const ask = httpClient(t, server);

interface Subject {
  readonly kind: KindSample;
  readonly at: string;
  readonly ask: HttpClient;
}
const merge = { type: 'application/merge-patch+json' };
const change = ({ at }: Subject, body: object, sub = ''): Promise<Answer> =>
  ask(`PATCH ${at}${sub}`, { body, ...merge });
const gone = async ({ at }: Subject): Promise<void> => {
  await ask(`DELETE ${at}`, { body: { propagationPolicy: 'Background', gracePeriodSeconds: 0 } });
};
const bodyWith = ({ body }: KindSample, metadata: object, more: object = {}): object => ({
  ...body,
  ...more,
  metadata: { ...body.metadata, ...metadata },
});

const moment = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const old = '2001-02-03T04:05:06Z';
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Returns the status with all times replaced. */
const timeless = (status: unknown): unknown =>
  JSON.parse(JSON.stringify(status ?? null), (_, value: unknown) =>
    typeof value === 'string' && moment.test(value) ? 'now' : value,
  );

async function create(t: Test, { kind, at }: Subject): Promise<void> {
  const plain = await ask(`POST ${kind.path}?dryRun=All`, { body: kind.body });
  t.equal(plain.status, 201, plain.text);
  const asOf = { creationTimestamp: old, deletionTimestamp: old, deletionGracePeriodSeconds: 3 };
  const sent = bodyWith(
    kind,
    { uid: 'x', selfLink: '/x', generation: 5, ...asOf },
    kind.status && { status: kind.status },
  );
  const before = Math.floor(Date.now() / 1000) * 1000; // times have whole seconds
  const { status, json } = await ask(`POST ${kind.path}`, { body: sent });
  t.equal(status, 201, 'created');
  const { uid, creationTimestamp, generation, resourceVersion, ...rest } = json.metadata as unknown as Metadata;
  t.match(uid, uuid, 'has a new uid');
  t.ok(Date.parse(creationTimestamp as string) >= before, 'has a new creationTimestamp');
  t.match(resourceVersion, /^[1-9]\d*$/);
  t.equal(generation, counts.has(kind.id) || startsOnly.has(kind.id) ? 1 : 5, 'the first generation');
  for (const field of ['selfLink', 'deletionTimestamp', 'deletionGracePeriodSeconds'])
    t.notHas(rest, { [field]: /./ }, field);
  if (keepsStatus.has(kind.id)) t.match(json['status'], kind.status, 'its status is kept');
  else t.same(timeless(json['status']), timeless(plain.json['status']), 'its status is the default');
  const again = await ask(`GET ${at}`);
  if (!settled[kind.id]) t.same(again.json, json, 'the answer is the stored object');
}

/** Checks which names the kind accepts. */
async function naming(t: Test, { kind }: Subject): Promise<void> {
  const segment = segments.has(kind.id);
  const label = labelled.has(kind.id);
  const maxLength = longest[kind.id] ?? (label ? 63 : 253);
  const long = 'a'.repeat(maxLength);
  const names: Record<string, boolean> = {
    ...{ '1a': true, [long]: true, [`${long}a`]: segment, 'a.b': !label, 'a:b': segment, A: segment, a_b: segment },
    ...{ '.': false, '..': false, 'a/b': false, 'a%b': false },
  };
  for (const [name, good] of Object.entries(names)) {
    const { status, json } = await ask(`POST ${kind.path}?dryRun=All`, { body: bodyWith(kind, { name }) });
    t.equal(status, good ? 201 : 422, name);
    if (!good) t.match(json.message, /^[\w.]+ ".*" is invalid: .*Invalid value: /);
  }
}

/** Checks that an invalid generateName is refused. */
async function generating(t: Test, { kind }: Subject): Promise<void> {
  const { name: _, ...metadata } = kind.body.metadata;
  const post = (more: object): Promise<Answer> =>
    ask(`POST ${kind.path}?dryRun=All`, { body: { ...kind.body, metadata: { ...metadata, ...more } } });
  const bad = await post({ generateName: 'a%' });
  t.equal(bad.status, 422);
  const fields = causesOf(bad).flatMap(cause => /^metadata\.\w+/.exec(cause) ?? []);
  const wanted = declared.has(kind.id) ? ['metadata.name'] : ['metadata.generateName', 'metadata.name'];
  t.same(fields, wanted);
  const none = await post({});
  t.ok(causesOf(none).includes('metadata.name: Required value: name or generateName is required'));
  if (labelled.has(kind.id) || segments.has(kind.id)) return;
  const long = await post({ name: 'a'.repeat(254) });
  const text = `metadata.name: Invalid value: "${'a'.repeat(254)}": must be no more than 253 ${declared.has(kind.id) ? 'bytes' : 'characters'}`;
  t.ok(causesOf(long).includes(text));
}

async function update(t: Test, subject: Subject): Promise<void> {
  const { kind, at } = subject;
  const done = settled[kind.id];
  let got = await ask(`GET ${at}`);
  while (done !== undefined && !JSON.stringify(got.json['status']).includes(done)) got = await ask(`GET ${at}`);
  const stored = got.json;
  const { resourceVersion, ...unversioned } = stored.metadata;
  const blind = await ask(`PUT ${at}`, { body: { ...stored, metadata: unversioned } });
  if (conditional.has(kind.id)) {
    t.equal(blind.status, 422, 'an update needs a resource version');
    t.same(causesOf(blind), ['metadata.resourceVersion: Invalid value: 0: must be specified for an update']);
  } else {
    t.equal(blind.status, 200, 'an update without a resource version is unconditional');
    t.equal(metadataOf(blind).resourceVersion, resourceVersion, 'nothing changed, nothing is written');
  }
  const same = await ask(`PUT ${at}`, { body: stored });
  t.equal(metadataOf(same).resourceVersion, resourceVersion, 'nothing changed, nothing is written');
  const stale = await ask(`PUT ${at}`, { body: { ...stored, metadata: { ...stored.metadata, resourceVersion: '1' } } });
  t.equal(stale.status, 409, 'another version is a conflict');
  t.match(
    stale.json.message,
    /: the object has been modified; please apply your changes to the latest version and try/,
  );
  const asOf = { creationTimestamp: old, generation: 77, selfLink: '/x' };
  const restored = await ask(`PUT ${at}`, { body: { ...stored, metadata: { ...stored.metadata, ...asOf } } });
  t.same(restored.json, stored, 'fields of the server cannot be changed');
  const named = await ask(`PUT ${at}`, { body: { ...stored, metadata: { ...stored.metadata, name: 'other' } } });
  t.equal(named.status, 400, 'the name cannot be changed');
  t.match(named.json.message, `the name of the object (other) does not match the name on the URL (${kind.name})`);
  const other = await ask(`PUT ${at}`, { body: { ...stored, metadata: { ...stored.metadata, uid: 'x' } } });
  t.equal(other.status, 409, 'the uid cannot be changed');
  t.match(other.json.message, 'Precondition failed: UID in precondition: x, UID in object meta: ');
}

/** Returns how often the kind validates metadata as an update, and as an object. */
function looks({ id }: KindSample): { readonly change: number; readonly whole: number } {
  if (looksTwice.has(id)) return { change: 0, whole: 2 };
  if (looksAtBoth.has(id)) return { change: 1, whole: 1 };
  if (looksAtWhole.has(id)) return { change: 0, whole: 1 };
  return { change: looksAtNothing.has(id) ? 0 : 1, whole: 0 };
}

/** Checks that a fault of metadata is reported once per validation. */
async function faults(t: Test, subject: Subject): Promise<void> {
  const { kind } = subject;
  const own = looks(kind);
  const bad = { metadata: { annotations: { 'bad key': 'x' } } };
  const causes = causesOf(await change(subject, bad));
  t.equal(causes.length, 2 + own.change + own.whole);
  t.match(causes[0], /^metadata\.annotations: Invalid value: "bad key": name part must consist of/);
  if (kind.status && !statusKeepsMetadata.has(kind.id)) {
    const more = statusLooksAtNothing.has(kind.id) ? 0 : statusLooksAtBoth.has(kind.id) ? 2 : 1;
    t.equal(causesOf(await change(subject, bad, '/status')).length, 2 + more, 'through the status');
  }
  const plain = await change(subject, { metadata: { finalizers: ['plain'] } });
  if (plainFinalizers.has(kind.id)) {
    t.same(metadataOf(plain)['finalizers'], ['plain']);
    await change(subject, { metadata: { finalizers: null } });
  } else {
    const text =
      'metadata.finalizers[0]: Invalid value: "plain": name is neither a standard finalizer name nor is it fully qualified';
    t.same(causesOf(plain), Array<string>(own.change + own.whole).fill(text));
  }
  const created = await ask(`POST ${kind.path}?dryRun=All`, { body: bodyWith(kind, { finalizers: ['plain'] }) });
  if (plainFinalizers.has(kind.id)) t.equal(created.status, 409, 'only the existing object is a conflict');
  else t.equal(causesOf(created).filter(cause => cause.startsWith('metadata.finalizers[0]')).length, 1);
}

async function generation(t: Test, subject: Subject): Promise<void> {
  const { kind } = subject;
  const counting = counts.has(kind.id) || countsOnly.has(kind.id);
  let last = metadataOf(await ask(`GET ${subject.at}`)).generation ?? 0;
  const bumps = async (body: object, expect: boolean, what: string): Promise<void> => {
    const answer = await change(subject, body);
    t.equal(answer.status, 200, answer.text);
    const now = metadataOf(answer).generation ?? 0;
    t.equal(now, last + (expect ? 1 : 0), what);
    last = now;
  };
  await bumps({ metadata: { labels: { l: 'm' } } }, countsLabels.has(kind.id), 'a label');
  await bumps({ metadata: { annotations: { l: 'm' } } }, countsAnnotations.has(kind.id), 'an annotation');
  if (kind.change) await bumps(kind.change, counting, 'the spec');
  if (kind.status) await bumps({ status: kind.status }, false, 'the status, which is ignored');
}

const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };

async function status(t: Test, subject: Subject): Promise<void> {
  const { kind, at } = subject;
  if (!kind.status) return;
  const before = (await ask(`GET ${at}`)).json;
  const metadata = {
    ...{ labels: { via: 'status' }, annotations: { via: 'status' }, finalizers: ['example.com/x'] },
    ownerReferences: [owner],
  };
  const answer = await change(subject, { metadata, ...kind.change, status: kind.status }, '/status');
  t.equal(answer.status, 200, answer.text);
  t.match(answer.json['status'], kind.status, 'the status is written');
  const { status: _new, metadata: given, ...rest } = answer.json;
  const { status: _old, metadata: had, ...previous } = before;
  t.same(rest, previous, 'nothing else is written');
  const now = given as unknown as Metadata;
  t.equal(now.generation, (had as unknown as Metadata).generation);
  const taken = (field: string, expect: boolean): void => {
    const wanted = (metadata as Record<string, unknown>)[field];
    if (expect) t.match(now[field], wanted, `${field} are written`);
    else t.same(now[field], (had as unknown as Metadata)[field], `${field} are kept`);
  };
  const none = statusKeepsMetadata.has(kind.id);
  taken('labels', !none && !statusKeepsLabels.has(kind.id));
  taken('annotations', !none);
  taken('finalizers', !none);
  taken('ownerReferences', !none && !statusKeepsOwners.has(kind.id));
  await change(subject, { metadata: { finalizers: null, ownerReferences: null } });
}

async function ending(t: Test, subject: Subject): Promise<void> {
  const { kind, at } = subject;
  const [one, two] = ['example.com/one', 'example.com/two'];
  const held = metadataOf(await change(subject, { metadata: { finalizers: [one, two] } }));
  const first = await ask(`DELETE ${at}`, { body: { propagationPolicy: 'Background' } });
  t.equal(first.status, 200);
  const marked = metadataOf(first);
  t.match(marked, { deletionTimestamp: /Z$/, deletionGracePeriodSeconds: 0, finalizers: [one, two] });
  t.equal(
    marked.generation,
    held.generation === undefined ? undefined : held.generation + 1,
    'the deletion increments the generation',
  );
  const second = await ask(`DELETE ${at}`, { body: { propagationPolicy: 'Background' } });
  const deletion = ({ deletionTimestamp, generation, finalizers }: Metadata): object => ({
    ...{ deletionTimestamp, generation, finalizers },
  });
  t.same(deletion(metadataOf(second)), deletion(marked), 'a second deletion changes nothing');
  if (!settled[kind.id]) t.same(second.json, first.json);
  const more = await change(subject, { metadata: { finalizers: [one, two, 'example.com/three'] } });
  t.equal(more.status, 422, 'no finalizer can be added');
  const text =
    'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/three"}';
  t.same(causesOf(more), Array<string>(1 + looks(kind).change).fill(text));
  const back = await change(subject, { metadata: { deletionTimestamp: null, labels: { late: 'yes' } } });
  t.match(metadataOf(back), { deletionTimestamp: marked['deletionTimestamp'], labels: { late: 'yes' } });
  const fewer = await change(subject, { metadata: { finalizers: [two] } });
  t.same(metadataOf(fewer)['finalizers'], [two]);
  const last = await change(subject, { metadata: { finalizers: null } });
  t.equal(last.status, 200);
  t.equal(metadataOf(last)['finalizers'], undefined);
  if (!settled[kind.id])
    t.equal(metadataOf(last).resourceVersion, metadataOf(fewer).resourceVersion, 'the last state is returned');
  t.equal((await ask(`GET ${at}`)).status, 404, kind.id);
}

async function removal(t: Test, subject: Subject): Promise<void> {
  const { kind, at } = subject;
  const [plural = '', ...group] = kind.id.split('.');
  const body = { propagationPolicy: 'Background' };
  const { json } = await ask(`POST ${kind.path}`, { body: kind.body });
  const { uid } = json.metadata as unknown as Metadata;
  for (const dryRun of [['All'], []]) {
    const answer = await ask(`DELETE ${at}`, { body: { ...body, dryRun } });
    t.equal(answer.status, 200);
    if (returned.has(kind.id))
      t.match(answer.json, { kind: kind.body.kind, metadata: { uid } }, 'the answer is the object');
    else {
      const details = { name: kind.name, ...(group.length > 0 && { group: group.join('.') }), kind: plural, uid };
      const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
      t.strictSame(answer.json, success, 'the answer is a Status');
    }
  }
  const missing = await ask(`DELETE ${at}`);
  t.equal(missing.status, 404);
  t.match(missing.json, {
    reason: 'NotFound',
    message: `${kind.id} "${kind.name}" not found`,
    details: { name: kind.name, kind: plural },
  });
  const put = await ask(`PUT ${at}`, { body: kind.body });
  t.equal(put.status, createdByPut.has(kind.id) ? 201 : 404, 'a PUT creates it, or is refused');
  if (put.status === 404) await ask(`POST ${kind.path}`, { body: kind.body });
  const bare = await ask(`DELETE ${at}`);
  t.equal(bare.status, 200);
  const finalizers = metadataOf(bare)['finalizers'];
  t.same(finalizers, orphans.has(kind.id) ? ['orphan'] : undefined, 'the default propagation policy');
  if (orphans.has(kind.id)) await change(subject, { metadata: { finalizers: null } });
  t.equal((await ask(`GET ${at}`)).status, 404);
}

for (const kind of everyKind) {
  t.test(kind.id, async t => {
    const subject: Subject = { kind, at: `${kind.path}/${kind.name}`, ask };
    await t.test('is created', t => create(t, subject));
    if (!fixed.has(kind.id)) {
      await t.test('names are validated', t => naming(t, subject));
      await t.test('generateName is validated', t => generating(t, subject));
    }
    await t.test('is updated', t => update(t, subject));
    await t.test('metadata is validated', t => faults(t, subject));
    await t.test('has a generation', t => generation(t, subject));
    await t.test('has a status', t => status(t, subject));
    if (endsInSteps.has(kind.id)) await gone(subject);
    else {
      await t.test('is deleted with finalizers', t => ending(t, subject));
      await t.test('is deleted', t => removal(t, subject));
    }
  });
}

t.test('generateName makes no IP address', async t => {
  const kind = everyKind.find(({ id }) => id === 'ipaddresses.networking.k8s.io') as KindSample;
  const body = { ...kind.body, metadata: { generateName: '10.9.0.' } };
  const answer = await ask(`POST ${kind.path}`, { body });
  t.equal(answer.status, 422);
  t.match(causesOf(answer), [
    /^metadata\.generateName: Invalid value: "10\.9\.0\.": must be a valid IP address/,
    /^metadata\.name: Invalid value: "10\.9\.0\.[^"]{5}": must be a valid IP address/,
  ]);
});

t.test('events ignore the propagation policy', async t => {
  const kind = everyKind.find(({ id }) => id === 'events') as KindSample;
  await ask(`POST ${kind.path}`, { body: kind.body });
  const answer = await ask(`DELETE ${kind.path}/${kind.name}`, { body: { propagationPolicy: 'Foreground' } });
  t.match(answer.json, { kind: 'Status', status: 'Success' });
  t.equal((await ask(`GET ${kind.path}/${kind.name}`)).status, 404);
});
