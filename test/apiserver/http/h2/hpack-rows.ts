/** Rules for header blocks (RFC 9113, section 4.3; RFC 7541). */
import { settings } from '../../../../lib/http2/frames.js';
import type { Frames, Row, Table } from './row.js';
import * as clientFrames from './client-frames.js';

const { block, data, endHeaders, endStream, headers, integer, lasting, post, pseudo } = clientFrames;

const broken = 'GOAWAY COMPRESSION_ERROR';
const request = block(pseudo('/none'));
const bytes = (...values: readonly number[]): Buffer => Buffer.from(values);
const indexed = (index: number): Buffer => integer(0x80, 7, index);
/** Encodes an update of the table size. */
const size = (value: number): Buffer => integer(0x20, 5, value);
/** Index of the newest entry of the dynamic table. */
const newest = 62;

const blocks = (...parts: readonly Uint8Array[]): Frames => [headers(1, Buffer.concat(parts))];
const says = (name: string, parts: readonly Uint8Array[], expect: Row['expect'] = broken): Row => ({
  ...{ name, given: blocks(...parts), expect },
});

/** Encodes a field with a value in Huffman code. */
const huffman = (...code: readonly number[]): Buffer =>
  Buffer.concat([bytes(0), clientFrames.text('x-flag'), integer(0x80, 7, code.length), bytes(...code)]);

const known = Buffer.concat([indexed(2), indexed(7), clientFrames.field(':authority', 'localhost')]); // GET, https

const indexes: readonly Row[] = [
  says('of the static table', [known, bytes(0x04, 5), Buffer.from('/none')], '204'),
  says('0', [request, indexed(0)]),
  says('beyond the tables', [request, indexed(newest)]),
  says('far beyond the tables', [request, indexed(100_000)]),
  says('a name beyond the tables', [request, integer(0x40, 6, newest), clientFrames.text('a')]),
  says('a name beyond the tables, without indexing', [request, integer(0, 4, newest), clientFrames.text('a')]),
  says('a name beyond the tables, never indexed', [request, integer(0x10, 4, newest), clientFrames.text('a')]),
  says('of an entry of the dynamic table', [request, lasting('x-flag', 'a'), indexed(newest)], '204'),
  says('the second newest', [request, lasting('x-a', 'a'), lasting('x-b', 'b'), indexed(newest + 1)], '204'),
  says('one beyond the entries', [request, lasting('x-a', 'a'), lasting('x-b', 'b'), indexed(newest + 2)]),
  says('of a field larger than the table', [
    request,
    lasting('x-a', 'a'),
    lasting('x-b', 'b'.repeat(10_000)),
    indexed(newest),
  ]),
  says('of a field that is never indexed', [
    request,
    bytes(0x10),
    clientFrames.text('x-a'),
    clientFrames.text('a'),
    indexed(newest),
  ]),
];

const numbers: readonly Row[] = [
  says('an index that never ends', [request, bytes(0xff, ...Buffer.alloc(20, 0xff))]),
  says('an index of 2^32', [request, bytes(0xff, 0x81, 0xff, 0xff, 0xff, 0x0f)]),
  says('an index of 2^64', [request, bytes(0xff, ...Buffer.alloc(9, 0xff), 1)]),
  says('zeros without end', [request, bytes(0xff, ...Buffer.alloc(64, 0x80), 0)]),
  says('a length of 2^32', [request, bytes(0, 0x7f, 0x81, 0xff, 0xff, 0xff, 0x0f)]),
  says('an index that is cut off', [request, bytes(0xff)]),
  says('an index that is cut off later', [request, bytes(0xff, 0x80)]),
];

const strings: readonly Row[] = [
  says('a name that is cut off', [request, bytes(0x00, 5), Buffer.from('x-a')]),
  says('a value that is missing', [request, bytes(0x00), clientFrames.text('x-a')]),
  says('a value that is cut off', [request, bytes(0x00), clientFrames.text('x-a'), bytes(10), Buffer.from('123')]),
  says('Huffman code', [known, bytes(0x04, 0x84, 0x62, 0xa3, 0xd4, 0x5f)], '204'),
  says('empty Huffman code', [request, huffman()], '204'),
  says('Huffman padding of zeros', [request, huffman(0x18)]), // 'a' is 00011
  says('Huffman padding of 8 bits', [request, huffman(0x1f, 0xff)]),
  says('Huffman padding alone', [request, huffman(0xff)]),
  says('Huffman padding of 7 bits', [request, huffman(0x02, 0x8a, 0xff)], '204'), // '0', ' ' and '%' have 17
  says('the end of the string inside of Huffman code', [request, huffman(0xff, 0xff, 0xff, 0xff)]),
  says('the end of the string between two letters', [request, huffman(0x1f, 0xff, 0xff, 0xff, 0xe3)]),
  says('Huffman code in a name', [request, bytes(0, 0x81, 0x1f, 1, 0x61)], '204'),
  says('broken Huffman code in a name', [request, bytes(0, 0x81, 0x18, 1, 0x61)]),
];

const tooLarge: Row['given'] = said => blocks(size((said.get(settings.headerTableSize) ?? 4096) + 1), request);

const sizes: readonly Row[] = [
  says('0', [size(0), request], '204'),
  says('the maximum', [size(4096), request], '204'),
  { name: 'larger', given: tooLarge, expect: broken },
  says('much larger', [size(2 ** 30), request]),
  says('two at the start', [size(0), size(4096), request], '204'),
  says('in the middle', [request, size(100), clientFrames.field('x-a', 'b')]),
  says('at the end', [request, size(100)]),
  says('an entry after two resizes', [size(0), size(4096), request, lasting('x-a', 'b'), indexed(newest)], '204'),
  {
    name: 'earlier entries are evicted',
    given: [
      headers(1, Buffer.concat([request, lasting('x-a', 'b')])),
      headers(3, Buffer.concat([size(0), size(4096), request, indexed(newest)])),
    ],
    on: 3,
    expect: broken,
  },
  says('a table of size 0 has no entries', [size(0), request, lasting('x-a', 'b'), indexed(newest)]),
];

const next = headers(3, Buffer.concat([request, indexed(newest)]));
const indexedField = lasting('x-flag', 'a');
const uploads = post(1, '/wait');

/** Entries that one block adds can be used by the next one, whatever happened to its stream. */
const between: readonly Row[] = [
  {
    name: 'from one request to the next',
    given: [headers(1, Buffer.concat([request, indexedField])), next],
    on: 3,
    expect: '204',
  },
  {
    name: 'over CONTINUATION',
    given: [headers(1, request, endStream), clientFrames.continuation(1, indexedField), next],
    on: 3,
    expect: '204',
  },
  { name: 'trailers', given: [post(1, '/echo'), data(1, 'x'), headers(1, indexedField), next], on: 3, expect: '204' },
  {
    name: 'a malformed request',
    given: [headers(1, Buffer.concat([indexedField, clientFrames.field('X', 'a'), request])), next],
    on: 3,
    expect: '204',
  },
  {
    name: 'malformed trailers',
    given: [uploads, headers(1, Buffer.concat([clientFrames.field(':path', '/'), indexedField])), next],
    on: 3,
    expect: '204',
  },
  {
    name: 'trailers of a stream that was reset',
    given: [uploads, clientFrames.resetStream(1), headers(1, indexedField), next],
    on: 3,
    expect: ['204', 'GOAWAY STREAM_CLOSED', 'GOAWAY PROTOCOL_ERROR'],
  },
  {
    name: 'a refused stream',
    given: [
      ...clientFrames.ids(250).map(id => clientFrames.get(id, '/wait')),
      headers(501, Buffer.concat([request, indexedField])),
      clientFrames.resetStream(1),
      clientFrames.resetStream(3),
      headers(503, Buffer.concat([request, indexed(newest)])),
    ],
    on: 503,
    expect: '204',
  },
  {
    name: 'a block with an error',
    given: [headers(1, Buffer.concat([request, indexed(0)]), endHeaders), next],
    on: 3,
    expect: broken,
  },
];

export const hpackRows: Table = {
  '6.1, 6.2 indexes': indexes,
  '5.1 numbers': numbers,
  '5.2 strings': strings,
  '6.3 sizes of the table': sizes,
  '2.2 from block to block': between,
};
