import fs from 'node:fs';
import path from 'node:path';
import type { EnumsTable } from '../../openapi/facts/tables.js';

const files = [
  'pkg/generated/openapi/zz_generated.openapi.go',
  'staging/src/k8s.io/kube-aggregator/pkg/generated/openapi/zz_generated.openapi.go',
];

/** Returns function -> type, from lines like `corev1.Container{}.OpenAPIModelName(): schema_..._Container(ref)`. */
function typesByFunction(source: string): Map<string, string> {
  const aliases = new Map<string, string>();
  for (const [, alias = '', target = ''] of source.matchAll(/^\t(\w+) "k8s\.io\/([^"]+)"$/gm))
    aliases.set(alias, 'io.k8s.' + target.replaceAll('/', '.'));
  const types = new Map<string, string>();
  for (const [, alias = '', name = '', fn = ''] of source.matchAll(
    /^\s*(\w+)\.(\w+)\{\}\.OpenAPIModelName\(\):\s+(schema_\w+)\(ref\)/gm,
  )) {
    const home = aliases.get(alias);
    if (home !== undefined) types.set(fn, `${home}.${name}`);
  }
  return types;
}

/** Returns field -> enum values of one such function. The generator's indentation distinguishes a field from its items. */
function enumsOf(body: string): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  let field = '';
  for (const line of body.split('\n')) {
    field = /^\t{5}"([^"]+)": \{$/.exec(line)?.[1] ?? field;
    const values = /^\t+Enum:\s+\[\]interface\{\}\{(.*)\},$/.exec(line)?.[1];
    if (values !== undefined) found[field] = JSON.parse(`[${values}]`) as string[];
  }
  return found;
}

/** Returns the enum values of fields of native types, which the recorded OpenAPI documents leave out. */
export function enumsTable(kubernetesSource: string, types: ReadonlyMap<string, unknown>): EnumsTable {
  const table: Record<string, Record<string, string[]>> = {};
  for (const file of files) {
    const source = fs.readFileSync(path.join(kubernetesSource, file), 'utf8');
    const names = typesByFunction(source);
    for (const [, fn = '', body = ''] of source.matchAll(/^func (schema_\w+)\(ref [^\n]*\n([^]*?)^\}/gm)) {
      const name = names.get(fn);
      const enums = enumsOf(body);
      if (name !== undefined && types.has(name) && Object.keys(enums).length) table[name] = enums;
    }
  }
  return Object.fromEntries(Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1)));
}
