import t from 'tap';
import { nativeSchema } from '../../../openapi/facts/native-schemas.js';
import { recorded } from '../../data.js';

interface Definition {
  readonly required?: readonly string[];
  readonly properties: Readonly<
    Record<string, { readonly default?: unknown; readonly type?: string; readonly $ref?: string }>
  >;
}

t.test('the compiled kinds have the types of their API servers', async t => {
  const upstream = recorded('karmada-types.json') as Readonly<Record<string, Definition>>;
  t.equal(Object.keys(upstream).length, 21);
  for (const [name, { properties, required = [] }] of Object.entries(upstream)) {
    const schema = nativeSchema(name);
    const ours = schema.properties ?? {};
    t.same(Object.keys(ours).sort(), Object.keys(properties).sort(), `${name}: fields`);
    t.same([...(schema.required ?? [])].sort(), [...required].sort(), `${name}: required`);
    for (const [field, said] of Object.entries(properties)) {
      const { type, typeName } = ours[field] ?? {};
      t.same(ours[field]?.default, said.default, `${name}.${field}: default`);
      t.equal(said.$ref ? `#/definitions/${typeName}` : type, said.$ref ?? said.type, `${name}.${field}: type`);
    }
  }
});
