/** An exported name is used in another file: what only its own file uses is not exported. */
import t from 'tap';
import ts from 'typescript';
import { exportedNames } from './exports.js';
import { files, importsOf, textOf } from './files.js';

/** A module as the rule sees it. */
interface Module {
  /** The path relative to the root, without extension. */
  readonly path: string;
  readonly exports: readonly string[];
  readonly imports: readonly string[];
  /** All words of the text. */
  readonly words: ReadonlySet<string>;
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.match(/[\w$]+/g));

/** Returns the exports that no importer of their module mentions, as `PATH: NAME`. */
function unused(modules: readonly Module[]): string[] {
  const importers = new Map<string, Module[]>();
  for (const module of modules)
    for (const path of module.imports) importers.set(path, [...(importers.get(path) ?? []), module]);
  return modules.flatMap(({ path, exports }) =>
    exports.filter(name => !importers.get(path)?.some(({ words }) => words.has(name))).map(name => `${path}: ${name}`),
  );
}

/** Reads a file. Scripts of the build import what is compiled, and export nothing; generated declarations export what they have. */
function moduleOf(file: string): Module {
  const text = textOf(file);
  const isSource = file.endsWith('.ts') && !file.endsWith('.d.ts');
  const exports = isSource
    ? ts.createSourceFile(file, text, ts.ScriptTarget.Latest).statements.flatMap(exportedNames)
    : [];
  return {
    ...{ path: file.replace(/(\.d)?\.ts$/, ''), exports, words: wordsOf(text) },
    imports: importsOf(file).map(path => path.replace(/^dist\//, '')),
  };
}

t.test('a name is used if an importer of its module mentions it', async t => {
  const module = (path: string, exports: readonly string[], imports: readonly string[], text: string): Module => ({
    ...{ path, exports, imports, words: wordsOf(text) },
  });
  const modules = [
    module('a', ['used', 'unused', 'sameNameElsewhere'], [], ''),
    module('b', [], ['a'], "import { used } from './a.js';"),
    module('c', [], [], 'const sameNameElsewhere = 1;'),
  ];
  t.strictSame(unused(modules), ['a: unused', 'a: sameNameElsewhere']);
});

t.test('exported names are used in another file', async t => {
  const modules = [...files('.', '.ts', '.mjs')].map(moduleOf);
  // The types of `api` describe whole API groups, as upstream's packages do.
  t.same(
    unused(modules).filter(name => !name.startsWith('api/')),
    [],
  );
});
