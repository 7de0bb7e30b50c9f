/** A function that holds many others is an object in disguise: what owns state is a class with named fields (CONTRIBUTING.md). */
import t from 'tap';
import ts from 'typescript';
import { type FunctionWithBody, functionsIn, product } from './functions.js';

/** A function with as many inner functions, at any depth, is listed below. */
const limit = 10;

/**
 * The functions at or above the limit, with the numbers of their inner functions. They own no state that changes: they are tables of functions, and
 * walks with many callbacks. This list may only become shorter, and its numbers smaller.
 */
const allowed: Readonly<Record<string, number>> = {
  'controllers/interpreter/customized/customized.ts: customizedInterpreter': 12,
  'controllers/interpreter/native/dependencies.ts: podDependencies': 11,
  'controllers/interpreter/native/job-status.ts: aggregateJob': 10,
  'controllers/interpreter/third-party/third-party.ts: tableInterpreter': 11,
  'controllers/interpreter/tiers.ts: tieredInterpreter': 12,
  'controllers/interpreter/webhook/webhook.ts: webhookInterpreter': 12,
  'kinds/kubernetes/core/pod-spec/stored-pod-options.ts: podOptions': 14,
  'registry/pipeline/stored/layout.ts: layoutOf': 13,
  'scheduler/place/assign.ts: divideDynamically': 11,
  'server/paths.ts: pathsOf': 11,
  'server/serve.ts: serve': 10,
  'server/start-server.ts: start': 10,
};

/** Returns the name of a function, or that of the variable, property or field that it is the value of. */
function nameOf(node: FunctionWithBody): string {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  const { name, parent } = node;
  if (name) return name.getText();
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent)
    ? parent.name.getText()
    : 'a function';
}

const innerCount = (node: FunctionWithBody): number => [...functionsIn(node)].length - 1;

/** Returns the functions at or above the limit as `FILE: NAME`, with the numbers of their inner functions. Of nested ones, only the outermost. */
function manyInner(sources: readonly ts.SourceFile[]): Record<string, number> {
  const found: Record<string, number> = {};
  const visit = (node: ts.Node): void => {
    const isFunction = ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
    const count = isFunction ? innerCount(node as FunctionWithBody) : 0;
    if (count >= limit) found[`${node.getSourceFile().fileName}: ${nameOf(node as FunctionWithBody)}`] = count;
    else ts.forEachChild(node, visit);
  };
  sources.forEach(visit);
  return found;
}

t.test('inner functions are counted at any depth', async t => {
  const inner = Array.from({ length: limit - 1 }, (_, i) => `f${i}: () => ${i}`).join();
  const textOf = (more: string): string => `export const many = () => ({ ${inner}, g: () => 1, ${more} });`;
  const sourceOf = (text: string): ts.SourceFile => ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
  t.strictSame(manyInner([sourceOf(textOf(''))]), { 'a.ts: many': limit });
  t.strictSame(manyInner([sourceOf(textOf('h() { return [1].map(x => x); }'))]), { 'a.ts: many': limit + 2 });
  t.strictSame(
    manyInner([sourceOf(`class C { ${inner.replaceAll(': () =>', ' = () =>').replaceAll(',', ';')} }`)]),
    {},
  );
});

t.test(`functions hold less than ${limit} others`, async t => {
  t.strictSame(manyInner(product), allowed, 'make what owns state a class; take what is better now out of the list');
});
