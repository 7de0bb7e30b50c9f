/** A label, annotation or taint that two files of the product name is a constant of the well-known names, so that no file misspells it. */
import t from 'tap';
import { files, isProduct, textOf } from './files.js';

/** Generated code and tables of upstream's facts, which contain names as upstream wrote them. */
const generated = ['openapi/gen/', 'openapi/facts/'];

/** Files whose texts `GROUP/PLURAL` are resources, not names. */
const resources: ReadonlySet<string> = new Set(['admission/karmada/karmada.ts', 'kinds/karmada/inert.ts']);

/** Returns the names in the string literals of a text. API versions and interpreted kinds (`GROUP/v1`, `GROUP/v1/KIND`) are not names. */
function namesIn(text: string): Set<string> {
  const literals = text.matchAll(/'((?:[a-z0-9-]+\.)*(?:karmada|kubernetes|k8s)\.io\/[\w.-]+)'/g);
  return new Set(
    [...literals].map(([, name = '']) => name).filter(name => !/\/v\d+(?:(?:alpha|beta)\d+)?$/.test(name)),
  );
}

t.test('names are recognised, API versions are not', async t => {
  t.strictSame(
    [
      ...namesIn(
        "f('kubernetes.io/os', 'a.b.karmada.io/x-y', 'apps.k8s.io/v1beta2', `kubernetes.io/arch`, 'k8s.io/v1-x')",
      ),
    ],
    ['kubernetes.io/os', 'a.b.karmada.io/x-y', 'k8s.io/v1-x'],
  );
});

t.test('a name that two files use is a constant', async t => {
  const users = new Map<string, string[]>();
  for (const file of files('.', '.ts')) {
    if (resources.has(file) || !isProduct(file) || generated.some(folder => file.startsWith(folder))) continue;
    for (const name of namesIn(textOf(file))) users.set(name, [...(users.get(name) ?? []), file]);
  }
  const repeated = [...users].filter(([, inFiles]) => inFiles.length > 1);
  t.same(repeated, [], 'put it into api/kubernetes/well-known.ts or api/karmada/well-known.ts');
});
