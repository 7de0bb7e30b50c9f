import path from 'node:path';
import t from 'tap';
import { files, textOf } from './files.js';
import { layers, roots } from './layers.js';

const sources = (folder: string): Generator<string> => files(folder, '.ts');

/** Our own files that a source names in an import or export, relative to the root, without extension. */
function imports(file: string): string[] {
  const text = textOf(file);
  const found = [
    ...text.matchAll(
      /^(?:import|export)\b[^'"]*?from\s+['"](\.[^'"]+)['"]|^import\s+['"](\.[^'"]+)['"]|\bimport\(\s*['"](\.[^'"]+)['"]\s*\)/gm,
    ),
  ];
  return found.map(m => path.normalize(path.join(path.dirname(file), m[1] ?? m[2] ?? m[3] ?? '')).replace(/\.js$/, ''));
}

const under = (file: string, folder: string): boolean => file === folder || file.startsWith(folder + '/');

t.test('every folder is a layer of the plan', async t => {
  const folders = new Set([...sources('.')].map(f => f.split('/')[0]));
  for (const folder of folders)
    t.ok(folder !== undefined && folder in layers, `${folder} stands in test/rules/layers.ts`);
});

t.test('imports follow the layers', async t => {
  const wrong: string[] = [];
  for (const file of sources('.')) {
    const layer = file.split('/')[0] ?? '';
    const allowed = layers[layer] ?? [];
    if (allowed.includes('*') || roots.some(r => under(file, r))) continue;
    for (const target of imports(file)) {
      if (!under(target, layer) && !allowed.some(a => under(target, a))) wrong.push(`${file} imports ${target}`);
    }
  }
  t.same(wrong, []);
});

t.test('programs find files by the names of package.json', async t => {
  // They run from bundles, where no module is at its place.
  const programs = [...sources('.')].filter(file => !/^(test|bench|tools)\//.test(file));
  t.same(
    programs.filter(file => /import\.meta\.(url|dirname|filename)/.test(textOf(file))),
    [],
  );
});

t.test('every test stands in one suite', async t => {
  // What no suite imports is never run.
  const inSuites = [...sources('test/suites')].flatMap(imports).sort();
  const all = [...sources('test')].filter(file => file.endsWith('.test.ts')).map(file => file.replace(/\.ts$/, ''));
  t.same(inSuites, all.sort());
});
