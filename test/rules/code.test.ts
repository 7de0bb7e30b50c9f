/** What can be checked of `CONTRIBUTING.md`, "How we write": one exported name has one meaning, and functions are short. */
import path from 'node:path';
import t from 'tap';
import ts from 'typescript';
import { exportedNames } from './exports.js';
import { functionsIn, placeOf, product } from './functions.js';

/** Lines of the longest function. */
const maxLines = 60;
const maxParameters = 5;
/** Names in these layers are upstream's, which several groups share; schemas and rules of one field share its name. */
const layersOfKinds: ReadonlySet<string> = new Set(['api', 'kinds']);
/** Each of these has a function in the layers that it passes. */
const verbs: ReadonlySet<string> = new Set([
  ...['create', 'get', 'list', 'watch', 'update', 'patch', 'remove', 'removeCollection'],
]);
/** Modules of a language of their own, which few files use: the schemas of Karmada's kinds. */
const languages: ReadonlySet<string> = new Set(['kinds/karmada/crds/schema.ts']);
/** Names that still have several meanings, with the reason. This list may only become shorter. */
const severalMeanings: Readonly<Record<string, string>> = {
  // Types of one layer that hold what this layer reads of a type of the API: upstream's name is the right one.
  CustomResourceDefinition: 'the definitions that the registry reads from the store, with their schemas',
  LabelSelector: 'meta/v1 LabelSelector, for the layers that cannot import `api`',
  ValidationRule: 'a rule of x-kubernetes-validations, for the layers that cannot import `api`',
  Node: 'what the status of a Cluster counts of a Node',
  Pod: 'what the status of a Cluster counts of a Pod',
  Eviction: 'a graceful eviction in the controllers, and that of policy/v1',
  // Names of Karmada and Prometheus that are also those of types of the API.
  Counter: 'a counter of metrics, and that of the API group resource.k8s.io',
  Endpoint: 'the endpoint of an API server, and that of an EndpointSlice',
  Placement: 'the placement of Pods in a simulated cluster, and that of a policy',
  clusterAffinity: 'schema and rule of the field, and the filter of the scheduler that evaluates it, as upstream',
  // To be renamed.
  maxInt32: 'the same number in kinds and in scheduler',
  timestamp: 'the metav1.Time of a moment, and the type of CEL',
  scaledValue: 'as resource.Quantity ScaledValue, and as intstr GetScaledValueFromIntOrPercent',
};

function linesOf(node: ts.Node): number {
  const source = node.getSourceFile();
  const line = (position: number): number => source.getLineAndCharacterOfPosition(position).line;
  return line(node.end) - line(node.getStart()) + 1;
}

/** Returns the names that are read with a prefix that tells the meaning, since files import only their module, as `import * as NAME`. */
function prefixed(): ReadonlySet<string> {
  const modules = new Set<string>();
  const byName = new Set<string>();
  for (const { fileName, statements } of product)
    for (const { moduleSpecifier, importClause } of statements.filter(ts.isImportDeclaration)) {
      const { text } = moduleSpecifier as ts.StringLiteral;
      const module = path.join(path.dirname(fileName), text).replace(/\.js$/, '.ts');
      const bindings = importClause?.namedBindings;
      if (bindings && ts.isNamespaceImport(bindings)) modules.add(module);
      else
        for (const { propertyName, name } of bindings?.elements ?? [])
          byName.add(`${module}: ${(propertyName ?? name).text}`);
    }
  const names = product
    .filter(({ fileName }) => modules.has(fileName))
    .flatMap(({ fileName, statements }) => statements.flatMap(exportedNames).map(name => `${fileName}: ${name}`));
  return new Set(names.filter(name => !byName.has(name)));
}

t.test('an exported name has one meaning', async t => {
  const apart = prefixed();
  const places = new Map<string, Set<string>>();
  for (const source of product.filter(({ fileName }) => !languages.has(fileName)))
    for (const name of source.statements.flatMap(exportedNames))
      if (!apart.has(`${source.fileName}: ${name}`))
        places.set(name, (places.get(name) ?? new Set()).add(source.fileName));
  const ofKinds = (file: string): boolean => layersOfKinds.has(file.split('/')[0] ?? '');
  const several = [...places].filter(
    ([name, found]) => found.size > 1 && !verbs.has(name) && ![...found].every(ofKinds),
  );
  t.same(
    several
      .filter(([name]) => severalMeanings[name] === undefined)
      .map(([name, found]) => `${name} in ${[...found].join(', ')}`),
    [],
  );
  const names = new Set(several.map(([name]) => name));
  t.same(
    Object.keys(severalMeanings).filter(name => !names.has(name)),
    [],
    'exceptions that are not needed any more',
  );
});

t.test(`functions have at most ${maxLines} lines and ${maxParameters} parameters`, async t => {
  const functions = product.flatMap(source => [...functionsIn(source)]);
  t.ok(functions.length > 1000, 'there are functions');
  const long = functions.filter(each => linesOf(each) > maxLines).map(placeOf);
  t.same(long, [], `functions of more than ${maxLines} lines: cut them, or make what owns state a class`);
  t.same(
    functions.filter(({ parameters }) => parameters.length > maxParameters).map(placeOf),
    [],
    `functions of more than ${maxParameters} parameters: pass a record`,
  );
});
