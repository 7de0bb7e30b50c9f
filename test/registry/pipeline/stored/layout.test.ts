import t from 'tap';
import { decodeProtobuf, encodeProtobuf, hasMetadata } from '../../../../apiserver/negotiate/protobuf/envelope.js';
import type { ByteProbe } from '../../../../client/interface.js';
import { nativeDefinitions } from '../../../../kinds/kubernetes/native.js';
import { layoutOf } from '../../../../registry/pipeline/stored/layout.js';
import { storedCodec } from '../../../../registry/pipeline/stored/stored.js';
import type { Revision } from '../../../../storage/interface.js';

t.test('bytes of kube-apiserver are probed without parsing', async t => {
  let read = 0;
  const decode = (...[bytes, expected]: Parameters<typeof decodeProtobuf>) => {
    read++;
    return decodeProtobuf(bytes, expected);
  };
  const definition = nativeDefinitions().find(({ group, plural }) => group === '' && plural === 'configmaps');
  if (!definition) throw new Error('there are no ConfigMaps');
  const codec = storedCodec(layoutOf(definition, { freeze: true, readProtobuf: { decode, hasMetadata } }));
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'a',
      uid: 'u',
      labels: { 'example.com/probe': 'é' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'o' }],
    },
  };
  const stored = (bytes: Buffer) => codec.decode(bytes, '/k', 7 as Revision);
  const protobuf = stored(encodeProtobuf(object));
  const probes = [
    { probe: { metadata: 'ownerReferences' }, has: true },
    { probe: { metadata: 'deletionTimestamp' }, has: false },
    { probe: { text: 'example.com/probe' }, has: true },
    { probe: { text: 'é' }, has: true },
    { probe: { text: 'example.com/other' }, has: false },
  ] as const;
  for (const { probe, has } of probes) t.equal(protobuf.mightContain?.(probe), has, JSON.stringify(probe));
  t.equal(read, 0, 'it was not parsed');
  t.match(protobuf.object, object);
  for (const { probe, has } of probes) t.equal(protobuf.mightContain?.(probe), has, `parsed: ${JSON.stringify(probe)}`);
  const broken = stored(encodeProtobuf(object).subarray(0, 40));
  t.equal(broken.mightContain?.({ metadata: 'ownerReferences' }), true, 'malformed bytes may have any property');
  const json = stored(Buffer.from(`${JSON.stringify({ metadata: object.metadata }, undefined, 1)}\n`));
  for (const { probe } of probes)
    t.equal(json.mightContain?.(probe), true, 'JSON of other servers may be escaped in any way');
});

t.test('JSON of custom resources is probed without parsing', t => {
  const native = nativeDefinitions().find(({ plural }) => plural === 'configmaps');
  if (!native) throw new Error('there are no ConfigMaps');
  const layout = layoutOf({ ...native, wire: { ...native.wire, keys: 'sorted' } }, { freeze: true });
  const contains = (text: string, probe: ByteProbe): boolean | undefined =>
    layout.mightContain?.(Buffer.from(text), probe);
  const own = '{"apiVersion":"work.karmada.io/v1alpha1","kind":"Work","metadata":{"labels":{"example.com/probe":"x"}}}';
  t.equal(contains(own, { text: 'example.com/probe' }), true);
  t.equal(contains(own, { text: 'example.com/other' }), false);
  t.equal(contains(own, { metadata: 'ownerReferences' }), false);
  t.equal(contains('{"metadata": {"ownerReferences" : []}}', { metadata: 'ownerReferences' }), true, 'with spaces');
  for (const escaped of ['example.com\\/probe', '\\u0065xample.com/probe'])
    t.equal(contains(`{"metadata":{"labels":{"${escaped}":"x"}}}`, { text: 'example.com/probe' }), true, escaped);
  t.end();
});
