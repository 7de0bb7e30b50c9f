import t from 'tap';
import { Encodings } from '../../../../apiserver/negotiate/protobuf/encodings.js';
import type { Stored } from '../../../../registry/pipeline/interface.js';

const stored = (key: string, revision: number): Stored => ({ key, revision }) as Stored;

/** Returns an encoder of this many bytes, which counts its calls. */
function encoder(size: number) {
  const made = { times: 0, make: () => (made.times++, Buffer.alloc(size)) };
  return made;
}

t.test('a message is encoded once for all its readers', async t => {
  const encodings = new Encodings();
  const { make } = encoder(100);
  const first = encodings.get('v1', stored('a', 1), make);
  t.equal(encodings.get('v1', stored('a', 1), make), first);
  t.equal(encodings.lengthOf('v1', stored('a', 1), make), 100);
  t.not(encodings.get('v2', stored('a', 1), make), first, 'another version');
  t.not(encodings.get('v1', stored('b', 1), make), first, 'another object');
});

t.test('the message of a newer revision replaces the older one', async t => {
  const encodings = new Encodings();
  const { make } = encoder(100);
  const first = encodings.get('v1', stored('a', 1), make);
  const { bytes } = encodings;
  const second = encodings.get('v1', stored('a', 2), make);
  t.equal(encodings.bytes, bytes);
  t.not(encodings.get('v1', stored('a', 1), make), first);
  t.equal(encodings.get('v1', stored('a', 2), make), second, 'a read of an older revision does not put it back');
  encodings.drop(stored('a', 3));
  t.equal(encodings.bytes, 0);
});

t.test('lists larger than the cache: some messages are kept, and the lengths of the others', async t => {
  const encodings = new Encodings(10_000);
  const all = Array.from({ length: 20 }, (_, i) => stored(`key ${i}`, i));
  const read = () => {
    const counted = encoder(1000);
    for (const each of all) encodings.get('v1', each, counted.make);
    return counted.times;
  };
  t.equal(read(), 20);
  const again = read();
  t.ok(again > 10 && again < 15, `${again} encoded again`);
  t.equal(read(), again, 'the same for each further reader');
  t.ok(encodings.bytes <= 10_000);
  const measured = encoder(1000);
  for (const each of all) encodings.lengthOf('v1', each, measured.make);
  t.equal(measured.times < again, true);
});

t.test('a cache of size 0', async t => {
  const encodings = new Encodings(0);
  const { make } = encoder(10);
  t.not(encodings.get('v1', stored('a', 1), make), encodings.get('v1', stored('a', 1), make));
  t.equal(encodings.bytes, 0);
});

t.test('unused messages are dropped', async t => {
  const encodings = new Encodings();
  const { make } = encoder(10);
  const used = encodings.get('v1', stored('used', 1), make);
  encodings.get('v1', stored('idle', 1), make);
  const both = encodings.bytes;
  for (let i = 0; i < 8; i++) {
    encodings.turn();
    t.equal(encodings.get('v1', stored('used', 1), make), used);
  }
  t.equal(encodings.bytes, both / 2);
  for (let i = 0; i < 8; i++) encodings.turn();
  t.equal(encodings.bytes, 0);
});
