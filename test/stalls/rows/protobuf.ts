/** Protobuf: the envelope, and the messages in it. */
import { encodeProtobuf } from '../../../apiserver/negotiate/protobuf/envelope.js';
import { requests, type Row } from '../row.js';
import {
  configMap,
  configMaps,
  container,
  deployment,
  deployments,
  entries,
  maxBytes,
  post,
  range,
  remove,
} from './objects.js';

const type = 'application/vnd.kubernetes.protobuf';
const magic = Buffer.from('k8s\0');

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
};
/** Encodes a field of bytes. */
const field = (number: number, bytes: Buffer): Buffer =>
  Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);

const envelope = (raw: Buffer, kind = 'ConfigMap'): Buffer =>
  Buffer.concat([
    magic,
    field(1, Buffer.concat([field(1, Buffer.from('v1')), field(2, Buffer.from(kind))])),
    field(2, raw),
  ]);

/** Encodes nested fields, from the innermost to the outermost. */
function nested(number: number, size: number): Buffer {
  const heads: Buffer[] = [];
  for (let length = 0; length < size;) {
    const head = Buffer.concat([varint(number * 8 + 2), varint(length)]);
    heads.push(head);
    length += head.length;
  }
  return Buffer.concat(heads.reverse());
}

const repeated = (bytes: Buffer, size: number): Buffer =>
  Buffer.alloc(Math.floor(size / bytes.length) * bytes.length, bytes);

const bytes = (name: string, make: (size: number) => Buffer): Row =>
  requests(`protobuf/${name}`, maxBytes, size => [post(configMaps, make(size), type)]);

const encoded = (name: string, size: number, path: string, make: (name: string, size: number) => object): Row => ({
  name: `protobuf/${name}`,
  size,
  async play(fixture) {
    const own = fixture.name();
    const body = encodeProtobuf({ ...make(own, fixture.size) });
    const { status } = await fixture.send(post(path, body, type));
    if (status === 201) await fixture.must(remove(`${path}/${own}`));
  },
});

export const protobufRows: readonly Row[] = [
  bytes('zeros', size => Buffer.concat([magic, Buffer.alloc(size)])),
  bytes('ones', size => Buffer.concat([magic, Buffer.alloc(size, 0xff)])),
  bytes('empty-fields', size => envelope(repeated(Buffer.from([0x0a, 0]), size))),
  bytes('data-entries', size => envelope(repeated(Buffer.from([0x12, 0]), size))),
  bytes('unknown-fields', size => envelope(repeated(Buffer.from([0xf8, 0x07, 1]), size))),
  bytes('groups', size => envelope(repeated(Buffer.from([0x0b]), size))),
  bytes('nested-metadata', size => envelope(nested(1, size))),
  bytes('nested-envelope', size => Buffer.concat([magic, nested(2, size)])),
  bytes('long-varint', size => envelope(Buffer.alloc(size, 0x80))),
  bytes('huge-length', size =>
    envelope(Buffer.concat([Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x07]), Buffer.alloc(size)])),
  ),
  requests('protobuf/random', 500_000, function* (size, random) {
    for (let i = 0; i < 4; i++) yield post(configMaps, envelope(random.bytes(size)), type);
  }),
  encoded('labels', 100_000, configMaps, (name, size) =>
    configMap(name, { metadata: { labels: entries(size, i => [`-${i}`, '-']) } }),
  ),
  encoded('data', 60_000, configMaps, (name, size) => configMap(name, { data: entries(size, i => [`k${i}`, 'v']) })),
  encoded('containers', 60_000, deployments, (name, size) => deployment(name, range(size, container))),
];
