/** Checks the lifecycle of an object of any kind, as the conformance tests "... API operations" and "lifecycle of ..." do. */
import type { Test } from 'tap';
import {
  codeOf,
  type Draft,
  type Event,
  type Events,
  isGone,
  type Kit,
  type Patch,
  type PatchType,
  type Resource,
  type Thing,
  unique,
  version,
} from './kit.js';

export interface Life {
  /** The resource, such as `networking.k8s.io/v1/ingresses`. */
  readonly of: string;
  readonly kind: string;
  readonly namespaced?: boolean;
  /** Names of the objects, if the kind restricts them. */
  readonly names?: readonly [string, string, string];
  readonly draft: Draft;
  /** A merge patch, whose fields the patched object must have. */
  readonly change?: Patch;
  /** A merge patch for each of these subresources, likewise. */
  readonly parts?: Readonly<Record<string, Patch>>;
  /** Whether writes of a subresource may change annotations. */
  readonly annotatesParts?: boolean;
}

interface Versions {
  readonly name?: string;
  readonly versions: readonly { readonly groupVersion: string }[];
}

async function isDiscovered(t: Test, kit: Kit, { of, kind, namespaced = false, parts = {} }: Life): Promise<void> {
  const [group = '', , plural = ''] = of.split('/').length === 3 ? of.split('/') : ['', ...of.split('/')];
  const apiVersion = of.slice(0, of.lastIndexOf('/'));
  const serves = ({ versions = [] }: Partial<Versions> = {}): boolean =>
    versions.some(({ groupVersion }) => groupVersion === apiVersion);
  if (group !== '') {
    const { groups } = (await kit.read('/apis')) as unknown as { groups: readonly Versions[] };
    t.ok(serves(groups.find(({ name }) => name === group)), `${apiVersion} in /apis`);
    t.ok(serves(await kit.read(`/apis/${group}`)), `${apiVersion} in /apis/${group}`);
  }
  const { groupVersion, resources } = (await kit.read(group === '' ? '/api/v1' : `/apis/${apiVersion}`)) as unknown as {
    groupVersion: string;
    resources: readonly { name: string; kind: string; namespaced: boolean }[];
  };
  t.equal(groupVersion, apiVersion);
  for (const name of [plural, ...Object.keys(parts).map(part => `${plural}/${part}`)])
    t.match(
      resources.find(each => each.name === name),
      { name, kind, namespaced },
      `${name} in ${apiVersion}`,
    );
}

const annotated = (thing: Thing, name: string): boolean => thing.metadata.annotations?.[name] === 'true';

/** Checks that the patch is the event MODIFIED, and that all events before it are, too. */
async function expectChange(t: Test, events: Events): Promise<void> {
  const seen: string[] = [];
  const last: Event = await events.until(({ type, object }) => {
    seen.push(type);
    return annotated(object, 'patched');
  });
  t.ok(
    seen.every(type => type === 'MODIFIED'),
    `all events are MODIFIED (${last.object.metadata.name})`,
  );
  events.stop();
}

export async function livesThrough(t: Test, kit: Kit, life: Life): Promise<void> {
  await isDiscovered(t, kit, life);
  const { of, kind, names, draft, change = {}, parts = {} } = life;
  const namespace = life.namespaced ? await kit.namespace() : undefined;
  const [here, everywhere] = [kit.of(of, namespace), kit.of(of)];
  const label = unique('life');
  const chosen = `labelSelector=test=${label}`;
  const make = (index: number): Promise<Thing> => {
    const name = names?.[index];
    const { labels, ...rest } = (draft.metadata ?? {}) as { labels?: object };
    const own = {
      ...rest,
      ...(name === undefined ? { generateName: 'e2e-' } : { name }),
      labels: { ...labels, test: label },
    };
    return here.create({ ...draft, metadata: own }, 'fieldValidation=Strict');
  };
  await make(0);
  await make(1);
  const made = await make(2);
  const { name, uid } = made.metadata;
  t.match(made, { kind, metadata: { uid: /./, creationTimestamp: /Z$/ } }, 'is created');
  const again = { ...draft, metadata: { ...draft.metadata, name } };
  t.equal(await codeOf(here.create(again)), 409, 'cannot be created twice');
  t.equal((await here.get(name)).metadata.uid, uid, 'can be read');

  const list = await here.list(chosen);
  t.equal(list.items.length, 3, 'is listed');
  t.equal((await everywhere.list(chosen)).items.length, 3, 'is listed, in all namespaces');
  t.equal((await here.list(`fieldSelector=metadata.name=${name}`)).items.length, 1, 'is listed by name');
  const from = `resourceVersion=${list.metadata.resourceVersion}&${chosen}`;
  const watches = [await here.watch(from), await everywhere.watch(from)];

  const patched = await here.patch(name, { metadata: { annotations: { patched: 'true' } }, ...change });
  t.ok(annotated(patched, 'patched'), 'is patched');
  t.match(patched, change, 'has patched fields');
  t.ok(version(patched) > version(made), 'has a newer resource version');
  const updated = await here.update(name, thing => ((thing.metadata.annotations ??= {})['updated'] = 'true'));
  t.ok(annotated(updated, 'updated') && annotated(updated, 'patched'), 'is updated');
  for (const events of watches) await expectChange(t, events);
  await patchesInEveryWay(t, here, life, name);
  for (const [part, patch] of Object.entries(parts)) await hasPart(t, { here, life, name, uid, part, patch });

  await here.remove(name);
  t.ok(isGone(await here.find(name)), 'is deleted');
  const left = async (): Promise<number> => (await here.list(chosen)).items.filter(each => !isGone(each)).length;
  t.equal(await left(), 2, 'the other objects are kept');
  await here.removeAll(chosen);
  t.equal(await left(), 0, 'all are deleted');
}

async function patchesInEveryWay(t: Test, here: Resource, life: Life, name: string): Promise<void> {
  const ways = {
    strategic: { metadata: { annotations: { strategic: 'true' } } },
    json: [{ op: 'add', path: '/metadata/annotations/json', value: 'true' }],
    apply: {
      apiVersion: life.of.slice(0, life.of.lastIndexOf('/')),
      kind: life.kind,
      metadata: { name, annotations: { apply: 'true' } },
    },
  } as const;
  for (const way of ['strategic', 'json', 'apply'] as const)
    t.ok(annotated(await here.patch(name, ways[way], way), way), `is patched by ${way}`);
}

interface Part {
  readonly here: Resource;
  readonly life: Life;
  readonly name: string;
  readonly uid: string;
  readonly part: string;
  readonly patch: Patch;
}

/** Checks a subresource that returns the whole object and writes a part of it. */
async function hasPart(t: Test, { here, life, name, uid, part, patch }: Part): Promise<void> {
  const place = `${name}/${part}`;
  t.match(await here.get(place), { kind: life.kind, metadata: { name, uid } }, `${part} can be read`);
  const annotations = { [`patched-${part}`]: 'true' };
  const patched = await here.patch(place, { metadata: { annotations }, ...patch });
  t.match(patched, { ...patch, ...(life.annotatesParts ? { metadata: { annotations } } : {}) }, `${part} is patched`);
  const apiVersion = life.of.slice(0, life.of.lastIndexOf('/'));
  const ways: readonly (readonly [PatchType, unknown])[] = [
    ['strategic', patch],
    ['json', Object.entries(patch).map(([field, value]) => ({ op: 'add', path: `/${field}`, value }))],
    ['apply', { apiVersion, kind: life.kind, metadata: { name }, ...patch }],
  ];
  for (const [way, body] of ways) t.match(await here.patch(place, body, way), patch, `${part} is patched by ${way}`);
  const again = await here.update(place, thing => void Object.assign(thing, structuredClone(patch)));
  t.match(again, patch, `${part} is updated`);
}
