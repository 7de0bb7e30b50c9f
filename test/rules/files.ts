import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository; this file runs in `dist/test/rules`. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

const skipped = new Set(['node_modules', 'dist', '.git', '.tap']);

/** Yields the files below a folder of the repository, relative to the root, whose names end in one of `endings`. */
export function* files(folder: string, ...endings: readonly string[]): Generator<string> {
  for (const entry of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!skipped.has(entry.name)) yield* files(name, ...endings);
    } else if (endings.some(ending => name.endsWith(ending))) yield name;
  }
}

/** Reports whether a file, named relative to the root, is code of the product. */
export const isProduct = (file: string): boolean =>
  !/^(test|bench|tools|examples)\//.test(file) && !file.endsWith('.d.ts');

/** Returns the text of a file that is named relative to the root. */
export const textOf = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8');

/** Returns the files of the project that a source imports or exports from, relative to the root, without extension. */
export function importsOf(file: string): string[] {
  const text = textOf(file);
  const found = [
    ...text.matchAll(
      /^(?:import|export)\b[^'"]*?from\s+['"](\.[^'"]+)['"]|^import\s+['"](\.[^'"]+)['"]|\bimport\(\s*['"](\.[^'"]+)['"]\s*\)/gm,
    ),
  ];
  return found.map(m => path.normalize(path.join(path.dirname(file), m[1] ?? m[2] ?? m[3] ?? '')).replace(/\.js$/, ''));
}
