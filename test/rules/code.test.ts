/** What can be checked of `CONTRIBUTING.md`, "How we write": one exported name has one meaning in its layer, and functions are short. */
import t from 'tap';
import ts from 'typescript';
import { exportedNames } from './exports.js';
import { files, isProduct, textOf } from './files.js';

/** Lines of the longest function. */
const maxLines = 100;
const maxParameters = 5;
/** Kinds of several groups share upstream's names, and schemas and rules of one field share its name. */
const layersOfKinds: ReadonlySet<string> = new Set(['api', 'kinds']);

const product = [...files('.', '.ts')]
  .filter(isProduct)
  .map(file => ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest, true));

type FunctionWithBody = ts.FunctionLikeDeclaration & { readonly body: ts.Node };

function* functionsIn(node: ts.Node): Generator<FunctionWithBody> {
  if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) yield node as FunctionWithBody;
  const children: ts.Node[] = [];
  ts.forEachChild(node, child => void children.push(child));
  for (const child of children) yield* functionsIn(child);
}

/** Returns `FILE:LINE`. */
function placeOf(node: ts.Node): string {
  const source = node.getSourceFile();
  return `${source.fileName}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}

function linesOf(node: ts.Node): number {
  const source = node.getSourceFile();
  const line = (position: number): number => source.getLineAndCharacterOfPosition(position).line;
  return line(node.end) - line(node.getStart()) + 1;
}

t.test('an exported name has one meaning in its layer', async t => {
  const places = new Map<string, Set<string>>();
  for (const source of product) {
    const layer = source.fileName.split('/')[0] ?? '';
    if (layersOfKinds.has(layer)) continue;
    for (const name of source.statements.flatMap(exportedNames)) {
      const key = `${layer}: ${name}`;
      places.set(key, (places.get(key) ?? new Set()).add(source.fileName));
    }
  }
  const several = [...places].filter(([, found]) => found.size > 1);
  t.same(
    several.map(([name, found]) => `${name} in ${[...found].join(', ')}`),
    [],
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
