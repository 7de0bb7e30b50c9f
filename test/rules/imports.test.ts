import t from 'tap';
import { cycles, type Graph } from './cycles.js';
import { files, importsOf, isProduct, textOf } from './files.js';
import { layers } from './layers.js';

const sources = (folder: string): Generator<string> => files(folder, '.ts');

const under = (file: string, folder: string): boolean => file === folder || file.startsWith(folder + '/');

t.test('every top-level folder is a layer', async t => {
  const folders = new Set([...sources('.')].map(f => f.split('/')[0]));
  for (const folder of folders)
    t.ok(folder !== undefined && folder in layers, `${folder} is listed in test/rules/layers.ts`);
});

t.test('imports follow the layers', async t => {
  const wrong: string[] = [];
  for (const file of sources('.')) {
    const layer = file.split('/')[0] ?? '';
    const allowed = layers[layer] ?? [];
    if (allowed.includes('*')) continue;
    for (const target of importsOf(file)) {
      if (!under(target, layer) && !allowed.some(a => under(target, a))) wrong.push(`${file} imports ${target}`);
    }
  }
  t.same(wrong, []);
});

const withoutExtension = (file: string): string => file.replace(/(\.d)?\.ts$/, '');

/** Returns the graph of imports, with the files of the same `node` merged. */
function graphOf(node: (file: string) => string): Graph {
  const graph = new Map<string, Set<string>>();
  for (const file of [...sources('.')].filter(isProduct)) {
    const from = node(withoutExtension(file));
    const targets = graph.get(from) ?? new Set();
    for (const target of importsOf(file)) if (node(target) !== from) targets.add(node(target));
    graph.set(from, targets);
  }
  return graph;
}

/** Returns the first `depth` segments of a path. A file in the root of a folder is a part of its own. */
const partAt =
  (depth: number) =>
  (file: string): string =>
    file.split('/').slice(0, depth).join('/');

t.test('there are no cycles', async t => {
  t.strictSame(cycles(graphOf(file => file)), [], 'cycles of files');
  const deepest = Math.max(...[...sources('.')].filter(isProduct).map(file => file.split('/').length));
  for (let depth = 1; depth < deepest; depth++)
    t.strictSame(cycles(graphOf(partAt(depth))), [], `cycles of folders of level ${depth}, and files above`);
});

t.test('a layer imports only layers that are listed before it', async t => {
  const order = Object.keys(layers);
  for (const [layer, allowed] of Object.entries(layers))
    for (const target of allowed.filter(name => name !== '*'))
      t.ok(order.indexOf(target.split('/')[0] ?? '') < order.indexOf(layer), `${layer} imports ${target}`);
});

t.test('programs resolve files through the imports of package.json', async t => {
  // Programs run from bundles, where no module is at its own path.
  const programs = [...sources('.')].filter(file => !/^(test|bench|tools)\//.test(file));
  t.same(
    programs.filter(file => /import\.meta\.(url|dirname|filename)/.test(textOf(file))),
    [],
  );
});

t.test('every test file is in exactly one suite', async t => {
  // A test that no suite imports never runs.
  const inSuites = [...sources('test/suites')]
    .flatMap(importsOf)
    .filter(file => file.endsWith('.test'))
    .sort();
  const all = [...sources('test')].filter(file => file.endsWith('.test.ts')).map(file => file.replace(/\.ts$/, ''));
  t.same(inSuites, all.sort());
});
