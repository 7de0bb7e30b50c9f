/** Values whose bytes are not used for a while release their buffers, and can be read as before. */
import t, { type Test } from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { type BytesHolder, RecentBytes } from '../../../../lib/compression/recent-bytes.js';
import type { EncodedDraft } from '../../../../registry/pipeline/stored/interface.js';
import { storedCodec } from '../../../../registry/pipeline/stored/stored.js';
import type { StoredVersion } from '../../../../registry/pipeline/stored/stored-version.js';
import type { Revision } from '../../../../storage/interface.js';
import { until } from '../../../storage/until.js';
import { configMapLayout } from './config-map-layout.js';

const periodMs = 5;
const revision = (n: number): Revision => n as Revision;

const configMap = (text: string, note: string): KubeObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'a', uid: 'u-1', creationTimestamp: '2026-01-01T00:00:00Z' },
  data: { text: text.repeat(100), note },
});

/** Records when a holder was compacted. */
class Marked implements BytesHolder {
  usedAt = 0;
  compacted = 0;
  compact(): void {
    this.compacted++;
  }
}

/** A holder that is used in each period until `isInUse` is false. */
class Used implements BytesHolder {
  isInUse = true;
  compacted = 0;
  #usedAt = 0;
  readonly #recent: RecentBytes;

  constructor(recent: RecentBytes) {
    this.#recent = recent;
  }

  get usedAt(): number {
    if (this.isInUse) this.#usedAt = this.#recent.now;
    return this.#usedAt;
  }

  set usedAt(period: number) {
    this.#usedAt = period;
  }

  compact(): void {
    this.compacted++;
  }
}

function recentBytes(t: Test, hasRoom = () => true): RecentBytes {
  const recent = new RecentBytes({ periodMs, hasRoom });
  t.teardown(() => recent.close());
  return recent;
}

/** Resolves when all holders so far have been compacted. */
async function compacted(recent: RecentBytes): Promise<void> {
  const last = new Marked();
  recent.note(last);
  await until('it is compacted', () => last.compacted > 0);
}

t.test('used values stay, unused ones are compacted once', async t => {
  const recent = recentBytes(t);
  const [used, idle] = [new Used(recent), new Marked()];
  recent.note(used);
  recent.note(idle);
  await until('the idle one is compacted', () => idle.compacted > 0);
  t.equal(used.compacted, 0);
  used.isInUse = false;
  await until('so is the other, when nobody uses it any more', () => used.compacted > 0);
  t.equal(idle.compacted, 1);
});

t.test('nothing is compacted if the heap is nearly full', async t => {
  let full = true;
  const recent = recentBytes(t, () => !full);
  const early = new Marked();
  recent.note(early);
  await until('its period has passed', () => {
    recent.note(new Marked());
    return recent.now > 10;
  });
  t.equal(early.compacted, 0);
  full = false;
  await compacted(recent);
  t.equal(early.compacted, 0, 'it keeps its buffer until it is used again');
});

for (const [name, text] of [
  ['ascii', 'some text. '],
  ['others', 'Zeichen: äöü € 𝄞. '],
] as const)
  t.test(`values are read as before: ${name}`, async t => {
    const recent = recentBytes(t);
    const codec = storedCodec(configMapLayout, recent);
    const plain = storedCodec(configMapLayout);
    const make = (from: typeof codec, note: string, at: number): { draft: EncodedDraft; stored: StoredVersion } => {
      const draft = from.draft('/k', configMap(text, note));
      return { draft, stored: from.adopt?.(draft, '/k', revision(at)) };
    };
    const expected = ['one', 'two', 'three'].map((note, i) => make(plain, note, i + 7).stored.json.toString());
    const [one, two, three] = ['one', 'two', 'three'].map((note, i) => make(codec, note, i + 7).stored) as [
      StoredVersion,
      StoredVersion,
      StoredVersion,
    ];
    t.equal(one.json.toString(), expected[0]);
    const kept = one.json;
    t.equal(one.json, kept, 'while it is used there is one buffer');
    await compacted(recent);
    t.ok(one.mightContain?.({ text: '"note":"one"' }));
    t.notOk(one.mightContain?.({ text: '"note":"two"' }));
    t.not(one.json, kept, 'it was released');
    t.equal(one.json.toString(), expected[0]);
    t.equal(kept.toString(), expected[0], 'the old buffer is still readable');

    one.replaceBy(two);
    await compacted(recent);
    two.replaceBy(three);
    await compacted(recent);
    t.strictSame(
      [one, two, three].map(({ json }) => json.toString()),
      expected,
    );
    t.strictSame(one.object, JSON.parse(expected[0] ?? ''));

    const last = three.at(revision(20));
    const gone = expected[2]?.replace('"resourceVersion":"9"', '"resourceVersion":"20"');
    t.equal(last.json.toString(), gone);
    await compacted(recent);
    t.equal(last.json.toString(), gone);
    t.equal(one.at(revision(30)).json.toString(), expected[0]?.replace('"7"', '"30"'));

    await compacted(recent);
    t.ok(three.equals(codec.draft('/k', configMap(text, 'three'))));
    t.notOk(three.equals(codec.draft('/k', configMap(text, 'four'))));
    const restored = codec.restorable?.(three)?.restore();
    t.equal(Buffer.from(restored ?? []).toString(), codec.draft('/k', configMap(text, 'three')).json.toString());
    t.equal(
      Buffer.from(codec.restorable?.(one)?.restore() ?? []).toString(),
      codec.draft('/k', configMap(text, 'one')).json.toString(),
    );
  });

for (const [name, text] of [
  ['ascii', 'some text. '],
  ['others', 'Zeichen: äöü € 𝄞. '],
] as const)
  t.test(`bytes between others are those of every state that a value can be in: ${name}`, async t => {
    const recent = recentBytes(t);
    const codec = storedCodec(configMapLayout, recent);
    const draft = codec.draft('/k', configMap(text, 'one'));
    const read = codec.decode(Buffer.from(draft.json), '/k', revision(7));
    const written = codec.adopt(draft, '/k', revision(7));
    const later = written.at(revision(20));
    const bytes = (stored: StoredVersion): string =>
      stored.between?.(Buffer.from('<'), Buffer.from('>'))?.toString() ?? 'nothing';
    const expected = `<${storedCodec(configMapLayout)
      .adopt(codec.draft('/k', configMap(text, 'one')), '/k', revision(7))
      .json.toString()}>`;
    const expectedLater = expected.replace('"resourceVersion":"7"', '"resourceVersion":"20"');
    const allAreRight = (when: string): void => {
      t.equal(bytes(written), expected, `${when}: written here`);
      t.equal(bytes(read), expected, `${when}: read from the store`);
      t.equal(bytes(later), expectedLater, `${when}: at a later revision`);
    };
    allAreRight('at first');
    await compacted(recent);
    allAreRight('not used since');
    for (const stored of [written, read, later]) t.equal(`<${stored.json.toString()}>`, bytes(stored));
    allAreRight('used');
    await compacted(recent);
    allAreRight('not used again');
    const newer = codec.adopt(codec.draft('/k', configMap(text, 'two')), '/k', revision(8));
    written.replaceBy(newer);
    allAreRight('replaced');
    await compacted(recent);
    allAreRight('replaced and not used');
  });
