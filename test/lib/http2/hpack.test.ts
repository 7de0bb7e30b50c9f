import t from 'tap';
import { HeaderReader, HeaderWriter } from '../../../lib/http2/hpack.js';

const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex');
const pairs = (fields: readonly { readonly name: string; readonly value: string }[]): string[] =>
  fields.map(({ name, value }) => `${name}: ${value}`);

t.test('the examples of RFC 7541 appendix C are decoded', async t => {
  const requests = [
    [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'],
    [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com', 'cache-control: no-cache'],
    [':method: GET', ':scheme: https', ':path: /index.html', ':authority: www.example.com', 'custom-key: custom-value'],
  ];
  const table: readonly { readonly name: string; readonly given: readonly string[]; readonly expect: string[][] }[] = [
    {
      name: 'single headers',
      given: ['400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572', '040c 2f73 616d 706c 652f 7061 7468', '1008 7061 7373 776f 7264 0673 6563 7265 74', '82', 'be'], // prettier-ignore
      expect: [['custom-key: custom-header'], [':path: /sample/path'], ['password: secret'], [':method: GET'], ['custom-key: custom-header']], // prettier-ignore
    },
    {
      name: 'requests',
      given: ['8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d', '8286 84be 5808 6e6f 2d63 6163 6865', '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65'], // prettier-ignore
      expect: requests,
    },
    {
      name: 'requests with Huffman coding',
      given: ['8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff', '8286 84be 5886 a8eb 1064 9cbf', '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf'], // prettier-ignore
      expect: requests,
    },
  ];
  for (const { name, given, expect } of table) {
    const reader = new HeaderReader();
    t.same(given.map(block => pairs(reader.read(hex(block)))), expect, name); // prettier-ignore
  }
});

t.test('the dynamic table is limited', async t => {
  const reader = new HeaderReader();
  const long = Buffer.alloc(120, 'v');
  // Each entry takes 1 + 120 + 32 bytes, so the table holds 26.
  for (const name of 'abcdefghijklmnopqrstuvwxyz0') {
    const block = Buffer.concat([Buffer.from([0x40, 1]), Buffer.from(name), Buffer.from([120]), long]);
    t.same(pairs(reader.read(block)), [`${name}: ${long.toString()}`]);
  }
  t.same(pairs(reader.read(hex('be'))), [`0: ${long.toString()}`], 'the newest entry');
  t.same(pairs(reader.read(Buffer.from([0x80 | (62 + 25)]))), [`b: ${long.toString()}`], 'the oldest entry');
  t.throws(() => reader.read(Buffer.from([0x80 | (62 + 26)])), /there is no header 88/);
  t.same(reader.read(hex('20')), []);
  t.throws(() => reader.read(hex('be')), /there is no header 62/, 'the encoder emptied the table');
});

t.test('invalid header blocks are refused', async t => {
  const table: readonly { readonly name: string; readonly given: string; readonly expect: RegExp }[] = [
    { name: 'a truncated name', given: '400a 6375', expect: /cut off/ },
    { name: 'a truncated number', given: '7f', expect: /cut off/ },
    { name: 'a number without an end', given: '7fff ffff ffff ffff ff7f', expect: /too large/ },
    { name: 'a table size above the limit', given: '3fe2 1f', expect: /4097 bytes/ },
    { name: 'an endless number', given: `7f${'80'.repeat(200)}00`, expect: /too large/ },
    { name: 'a change of the table size after a field', given: '8220', expect: /inside of a block/ },
    { name: 'index 0', given: '80', expect: /no header 0/ },
    { name: 'a Huffman string with the EOS symbol', given: '0001 6184 ffff ffff', expect: /end of a string/ },
    { name: 'a Huffman string padded with zeros', given: '0001 6181 00', expect: /cut off/ },
  ];
  for (const { name, given, expect } of table) t.throws(() => new HeaderReader().read(hex(given)), expect, name);
});

t.test('a block that goes on beyond the limit is refused at its next frame', async t => {
  const field = Buffer.from([0x00, 1, 0x61, 0]); // a:
  const bytesOfField = 1 + 32;
  const block = (fields: number): Buffer => Buffer.concat(Array.from({ length: fields }, () => field));
  const table: readonly { readonly name: string; readonly frames: readonly number[]; readonly refused: boolean }[] = [
    { name: 'the limit is exceeded in the last frame', frames: [4 * field.length], refused: false },
    { name: 'a frame follows', frames: [4 * field.length, 10 * field.length], refused: true },
    { name: 'a frame of more than twice what is left follows', frames: [7 * field.length], refused: true },
    {
      name: 'an empty frame follows',
      frames: [10 * field.length, 10 * field.length, 12 * field.length],
      refused: true,
    },
  ];
  for (const { name, frames, refused } of table) {
    const reader = new HeaderReader(8 * bytesOfField);
    const read = (): number => reader.read(block(50), frames).length;
    if (refused) t.throws(read, /the headers are too large/, name);
    else t.equal(read(), 8, name);
  }
});

t.test('headers are sent once, and then by index', async t => {
  const base = [
    { name: ':method', value: 'POST' },
    { name: ':path', value: '/a' },
    { name: 'te', value: 'trailers' },
  ];
  const other = [{ name: ':method', value: 'POST' }, { name: ':path', value: '/b' }, ...base.slice(2)];
  const token = { name: 'token', value: 'secret' };
  const writer = new HeaderWriter();
  const reader = new HeaderReader();
  const sizes: number[] = [];
  const check = (name: string, fields: typeof base, secret?: typeof token): void => {
    const block = writer.write(name, fields, secret);
    sizes.push(block.length);
    t.same(reader.read(block), secret === undefined ? fields : [...fields, secret]);
  };
  check('a', base);
  check('a', base);
  check('a', base);
  check('b', other);
  check('a', base, token);
  check('a', base);
  writer.limit(0);
  check('a', base);
  check('a', base);
  t.same(sizes.slice(0, 4), [24, 3, 3, 12]);
  t.same(sizes.slice(4), [17, 3, 25, 24]);
});
