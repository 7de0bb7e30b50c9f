/** No field of a native kind is lost between JSON, YAML and protobuf. */
import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { writeYaml } from '../../../lib/yaml/write-yaml.js';
import { readYaml } from '../../../lib/yaml/read-yaml.js';
import { decodeProtobuf, encodeProtobuf } from '../../../apiserver/negotiate/protobuf/envelope.js';
import { kindsOfType, nativeSchema, nativeTypeNames } from '../../../openapi/facts/native-schemas.js';
import { canonical } from '../../../apimachinery/codec/canonical.js';
import { decodeNative } from '../../../apimachinery/codec/decode.js';
import { fullObject, leaves } from './full-object.js';

const kinds = nativeTypeNames().flatMap(type => kindsOfType(type).map(gvk => ({ gvk, type })));
/** Types that are not kinds of objects. */
const others = new Set(['WatchEvent']);
const nowhere = { apiVersion: '', kind: '' };

t.test('every field of every kind is kept', t => {
  let fields = 0;
  for (const { gvk, type } of kinds) {
    if (others.has(gvk.kind)) continue;
    const name = `${gvk.group}/${gvk.version} ${gvk.kind}`;
    const schema = nativeSchema(type);
    const full = fullObject(gvk);
    fields += leaves(full).length;
    const { object, unknown } = canonical(full, schema);
    t.same(unknown, [], `${name} has no unknown fields`);
    const json = JSON.stringify(object);
    t.equal(leaves(object).sort().join(), leaves(full).sort().join(), `${name} keeps all fields when it is read`);
    t.equal(JSON.stringify(decodeNative(json, schema).object), json, `${name} in JSON`);
    const yaml = readYaml(writeYaml(object));
    t.ok(yaml.type === 'value' && isDeepStrictEqual(yaml.value, JSON.parse(json)), `${name} in YAML`);
    const bytes = encodeProtobuf(object);
    const back = canonical(decodeProtobuf(bytes, nowhere), schema).object;
    t.equal(JSON.stringify(back), json, `${name} in protobuf`);
    t.ok(encodeProtobuf(back).equals(bytes), `${name} in protobuf again`);
  }
  t.ok(fields > 20_000, `${fields} fields`);
  t.end();
});
