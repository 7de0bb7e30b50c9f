import t from 'tap';
import type { Schema } from '../../../../../openapi/schema/interface.js';
import { karmadaDefinitions } from '../../../../../registry/kinds/karmada/definitions.js';
import { describeKarmada } from '../../../../../registry/kinds/karmada/descriptions.js';

t.test('all fields are described', async t => {
  const missing: string[] = [];
  const visit = (schema: Schema, typeName: string): void => {
    if (!describeKarmada(typeName)) missing.push(typeName);
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (['kind', 'apiVersion', 'metadata'].includes(name)) continue;
      if (!describeKarmada(typeName, name)) missing.push(`${typeName} ${name}`);
      const inner = field.items ?? field;
      if (inner.typeName?.startsWith('com.github.karmada-io.')) visit(inner, inner.typeName);
    }
  };
  for (const { versions, verbs } of karmadaDefinitions())
    if (verbs.includes('list')) visit(versions[0]?.schema ?? {}, versions[0]?.schema.typeName ?? '');
  t.same(missing, []);
  t.equal(describeKarmada('io.k8s.api.core.v1.Pod', 'spec'), undefined);
});
