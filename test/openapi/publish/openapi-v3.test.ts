import t from 'tap';
import { atOnce } from '../../../lib/time-slice.js';
import { groupVersions } from '../../../openapi/publish/group-versions.js';
import { groupVersionDocument, smallDocuments } from '../../../openapi/publish/openapi-v3.js';
import { recorded } from '../../data.js';
import { comparable, type Fields } from './comparable.js';
import { nativePublished, sourceOf } from './sources.js';

interface Document extends Fields {
  paths: Record<string, Fields>;
  components: { schemas?: Record<string, Fields> };
}

t.test('documents of the native group-versions are those of kube-apiserver', async t => {
  const upstream = recorded('upstream/openapi-v3.json') as Record<string, Document>;
  const entries = groupVersions(sourceOf(nativePublished()));
  const compared = new Set<string>();
  for (const entry of entries) {
    const path = entry.group === '' ? 'api/v1' : `apis/${entry.group}/${entry.version}`;
    compared.add(path);
    const given = comparable(atOnce(groupVersionDocument(entry, {}))) as Document;
    const expect = comparable(upstream[path]) as Document;
    t.same(Object.keys(given.paths), Object.keys(expect.paths).sort(), `${path}: paths`);
    for (const [name, item] of Object.entries(expect.paths)) t.same(given.paths[name], item, name);
    t.same(Object.keys(given.components.schemas ?? {}), Object.keys(expect.components.schemas ?? {}).sort(), path);
    for (const [name, schema] of Object.entries(expect.components.schemas ?? {}))
      t.same(given.components.schemas?.[name], schema, `${path}: ${name}`);
    t.same({ ...given, paths: {}, components: {} }, { ...expect, paths: {}, components: {} });
  }
  const groups = [...new Set(entries.map(e => e.group)), 'internal.apiserver.k8s.io'];
  for (const [path, make] of smallDocuments(groups, undefined)) {
    if (path.startsWith('.well-known')) continue; // not recorded
    compared.add(path);
    t.same(comparable(make()), comparable(upstream[path]), path);
  }
  t.same(
    Object.keys(upstream).filter(path => !compared.has(path)),
    ['logs'],
    'all upstream documents but those of node logs',
  );
});

t.test('enums are published; those of lists and maps in their items', async t => {
  const [entry] = groupVersions(sourceOf(nativePublished(r => r.group === '')));
  const schemas = (entry && atOnce(groupVersionDocument(entry, {})).components.schemas) as Record<
    string,
    { properties: unknown }
  >;
  t.match(schemas['io.k8s.api.core.v1.Container']?.properties, {
    imagePullPolicy: { type: 'string', enum: ['Always', 'IfNotPresent', 'Never'] },
  });
  t.match(schemas['io.k8s.api.core.v1.PersistentVolumeClaimSpec']?.properties, {
    accessModes: {
      type: 'array',
      items: { type: 'string', enum: ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'] },
    },
  });
  t.match(schemas['io.k8s.api.core.v1.PersistentVolumeClaimStatus']?.properties, {
    allocatedResourceStatuses: { type: 'object', additionalProperties: { type: 'string', enum: [/Controller/] } },
  });
});
