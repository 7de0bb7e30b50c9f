import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { karmadaCustomResources } from '../../../kinds/karmada/crds/custom-resources.js';
import { recorded } from '../../data.js';

type Plain = Record<string, unknown>;

/** Returns a schema without descriptions, which differ from Karmada's. `named` says that the keys are names of fields. */
function facts(value: unknown, named = false): unknown {
  if (Array.isArray(value)) return value.map(each => facts(each));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => named || key !== 'description');
  return Object.fromEntries(entries.map(([key, each]) => [key, facts(each, key === 'properties' && !named)]));
}

const definitions = karmadaCustomResources();
const upstream = recorded('karmada-crds.json') as KubeObject[];

t.test('the definitions are those of Karmada, except for descriptions', async t => {
  t.same(definitions.map(d => d.metadata.name).sort(), upstream.map(d => d.metadata.name).sort());
  for (const theirs of upstream) {
    const name = theirs.metadata.name ?? '';
    const spec = definitions.find(d => d.metadata.name === name)?.['spec'] as Plain;
    const { names, versions, ...rest } = theirs['spec'] as { names: Plain; versions: Plain[] };
    const { names: ourNames, versions: ourVersions, conversion, ...ourRest } = spec;
    t.same(conversion, { strategy: 'None' });
    t.same(ourRest, rest, name);
    t.same(facts(ourNames), facts({ listKind: `${String(names['kind'])}List`, ...names }), `${name}: names`);
    t.same(facts(ourVersions), facts(versions), `${name}: versions`);
  }
});

/** Yields the paths of fields without a description. */
function* undescribed(schema: Plain, path: string): Generator<string> {
  if (schema['description'] === undefined) yield path;
  const fields = schema['properties'] as Record<string, Plain> | undefined;
  for (const [name, field] of Object.entries(fields ?? {})) yield* undescribed(field, `${path}.${name}`);
  const items = schema['items'] as Plain | undefined;
  for (const [name, field] of Object.entries((items?.['properties'] as Record<string, Plain> | undefined) ?? {}))
    yield* undescribed(field, `${path}[].${name}`);
}

t.test('all fields have a description', async t => {
  const taken =
    /^(federatedhpas\.(spec\.(metrics\[\]|behavior)|status)|multiclusteringresses\.spec|.*\.hardNodeAffinity)\./;
  for (const { metadata, spec } of definitions as (KubeObject & { spec: { versions: Plain[] } })[]) {
    const plural = (metadata.name ?? '').split('.')[0] ?? '';
    for (const version of spec.versions) {
      const { openAPIV3Schema } = version['schema'] as { openAPIV3Schema: Plain };
      const missing = [...undescribed(openAPIV3Schema, plural)].filter(path => !taken.test(path));
      t.same(missing, [`${plural}.metadata`], plural);
    }
  }
});
