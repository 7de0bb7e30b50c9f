/** Rules for requests (RFC 9113, sections 8.1 to 8.3). */
import type { Outcome, Row, Table } from './row.js';
import * as clientFrames from './client-frames.js';

const { block, data, endHeaders, endStream, get, headers, nothing, post, pseudo } = clientFrames;
type Pairs = readonly clientFrames.Pair[];

/** A stream error, or a response with the error (8.1.1). */
const malformed: readonly Outcome[] = ['RST_STREAM PROTOCOL_ERROR', '400'];

const method: clientFrames.Pair = [':method', 'GET'];
const scheme: clientFrames.Pair = [':scheme', 'https'];
const path: clientFrames.Pair = [':path', '/none'];
const authority: clientFrames.Pair = [':authority', 'localhost'];
const usual: Pairs = [method, scheme, path, authority];

const asks = (name: string, pairs: Pairs, expect: Row['expect'] = malformed): Row => ({
  ...{ name, given: [headers(1, block(pairs))], expect },
});
const carries = (name: string, field: string, value: string, expect: Row['expect'] = malformed): Row =>
  asks(name, [...usual, [field, value]], expect);

const fields: readonly Row[] = [
  carries('an upper-case name', 'X-Flag', 'a'),
  carries('one upper-case letter', 'x-flaG', 'a'),
  carries('no name', '', 'a'),
  carries('a space in a name', 'x flag', 'a'),
  carries('a space after a name', 'x-flag ', 'a'),
  carries('a colon in a name', 'x:flag', 'a'),
  carries('NUL in a name', 'x\0flag', 'a'),
  carries('a line break in a name', 'x\r\nflag', 'a'),
  carries('DEL in a name', 'x\x7f', 'a'),
  carries('a letter beyond ASCII in a name', 'x\xe4', 'a'),
  carries('NUL in a value', 'x-flag', 'a\0b'),
  carries('CR in a value', 'x-flag', 'a\rb'),
  carries('LF in a value', 'x-flag', 'a\nb'),
  carries('a header in a value', 'x-flag', 'a\r\nx-other: b'),
  carries('a space before a value', 'x-flag', ' a'),
  carries('a tab after a value', 'x-flag', 'a\t'),
  carries('a space and a tab in a value', 'x-flag', 'a \tb', '204'),
  carries('no value', 'x-flag', '', '204'),
  carries('bytes beyond ASCII in a value', 'x-flag', '\xe4\xff', '204'),
  carries('all that a name may have', "!#$%&'*+-.^_`|~09az", 'a', '204'),
];

const connectionFields: readonly Row[] = [
  carries('connection', 'connection', 'keep-alive'),
  carries('connection: close', 'connection', 'close'),
  carries('proxy-connection', 'proxy-connection', 'keep-alive'),
  carries('keep-alive', 'keep-alive', 'timeout=5'),
  carries('transfer-encoding', 'transfer-encoding', 'chunked'),
  carries('upgrade', 'upgrade', 'websocket'),
  carries('te: gzip', 'te', 'gzip'),
  carries('te: trailers and more', 'te', 'trailers, deflate;q=0.5'),
  carries('te: trailers', 'te', 'trailers', '204'),
];

const pseudos: readonly Row[] = [
  asks('as it should be', usual, '204'),
  asks('in another order', [authority, path, scheme, method], '204'),
  asks('without :authority', [method, scheme, path, ['host', 'localhost']], '204'),
  asks('host besides :authority', [...usual, ['host', 'localhost']], '204'),
  asks('host twice', [...usual, ['host', 'localhost'], ['host', 'other']]),
  asks('host twice, without :authority', [method, scheme, path, ['host', 'localhost'], ['host', 'localhost']]),
  asks('after another field', [method, scheme, ['x-flag', 'a'], path, authority]),
  asks('the last after another field', [method, scheme, path, ['x-flag', 'a'], authority]),
  asks('without :method', [scheme, path, authority]),
  asks('without :scheme', [method, path, authority]),
  asks('without :path', [method, scheme, authority]),
  asks('none', [['x-flag', 'a']]),
  asks('no field at all', []),
  asks(':method twice', [method, ...usual]),
  asks(':scheme twice', [scheme, ...usual]),
  asks(':path twice', [path, ...usual]),
  asks(':authority twice', [authority, ...usual]),
  asks('one that nobody knows', [...usual, [':flag', 'a']]),
  asks('of an answer', [...usual, [':status', '200']]),
  asks('in upper case', [method, scheme, [':Path', '/none'], authority]),
  asks('of extended CONNECT', [[':method', 'CONNECT'], [':protocol', 'websocket'], scheme, path, authority]),
  asks('CONNECT with :scheme and :path', [[':method', 'CONNECT'], scheme, path, authority]),
  asks('CONNECT without :authority', [[':method', 'CONNECT']]),
  asks('an empty :path', [method, scheme, [':path', ''], authority]),
  asks('a :path without a slash', [method, scheme, [':path', 'none'], authority]),
  // A path may have a space, as in Go.
  asks('a space in :path', [method, scheme, [':path', '/no ne'], authority], [...malformed, '404']),
  asks('a line break in :path', [method, scheme, [':path', '/none\r\nx: y'], authority]),
  asks('an empty :method', [[':method', ''], scheme, path, authority]),
  asks('a space in :method', [[':method', 'GET /x'], scheme, path, authority]),
  asks('a line break in :method', [[':method', 'GET\n'], scheme, path, authority]),
  asks('a line break in :authority', [method, scheme, path, [':authority', 'a\r\nb']]),
];

const sent = (
  name: string,
  length: readonly string[],
  pieces: readonly string[],
  expect: Row['expect'] = malformed,
): Row => ({
  ...{ name, expect },
  given: [
    post(1, '/echo', ...length.map((value): clientFrames.Pair => ['content-length', value])),
    ...pieces.map((piece, index) => data(1, piece, index === pieces.length - 1 ? endStream : 0)),
  ],
});

const lengths: readonly Row[] = [
  sent('as long as it said', ['5'], ['12345'], '200'),
  sent('in pieces', ['5'], ['12', '', '345', ''], '200'),
  sent('nothing', ['0'], [''], '200'),
  sent('longer in one piece', ['3'], ['12345']),
  sent('longer in two pieces', ['5'], ['123', '456']),
  sent('shorter', ['5'], ['123']),
  sent('shorter in two pieces', ['5'], ['123', '']),
  sent('no body where there should be one', ['5'], ['']),
  sent('a body where there should be none', ['0'], ['1']),
  sent('no number', ['x'], ['1']),
  sent('less than nothing', ['-1'], ['1']),
  sent('a sign', ['+1'], ['1']),
  sent('more than a number holds', ['99999999999999999999999'], ['1']),
  sent('two', ['1', '2'], ['1']),
  sent('no value', [''], ['1']),
  asks('HEADERS that end what should have a body', [...pseudo('/echo', 'POST'), ['content-length', '5']]),
  asks('HEADERS that end what has none', [...pseudo('/echo', 'POST'), ['content-length', '0']], '200'),
  {
    name: 'trailers before the end of the body',
    given: [post(1, '/echo', ['content-length', '5']), data(1, '123'), headers(1, block([['x-flag', 'a']]))],
    expect: malformed,
  },
];

const trailer = (pairs: Pairs, flag: number = clientFrames.whole): Buffer => headers(1, block(pairs), flag);
const upload = post(1, '/wait');

const trailers: readonly Row[] = [
  { name: 'after a body', given: [post(1, '/echo'), data(1, 'x'), trailer([['x-flag', 'a']])], expect: '200' },
  { name: 'without a body', given: [post(1, '/echo'), trailer([['x-flag', 'a']])], expect: '200' },
  { name: 'empty', given: [post(1, '/echo'), data(1, 'x'), trailer([])], expect: '200' },
  { name: 'that do not end the stream', given: [upload, trailer([['x-flag', 'a']], endHeaders)], expect: malformed },
  {
    name: 'the same, after a body',
    given: [upload, data(1, 'x'), trailer([['x-flag', 'a']], endHeaders)],
    expect: malformed,
  },
  { name: 'with :path', given: [upload, data(1, 'x'), trailer([path])], expect: malformed },
  { name: 'with :status', given: [upload, trailer([[':status', '200']])], expect: malformed },
  {
    name: 'with an unknown pseudo header',
    given: [
      upload,
      trailer([
        ['x-flag', 'a'],
        [':flag', 'a'],
      ]),
    ],
    expect: malformed,
  },
  { name: 'with an upper-case name', given: [upload, trailer([['X-Flag', 'a']])], expect: malformed },
  { name: 'with connection', given: [upload, trailer([['connection', 'close']])], expect: malformed },
];

/** A malformed request does not affect other streams. */
const others: readonly Row[] = [
  {
    name: 'a request before it',
    given: [post(1, '/echo'), headers(3, block([...usual, ['X', 'a']])), data(1, 'x', endStream)],
    expect: '200',
  },
  {
    name: 'a request after it',
    given: [headers(1, block([...usual, ['X', 'a']]), endHeaders), data(1, 'x', endStream), get(3, '/none')],
    on: 3,
    expect: '204',
  },
  {
    name: 'frames of the malformed request itself',
    given: [
      headers(1, block([path]), endHeaders),
      data(1, 'x'),
      clientFrames.windowUpdate(1, 1),
      data(1, nothing, endStream),
    ],
    expect: malformed,
  },
];

export const messageRows: Table = {
  '8.2.1 fields': fields,
  '8.2.2 fields of the connection': connectionFields,
  '8.3 pseudo headers': pseudos,
  '8.1.1 content-length': lengths,
  '8.1 trailers': trailers,
  '8.1.1 other streams beside malformed requests': others,
};
