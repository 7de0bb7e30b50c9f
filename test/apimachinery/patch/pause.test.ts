/** The work for large objects is interrupted, with the same result. */
import t from 'tap';
import { nativeSchemaFor } from '../../../openapi/facts/native-schemas.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { apply, applyAsync } from '../../../apimachinery/patch/apply.js';
import { newFields } from '../../../apimachinery/patch/new-fields.js';
import { trackUpdate, trackUpdateAsync } from '../../../apimachinery/patch/update.js';
import { decodeNative } from '../../../apimachinery/codec/decode.js';
import { frozen } from './support.js';

const schema = nativeSchemaFor({ group: '', version: 'v1', kind: 'ConfigMap' });
if (!schema) throw new Error('no schema');

const configMap = (count: number, value: string, metadata: object = {}): KubeObject =>
  frozen({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', ...metadata },
    data: Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value])),
  });

t.test('pauses do not change the result', async t => {
  let pauses = 0;
  const pause = (): Promise<void> => {
    pauses++;
    return Promise.resolve();
  };
  const notConverted = (): Promise<undefined> => Promise.resolve(undefined);
  const input = { schema, version: 'v1', subresource: '', now: new Date('2026-01-01T00:00:00Z') };
  const managedFields = trackUpdate({ ...input, live: undefined, next: configMap(3, ''), manager: 'one' });
  const live = configMap(3, '', { managedFields });
  const cases = {
    'a new object': { live: undefined, next: configMap(3, 'x'), manager: 'two' },
    'a change': { live, next: configMap(4, 'x', { managedFields }), manager: 'two' },
  };
  for (const [name, given] of Object.entries(cases)) {
    const expect = trackUpdate({ ...input, ...given });
    t.strictSame(trackUpdate({ ...input, ...given, pause }), expect, `${name}: without waiting`);
    t.equal(pauses, 0);
    t.strictSame(await trackUpdateAsync({ ...input, ...given, pause }, notConverted), expect, name);
    t.ok(pauses >= 2, `${pauses} pauses`);
    pauses = 0;
    const applied = { ...input, live: given.live, applied: given.next, manager: 'm', force: true };
    if (given.live) applied.applied = configMap(4, 'y');
    const expected = apply(applied);
    t.strictSame(apply({ ...applied, pause }), expected, `${name}, applied`);
    t.equal(pauses, 0);
    t.strictSame(await applyAsync({ ...applied, pause }, notConverted), expected, `${name}, applied with pauses`);
    t.ok(pauses >= 5, `${pauses} pauses`);
    pauses = 0;
  }
});

t.test(
  'fields that are not applied any more are removed with pauses, too, and conflicts have the same answer',
  async t => {
    let pauses = 0;
    const pause = (): Promise<void> => {
      pauses++;
      return Promise.resolve();
    };
    const input = { schema, version: 'v1', subresource: '', now: new Date('2026-01-01T00:00:00Z'), force: true };
    const last = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(configMap(2, 'o')) };
    const created = apply({
      ...input,
      live: undefined,
      applied: configMap(9, 'm', { annotations: last }),
      manager: 'm',
    });
    const owned = { ...created.object.metadata, managedFields: created.managedFields ?? [] };
    const first = frozen({ ...created.object, metadata: owned });
    const second = apply({ ...input, live: first, applied: configMap(3, 'o'), manager: 'other' });
    const live = frozen({
      ...second.object,
      metadata: { ...second.object.metadata, managedFields: second.managedFields ?? [] },
    });
    const attempts = [
      { manager: 'm', applied: configMap(1, 'm'), force: true },
      { manager: 'other', applied: configMap(0, ''), force: false },
      { manager: 'kubectl', applied: configMap(2, 'k'), force: false },
      { manager: 'kubectl', applied: configMap(5, 'k'), force: false },
      { manager: 'm', applied: configMap(5, 'k'), force: false },
      { manager: 'kubectl', applied: configMap(2, 'k'.repeat(200_000)), force: true },
    ];
    for (const [i, attempt] of attempts.entries()) {
      const given = { ...input, live, ...attempt };
      const answer = await Promise.resolve()
        .then(() => apply(given))
        .catch((error: unknown) => error);
      const paused = await applyAsync({ ...given, pause }, () => Promise.resolve(undefined)).catch(
        (error: unknown) => error,
      );
      t.equal(answer instanceof Error, i === 3 || i === 4, `attempt ${i}`);
      if (answer instanceof Error) t.equal((paused as Error).message, answer.message);
      else t.strictSame(paused, answer);
      t.ok(pauses > 5, `${pauses} pauses`);
      pauses = 0;
    }
    t.equal(
      Object.keys(apply({ ...input, live, manager: 'm', applied: configMap(1, 'm') }).object['data'] as object).length,
      3,
    );
  },
);

t.test('objects with outlines that are too long to be cached have their own sets', t => {
  const all = (set: {
    readonly children?:
      ReadonlyMap<string, { readonly children?: ReadonlyMap<string, unknown> | undefined }> | undefined;
  }) => set.children?.get('f:data')?.children?.size;
  const fields = (count: number) => newFields(configMap(count, ''), schema, set => set);
  for (const count of [2000, 2001, 2000, 3]) t.equal(all(fields(count)), count);
  t.end();
});

t.test('texts that are nested too deep are refused', t => {
  const labels = (value: string): string => `{"kind":"ConfigMap","data":${value}}`;
  const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  t.throws(() => decodeNative(labels(nested(20_000)), schema), /exceeded max depth$/);
  t.throws(() => decodeNative(labels('['.repeat(20_000) + ']'.repeat(20_000)), schema), /exceeded max depth$/);
  const wide = Array.from({ length: 20_000 }, (_, i) => `"k${i}":"{[{"`).join(',');
  t.equal(
    Object.keys(decodeNative(labels(`{${wide}}`), schema).object['data'] as object).length,
    20_000,
    'brackets in texts',
  );
  t.end();
});
