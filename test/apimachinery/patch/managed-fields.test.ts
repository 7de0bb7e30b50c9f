import t from 'tap';
import type { JsonObject, KubeObject, ManagedFieldsEntry } from '../../../apimachinery/interface.js';
import {
  capUpdaters,
  managedFieldsFault,
  managersOf,
  readManagedFields,
  sameButTimes,
  textWithManagedFields,
  writeManagedFields,
  type Managers,
} from '../../../apimachinery/patch/managed-fields.js';
import { atOnce } from '../../../lib/time-slice.js';
import { fromScaleSteps, toScaleSteps } from '../../../apimachinery/patch/scale.js';
import { frozen } from './support.js';

type Spare = Partial<ManagedFieldsEntry>;

const entry = (manager: string, more: Spare = {}): ManagedFieldsEntry => ({
  manager,
  operation: 'Update',
  apiVersion: 'v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': { 'f:k': {} } },
  ...more,
});

function read(...entries: ManagedFieldsEntry[]): Managers {
  const managers = readManagedFields(frozen(entries));
  if (typeof managers === 'string') throw new Error(managers);
  return managers;
}

const object = (managedFields?: ManagedFieldsEntry[] | null): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...(managedFields !== undefined && { managedFields: managedFields as ManagedFieldsEntry[] }) },
});

const faultOf = (entries: ManagedFieldsEntry[] | undefined): string | undefined => atOnce(managedFieldsFault(entries));

const limited = (managers: Managers): Managers => atOnce(capUpdaters(managers, 'at once'));

const startOf = (live: KubeObject | undefined, next: KubeObject, subresource = ''): Managers =>
  atOnce(managersOf(live, next, subresource, 'at once'));

t.test('entries are written in the order of upstream', t => {
  const later = '2026-01-01T00:00:01Z';
  const sorted = [
    entry('b', { operation: 'Apply' }),
    entry('a', { operation: 'Apply', time: later }),
    { ...entry('c', { fieldsV1: { 'f:z': {} } }), time: undefined } as unknown as ManagedFieldsEntry,
    entry('a'),
    entry('a', { apiVersion: 'v2' }),
    entry('a', { apiVersion: 'v2', subresource: 'status' }),
    entry('0', { time: later }),
  ];
  const plain = JSON.parse(JSON.stringify(sorted)) as ManagedFieldsEntry[];
  t.strictSame(writeManagedFields(read(...[...plain].reverse())), plain);
  const live = frozen(plain);
  t.equal(writeManagedFields(read(...live), live), live, 'nothing changed: the live entries');
  t.equal(writeManagedFields(new Map()), undefined);
  const fresh = new Map([...read(plain[0] as ManagedFieldsEntry)].map(([id, m]) => [id, { ...m, entry: undefined }]));
  t.equal(
    JSON.stringify(writeManagedFields(fresh)),
    '[{"manager":"b","operation":"Apply","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:k":{}}}}]',
  );
  t.end();
});

t.test('times in other forms are compared by their seconds', t => {
  const times = [
    '2026-01-01T02:00:00+02:00',
    '2026-01-01T00:00:01Z',
    '2026-01-01T00:00:02.5Z',
    '2026-01-01T01:00:03+01:00',
  ];
  const entries = times.map((time, i) => entry(`m${9 - i}`, { time }));
  t.strictSame(
    writeManagedFields(read(...entries.toReversed()))?.map(({ time }) => time),
    times,
  );
  const untimed = { ...entry('z'), time: undefined } as unknown as ManagedFieldsEntry;
  t.equal(writeManagedFields(read(entry('a'), untimed))?.[0]?.manager, 'z', 'an entry without a time comes first');
  t.end();
});

t.test('invalid entries have the errors of upstream', t => {
  const rows: readonly (readonly [Spare, string | undefined])[] = [
    [{}, undefined],
    [{ operation: 'Patch' as 'Apply' }, 'operation must be `Apply` or `Update`'],
    [{ apiVersion: '' }, 'apiVersion must not be empty'],
    [{ fieldsType: '' as 'FieldsV1' }, 'missing fieldsType in managed fields entry 0'],
    [{ fieldsType: 'X' as 'FieldsV1' }, 'invalid fieldsType "X" in managed fields entry 0'],
  ];
  for (const [more, fault] of rows) t.equal(faultOf([entry('a', more)]), fault);
  t.match(faultOf([entry('a', { fieldsV1: { x: {} } })]), /^error decoding set: /);
  t.equal(faultOf(undefined), undefined);
  t.end();
});

t.test('a write starts from the managers of the new object or of the live one', t => {
  const stored = [entry('stored')];
  const names = (managers: Managers): string[] => [...managers.values()].map(m => m.manager);
  const rows: readonly (readonly [string, KubeObject, string, string[]])[] = [
    ['nothing given', object(), '', ['stored']],
    ['null', object(null), '', ['stored']],
    ['the same', object(structuredClone(stored)), '', ['stored']],
    ['[] resets', object([]), '', []],
    ['[{}] resets', object([{}]), '', []],
    ['given', object([entry('given')]), '', ['given']],
    ['nonsense', object([{ manager: 'x' }]), '', ['stored']],
    ['a subresource does not read them', object([entry('given')]), 'status', ['stored']],
  ];
  for (const [name, next, subresource, expect] of rows)
    t.strictSame(names(startOf(frozen(object(stored)), frozen(next), subresource)), expect, name);
  t.strictSame(names(startOf(undefined, object([entry('given')]))), ['given']);
  t.equal(startOf(object([{ manager: 'x' }]), object()).size, 0);
  t.end();
});

t.test('entries that clients send are written in order', t => {
  const given = entry('a', { fieldsV1: { 'f:b': {}, 'f:a': { '.': {} } } });
  const [written] = writeManagedFields(startOf(undefined, frozen(object([given])))) ?? [];
  t.equal(JSON.stringify(written?.fieldsV1), '{"f:a":{},"f:b":{}}');
  t.end();
});

t.test('updaters in excess of ten are merged', t => {
  const at = (i: number): string => `2026-01-01T00:00:${String(i).padStart(2, '0')}Z`;
  const updater = (i: number, more: Spare = {}): ManagedFieldsEntry =>
    entry(`m${i}`, { time: at(i), fieldsV1: { [`f:f${i}`]: {} }, ...more });
  const ten = Array.from({ length: 10 }, (_, i) => updater(i));
  t.equal(limited(read(...ten)).size, 10);
  t.equal(limited(read(...ten, entry('x', { operation: 'Apply' }))).size, 11, 'appliers do not count');
  const names = (managers: Managers): string[] =>
    (writeManagedFields(managers) ?? []).map(e => `${e.manager} ${e.apiVersion} ${e.time}`);
  const capped = limited(read(...ten, updater(10), updater(11)));
  t.strictSame(names(capped).slice(0, 2), [`ancient-changes v1 ${at(2)}`, `m3 v1 ${at(3)}`]);
  t.equal(capped.size, 10);
  const [ancient] = writeManagedFields(capped) ?? [];
  t.strictSame(ancient?.fieldsV1, { 'f:f0': {}, 'f:f1': {}, 'f:f2': {} });
  const again = limited(read(...(writeManagedFields(capped) ?? []), updater(12)));
  t.strictSame(names(again).slice(0, 2), [`ancient-changes v1 ${at(3)}`, `m4 v1 ${at(4)}`]);
  const mixed = [updater(0, { apiVersion: 'v2' }), ...ten.slice(1), updater(10), updater(11)];
  t.strictSame(
    names(limited(read(...mixed))).slice(0, 2),
    [`m0 v2 ${at(0)}`, `ancient-changes v1 ${at(3)}`],
    'by version',
  );
  t.end();
});

t.test('entries that differ only in time are the same', t => {
  const later = { time: '2026-02-01T00:00:00Z' };
  t.ok(sameButTimes([entry('a')], [entry('a', later)]));
  t.notOk(sameButTimes([entry('a')], [entry('b', later)]));
  t.notOk(sameButTimes([entry('a')], undefined));
  t.ok(sameButTimes(undefined, undefined));
  t.notOk(sameButTimes([entry('a')], [entry('a'), entry('b')]));
  t.end();
});

t.test('ownership of replicas is mapped to the Scale and back', t => {
  const version = 'apps/v1';
  const paths = { 'apps/v1': '.spec.replicas', 'apps/v0': undefined };
  const owner = (manager: string, fieldsV1: JsonObject, more: Spare = {}): ManagedFieldsEntry =>
    entry(manager, { apiVersion: version, fieldsV1, ...more });
  const both = { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } };
  const only = { 'f:spec': { 'f:replicas': {} } };
  const parent = frozen([
    owner('alice', both, { operation: 'Apply' }),
    owner('bob', { 'f:spec': { 'f:paused': {} } }),
    owner('gone', both, { apiVersion: 'apps/v9' }),
    owner('old', both, { apiVersion: 'apps/v0' }),
    owner('scaler', only, { subresource: 'scale' }),
  ]);
  const seen = atOnce(toScaleSteps(parent, paths)) ?? [];
  t.strictSame(
    seen.map(e => [e.manager, e.apiVersion, e.fieldsV1]),
    [
      ['alice', 'autoscaling/v1', only],
      ['scaler', 'autoscaling/v1', only],
    ],
  );
  const kept = atOnce(fromScaleSteps(parent, seen, version, paths)) ?? [];
  t.strictSame(
    kept.map(e => [e.manager, e.apiVersion, e.time !== undefined]),
    [
      ['alice', 'apps/v1', true],
      ['scaler', 'apps/v1', false],
      ['bob', 'apps/v1', true],
      ['old', 'apps/v0', true],
    ],
    'an updater of the scale has no time',
  );
  const applied = entry('hpa', {
    operation: 'Apply',
    apiVersion: 'autoscaling/v1',
    fieldsV1: only,
    subresource: 'scale',
  });
  const taken = atOnce(fromScaleSteps(parent, [applied], version, paths));
  t.strictSame(
    taken?.map(e => [e.manager, e.fieldsV1, e.time !== undefined]),
    [
      ['hpa', only, false],
      ['alice', { 'f:spec': { 'f:paused': {} } }, true],
      ['bob', { 'f:spec': { 'f:paused': {} } }, true],
      ['old', both, true],
    ],
  );
  t.equal(atOnce(toScaleSteps(undefined, paths)), undefined);
  t.equal(atOnce(fromScaleSteps(undefined, undefined, version, paths)), undefined);
  t.end();
});

t.test('the text of metadata is its JSON, even if other parts look like managedFields', t => {
  const fields = { 'f:data': { '.': {}, 'f:"fieldsV1":0': {} } };
  const entries = [entry('"fieldsV1":0', { fieldsV1: fields }), entry('b'), entry('c', { fieldsV1: fields })];
  const odd = { managedFields: '0', '"managedFields":0': '"managedFields":0' };
  const metadata: KubeObject['metadata'] = { name: 'a', labels: odd, annotations: odd, managedFields: entries };
  const after = { spec: { managedFields: 0, fieldsV1: 0 } };
  readManagedFields(entries); // known from now on
  for (const time of ['first', 'again']) {
    t.equal(
      atOnce(textWithManagedFields(metadata, each => ({ metadata: each, ...after }))),
      JSON.stringify({ metadata, ...after }),
      time,
    );
  }
  t.equal(atOnce(textWithManagedFields({ name: 'a' }, each => each)), '{"name":"a"}');
  t.end();
});
