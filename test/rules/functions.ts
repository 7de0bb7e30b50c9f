/** Finds the functions of the product. */
import ts from 'typescript';
import { files, isProduct, textOf } from './files.js';

/** The sources of the product, parsed. */
export const product: readonly ts.SourceFile[] = [...files('.', '.ts')]
  .filter(isProduct)
  .map(file => ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest, true));

export type FunctionWithBody = ts.FunctionLikeDeclaration & { readonly body: ts.Node };

/** Yields all functions in a node, the node itself included, outer ones first. */
export function* functionsIn(node: ts.Node): Generator<FunctionWithBody> {
  if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) yield node as FunctionWithBody;
  const children: ts.Node[] = [];
  ts.forEachChild(node, child => void children.push(child));
  for (const child of children) yield* functionsIn(child);
}

/** Returns `FILE:LINE`. */
export function placeOf(node: ts.Node): string {
  const source = node.getSourceFile();
  return `${source.fileName}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}
