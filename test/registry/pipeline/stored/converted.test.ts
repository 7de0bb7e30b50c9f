/** Stored objects in the version of a request, and in the current storage version if they were stored in another one. */
import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { internal } from '../../../../apimachinery/errors/status.js';
import type { CustomResourceDefinition } from '../../../../registry/dynamic/crd.js';
import { type Conversion, define } from '../../../../registry/dynamic/define.js';
import type { ResourceDefinition, VersionDefinition } from '../../../../registry/interface.js';
import type { Stored } from '../../../../registry/pipeline/interface.js';
import {
  cachedView,
  convertAll,
  currentObject,
  isConverted,
  loadViews,
  requestedView,
  toCurrentVersion,
} from '../../../../registry/pipeline/stored/converted.js';
import { layoutOf } from '../../../../registry/pipeline/stored/layout.js';
import { storedCodec } from '../../../../registry/pipeline/stored/stored.js';
import type { Revision } from '../../../../storage/interface.js';
import { customKind, object, text, version } from '../../../custom-kinds.js';
import { configmaps } from '../../serve.js';
import { openDeps } from '../deps.js';

interface Options {
  readonly conversion?: Conversion;
  /** The versions in which objects may be stored; v2 is the storage version. */
  readonly storedVersions?: readonly string[];
}

/** Returns the definition of Widgets, whose versions have different fields. */
function definitionOf({ conversion, storedVersions = ['v2'] }: Options = {}): ResourceDefinition {
  const versions = [
    version('v1', object({ spec: object({ old: text, both: text }) }), { storage: false }),
    version('v2', object({ spec: object({ young: text, both: text }) })),
  ];
  const crd = { ...customKind('Widget', versions), status: { storedVersions } } as unknown as CustomResourceDefinition;
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
  return define(crd, { names, isTerminating: () => false, ...(conversion && { conversion }) });
}

/** Returns a request for a version. */
function scopeOf(
  definition: ResourceDefinition,
  name: string,
): { definition: ResourceDefinition; version: VersionDefinition } {
  const found = definition.versions.find(version => version.name === name);
  if (!found) throw new Error(`no ${name}`);
  return { definition, version: found };
}

/** A conversion that copies the spec, and counts what it is asked for, as `VERSION NAMES`. */
class CountingConversion {
  readonly asked: string[] = [];
  failure: Error | undefined;

  constructor(canConvertAll = false) {
    this.conversion = {
      rulesVersion: 'requested',
      convert: (object, toVersion) =>
        Promise.resolve().then(() => this.#converted([object], toVersion)[0] as KubeObject),
      ...(canConvertAll && {
        convertAll: (objects: readonly KubeObject[], toVersion: string) =>
          Promise.resolve().then(() => this.#converted(objects, toVersion)),
      }),
    };
  }

  readonly conversion: Conversion;

  #converted(objects: readonly KubeObject[], toVersion: string): readonly KubeObject[] {
    this.asked.push(`${toVersion} ${objects.map(({ metadata }) => metadata.name).join()}`);
    if (this.failure) throw this.failure;
    return objects.map(object => ({ ...object, apiVersion: `example.com/${toVersion}` }));
  }
}

/** Returns a Widget as it is in the store, in this version. */
function storedIn(definition: ResourceDefinition, version: string, name = 'a'): Stored {
  const codec = storedCodec(layoutOf(definition, { freeze: true }));
  const spec = { both: 'b', ...(version === 'v1' ? { old: 'o' } : { young: 'y' }) };
  const metadata = { name, namespace: 'default' };
  const json = JSON.stringify({ apiVersion: `example.com/${version}`, kind: 'Widget', metadata, spec });
  return codec.decode(Buffer.from(json), `/registry/example.com/widgets/default/${name}`, 7 as Revision);
}

const specOf = (object: KubeObject | undefined): unknown => object?.['spec'];
const namesOf = (objects: readonly KubeObject[] = []): unknown => objects.map(({ metadata }) => metadata.name);

t.test(
  'versions are converted if there is a conversion, or if objects are stored in several with other fields',
  async t => {
    const { conversion } = new CountingConversion();
    t.equal(isConverted(definitionOf()), false);
    t.equal(isConverted(definitionOf({ storedVersions: ['v1', 'v2'] })), true);
    t.equal(isConverted(definitionOf({ conversion })), true);
    const { definition } = await openDeps(t);
    t.equal(isConverted(definition(configmaps)), false);
    const autoscalers = { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers' };
    t.ok(definition(autoscalers).convert, 'a native kind has a conversion');
    t.equal(isConverted(definition(autoscalers)), false, 'which is part of its encoding');
  },
);

t.test('an object is converted once for all requests of a version', async t => {
  const counting = new CountingConversion();
  const definition = definitionOf(counting);
  const [v1, v2] = [scopeOf(definition, 'v1'), scopeOf(definition, 'v2')];
  const stored = storedIn(definition, 'v2');
  t.equal(cachedView(v1.version, stored), undefined);
  const both = Promise.all([requestedView(v1, stored), requestedView(v1, stored)]);
  t.equal(cachedView(v1.version, stored), undefined, 'it is not there before the conversion ends');
  const [first, second] = await both;
  t.equal(first, second);
  t.match(first, { apiVersion: 'example.com/v1', metadata: { name: 'a', resourceVersion: '7' } });
  t.equal(await requestedView(v1, stored), first);
  t.equal(cachedView(v1.version, stored), first);
  t.equal(cachedView(v2.version, stored), undefined, 'another version');
  t.equal(cachedView(v1.version, storedIn(definition, 'v2')), undefined, 'another object');
  t.same(counting.asked, ['v1 a']);
});

t.test('a failed conversion is tried again', async t => {
  const counting = new CountingConversion();
  const definition = definitionOf(counting);
  const [v1, stored] = [scopeOf(definition, 'v1'), storedIn(definition, 'v2')];
  counting.failure = internal('no answer');
  await t.rejects(async () => requestedView(v1, stored), counting.failure);
  counting.failure = undefined;
  t.match(await requestedView(v1, stored), { apiVersion: 'example.com/v1' });
  t.same(counting.asked, ['v1 a', 'v1 a']);
});

t.test('without a conversion the fields are those of the requested version', async t => {
  const definition = definitionOf({ storedVersions: ['v1', 'v2'] });
  t.strictSame(specOf(await requestedView(scopeOf(definition, 'v2'), storedIn(definition, 'v1'))), { both: 'b' });
  t.strictSame(specOf(await requestedView(scopeOf(definition, 'v1'), storedIn(definition, 'v1'))), {
    both: 'b',
    old: 'o',
  });
});

t.test('an object of an older storage version is read in the current one', async t => {
  const counting = new CountingConversion();
  const definition = definitionOf({ ...counting, storedVersions: ['v1', 'v2'] });
  const old = storedIn(definition, 'v1');
  const current = await toCurrentVersion(definition, old);
  t.same([current.key, current.revision], [old.key, old.revision]);
  t.match(current.object, { apiVersion: 'example.com/v2', metadata: { name: 'a' } });
  t.equal(current.json.toString(), JSON.stringify(current.object));
  t.equal(await toCurrentVersion(definition, old), current, 'it is made once');
  t.equal(await currentObject(definition, old), current.object);
  const young = storedIn(definition, 'v2');
  t.equal(await toCurrentVersion(definition, young), young, 'one of the storage version is as it is stored');
  t.equal(await currentObject(definition, young), young.object);
  t.same(counting.asked, ['v2 a']);
});

t.test('where all objects have the storage version none is looked at', async t => {
  const counting = new CountingConversion();
  const definition = definitionOf(counting);
  const stored = storedIn(definition, 'v1');
  t.equal(await toCurrentVersion(definition, stored), stored);
  const items = [stored];
  t.same(await convertAll(scopeOf(definition, 'v2'), items), { items });
  t.same(counting.asked, []);
});

t.test('a list is converted to the requested version in its order, in one call if the kind can', async t => {
  for (const [canConvertAll, asked] of [
    [false, ['v1 c', 'v1 a', 'v1 b', 'v1 d']],
    [true, ['v1 c', 'v1 a,b,d']],
  ] as const) {
    const counting = new CountingConversion(canConvertAll);
    const definition = definitionOf(counting);
    const v1 = scopeOf(definition, 'v1');
    const items = ['a', 'b', 'c', 'd'].map(name => storedIn(definition, 'v2', name));
    const held = await requestedView(v1, items[2] as Stored);
    const { items: same, views } = await convertAll(v1, items);
    t.equal(same, items);
    t.same(namesOf(views), ['a', 'b', 'c', 'd']);
    t.equal(views?.[2], held, 'what is in memory is not converted again');
    t.same(counting.asked, asked);
    t.same(
      items.map(item => cachedView(v1.version, item)?.metadata.name),
      ['a', 'b', 'c', 'd'],
      'all are found now',
    );
    await loadViews(v1, items);
    t.same(counting.asked, asked);
  }
});

t.test('a list in the storage version has stored objects, those of older versions converted', async t => {
  for (const [canConvertAll, asked] of [
    [false, ['v2 b', 'v2 d']],
    [true, ['v2 b,d']],
  ] as const) {
    const counting = new CountingConversion(canConvertAll);
    const definition = definitionOf({ ...counting, storedVersions: ['v1', 'v2'] });
    const versions = { a: 'v2', b: 'v1', c: 'v2', d: 'v1' };
    const items = Object.entries(versions).map(([name, version]) => storedIn(definition, version, name));
    const { items: current, views } = await convertAll(scopeOf(definition, 'v2'), items);
    t.equal(views, undefined);
    t.same(
      current.map(({ object }) => [object.apiVersion, object.metadata.name]),
      [...['a', 'b', 'c', 'd'].map(name => ['example.com/v2', name])],
    );
    t.same([current[0], current[2]], [items[0], items[2]]);
    t.equal(current[0], items[0]);
    t.same(counting.asked, asked);
    t.equal(current[1], await toCurrentVersion(definition, items[1] as Stored), 'as a read of the object');
  }
});

t.test('a list that needs no conversion is the list itself', async t => {
  const definition = definitionOf();
  const items = [storedIn(definition, 'v2')];
  const answer = await convertAll(scopeOf(definition, 'v1'), items);
  t.equal(answer.items, items);
  t.notOk('views' in answer, 'only apiVersion differs');
});

t.test('a list fails with the conversion of any object, which is tried again', async t => {
  for (const canConvertAll of [false, true]) {
    const counting = new CountingConversion(canConvertAll);
    const definition = definitionOf(counting);
    const v1 = scopeOf(definition, 'v1');
    const items = ['a', 'b'].map(name => storedIn(definition, 'v2', name));
    counting.failure = internal('no answer');
    await t.rejects(convertAll(v1, items), counting.failure);
    counting.failure = undefined;
    t.same(namesOf((await convertAll(v1, items)).views), ['a', 'b']);
  }
});

t.test('an empty list is converted without a call', async t => {
  const counting = new CountingConversion(true);
  const definition = definitionOf(counting);
  t.same(await convertAll(scopeOf(definition, 'v1'), []), { items: [], views: [] });
  t.same(counting.asked, []);
});

t.test('a definition without its storage version is a mistake of the program', async t => {
  const definition = { ...definitionOf({ storedVersions: ['v1', 'v2'] }), storageVersion: 'v3' };
  t.throws(() => toCurrentVersion(definition, storedIn(definitionOf(), 'v1')), {
    message: 'widgets has no version v3',
  });
});
