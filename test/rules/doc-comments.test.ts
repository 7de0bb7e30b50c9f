/** Exported functions have a doc comment (CONTRIBUTING.md). */
import t from 'tap';
import ts from 'typescript';
import { placeOf, product } from './functions.js';

const isFunction = (node: ts.Node | undefined): boolean =>
  node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));

/** Reports whether a statement exports a function. */
function exportsFunction(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  if (!modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return false;
  if (ts.isFunctionDeclaration(statement)) return true;
  return (
    ts.isVariableStatement(statement) &&
    statement.declarationList.declarations.some(({ initializer }) => isFunction(initializer))
  );
}

/** Reports whether a doc comment stands before a statement. The first comment of a file, before an empty line, is about the file. */
function hasDoc(statement: ts.Statement): boolean {
  const text = statement.getSourceFile().text;
  const comments = ts.getLeadingCommentRanges(text, statement.pos) ?? [];
  return comments.some(
    ({ pos, end }) => text.startsWith('/**', pos) && !/^\s*\n\s*\n/.test(text.slice(end, statement.getStart())),
  );
}

const withoutDoc = (source: ts.SourceFile): ts.Statement[] =>
  source.statements.filter(statement => exportsFunction(statement) && !hasDoc(statement));

t.test('functions without a doc comment are found', async t => {
  const text = [
    ...['/** About the file. */', '', 'export function a() {}'],
    ...[
      '/** Returns 1. */',
      'export const b = () => 1;',
      '/** Returns 2. */',
      '// as upstream',
      'export function c() {}',
    ],
    ...['// No doc comment.', 'export const d = async () => 1;', 'export const e = 1;', 'function f() {}'],
  ].join('\n');
  const found = withoutDoc(ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true));
  t.strictSame(found.map(placeOf), ['a.ts:3', 'a.ts:10']);
});

t.test('exported functions have a doc comment', async t => {
  t.same(product.flatMap(withoutDoc).map(placeOf), []);
});
