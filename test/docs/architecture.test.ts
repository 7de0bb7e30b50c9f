/** Files, functions and layers that docs/architecture.md names exist. */
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { layers } from '../rules/layers.js';
import { prose, quoted, read, root, tableRows } from './documents.js';

const text = prose(read('docs/architecture.md'));
const isSource = (name: string): boolean => /^[\w./-]+\.ts$/.test(name) && name.includes('/');

/** Returns whether the source defines a function, constant, class or method of this name, which may be private. */
function defines(source: string, name: string): boolean {
  const declared = new RegExp(`\\b(?:function\\*?|const|class)\\s+${name}\\b`);
  const method = new RegExp(`^\\s+(?:async\\s+)?\\*?#?${name}(?:<[^>]*>)?\\([^;]*$`, 'm');
  const property = new RegExp(`^\\s+(?:readonly\\s+)?#?${name}(?::\\s|\\s=\\s)[^;]*=>`, 'm');
  return declared.test(source) || method.test(source) || property.test(source);
}

interface Place {
  readonly file: string;
  readonly name: string;
}

/** Places in table rows with a file in one cell and functions in the next. */
function tablePlaces(): Place[] {
  return tableRows(text).flatMap(cells =>
    cells.flatMap((cell, at) => {
      const [file, ...others] = quoted(cell);
      if (file === undefined || !isSource(file) || others.length > 0 || cell !== `\`${file}\``) return [];
      return quoted(cells[at + 1] ?? '').map(name => ({ file, name }));
    }),
  );
}

/** Places in sentences: `name` in `file.ts`, and `name` (`file.ts`). */
function prosePlaces(): Place[] {
  return [...text.matchAll(/`(\w+)`(?:\s+in\s+|\s+\()`([^`]+)`/g)].flatMap(([, name = '', file = '']) =>
    isSource(file) ? [{ file, name }] : [],
  );
}

t.test('every named file exists', async t => {
  const files = new Set(quoted(text).filter(isSource));
  t.ok(files.size > 60, `${files.size} files are named`);
  const missing = [...files].filter(file => !fs.existsSync(path.join(root, file)));
  t.same(missing, []);
});

t.test('every function is defined in the file that is named with it', async t => {
  const places = [...tablePlaces(), ...prosePlaces()];
  t.ok(places.length > 100, `${places.length} functions are named`);
  const interfaces = /^(?:export )?(?:interface|type) /m;
  const missing = places.filter(({ file, name }) => {
    const source = read(file);
    const type = new RegExp(`${interfaces.source}${name}\\b`, 'm');
    return !defines(source, name) && !type.test(source);
  });
  t.same(missing, []);
});

t.test('the steps of the walk are numbered without a gap', async t => {
  const numbers = tableRows(text).flatMap(([first = '']) => (/^\d+$/.test(first) ? [Number(first)] : []));
  t.same(
    numbers,
    numbers.map((_, at) => at + 1),
  );
});

t.test('the layers are those of test/rules/layers.ts', async t => {
  const everything = (allowed: readonly string[]): readonly string[] => (allowed[0] === '*' ? [] : allowed);
  const wanted = Object.entries(layers).map(([layer, allowed]) => [layer, everything(allowed)]);
  const listed = tableRows(text).flatMap(cells => {
    const [layer] = quoted(cells[0] ?? '');
    return layer !== undefined && layer in layers && cells.length === 3 ? [[layer, quoted(cells[2] ?? '')]] : [];
  });
  t.same(listed, wanted);
});
