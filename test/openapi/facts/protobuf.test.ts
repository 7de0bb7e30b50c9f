import t from 'tap';
import { nativeSchema, nativeTypeNames } from '../../../openapi/facts/native-schemas.js';
import { protobufFields, type ProtobufField } from '../../../openapi/facts/protobuf.js';

const scalars = ['string', 'bool', 'bytes', 'int32', 'int64', 'uint32', 'double'];

/** Returns the names of the JSON fields of a message, including those of inlined messages. */
const jsonNames = (fields: readonly ProtobufField[]): string[] =>
  fields.flatMap(f => (f.name === undefined ? jsonNames(protobufFields(f.type) ?? []) : [f.name]));

t.test('every native type has a message with all its fields', async t => {
  // Types whose JSON does not have the fields of their messages.
  const special = new Set(['JSONSchemaPropsOrArray', 'JSONSchemaPropsOrBool', 'JSONSchemaPropsOrStringArray']);
  const wrong: string[] = [];
  for (const name of nativeTypeNames()) {
    const fields = protobufFields(name);
    if (!fields) {
      wrong.push(`${name} has no message`);
      continue;
    }
    if (new Set(fields.map(f => f.number)).size !== fields.length) wrong.push(`${name}: numbers are not unique`);
    for (const f of fields)
      if (!scalars.includes(f.type) && !protobufFields(f.type)) wrong.push(`${name}: no message ${f.type}`);
    const schema = nativeSchema(name);
    if (schema.scalar || special.has(name.slice(name.lastIndexOf('.') + 1))) continue;
    // kind and apiVersion are in the envelope.
    const json = Object.keys(schema.properties ?? {}).filter(n => !['kind', 'apiVersion'].includes(n));
    const missing = json.filter(n => !jsonNames(fields).includes(n));
    if (missing.length) wrong.push(`${name}: no number for ${missing.join()}`);
  }
  t.same(wrong, ['io.k8s.apimachinery.pkg.version.Info has no message']);
});

t.test('messages have the fields of upstream', async t => {
  const table = [
    {
      given: ['io.k8s.api.core.v1.Volume', 2],
      expect: { name: undefined, type: 'io.k8s.api.core.v1.VolumeSource', shape: 'one' },
    },
    {
      given: ['io.k8s.api.core.v1.PodSpec', 2],
      expect: { name: 'containers', type: 'io.k8s.api.core.v1.Container', shape: 'list' },
    },
    { given: ['io.k8s.api.core.v1.Secret', 2], expect: { name: 'data', type: 'bytes', shape: 'map' } },
    {
      given: ['io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration', 2],
      expect: { name: 'webhooks', shape: 'list' },
    },
    {
      given: ['io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps', 42],
      expect: { name: 'x-kubernetes-list-type', type: 'string' },
    },
    { given: ['io.k8s.apimachinery.pkg.runtime.Unknown', 2], expect: { name: 'raw', type: 'bytes' } },
  ] as const;
  for (const { given, expect } of table) {
    const [type, number] = given;
    t.match(
      protobufFields(type)?.find(f => f.number === number),
      expect,
      `${type} ${number}`,
    );
  }
  t.equal(protobufFields('io.k8s.api.core.v1.Nothing'), undefined);
});
