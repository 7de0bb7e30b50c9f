/** Finds fixed waits in a test: a pause after which nothing is looked at again. */
import ts from 'typescript';

/** Loops over given elements are none: they look at no condition. */
const isLoop = (node: ts.Node): boolean => ts.isIterationStatement(node, false) && !ts.isForOfStatement(node);

/** Returns the expressions by which a file calls the `setTimeout` that returns a promise. */
function timersOf(file: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    if (!/^(node:)?timers\/promises$/.test(statement.moduleSpecifier.text)) continue;
    const bindings = statement.importClause?.namedBindings;
    if (bindings && ts.isNamespaceImport(bindings)) names.add(`${bindings.name.text}.setTimeout`);
    for (const { propertyName, name } of bindings && ts.isNamedImports(bindings) ? bindings.elements : [])
      if ((propertyName ?? name).text === 'setTimeout') names.add(name.text);
  }
  return names;
}

/** Returns whether a promise is made of a timer: `new Promise(resolve => setTimeout(resolve, 10))`. */
function isTimer(node: ts.Node): boolean {
  if (!ts.isNewExpression(node) || node.expression.getText() !== 'Promise') return false;
  const [executor] = node.arguments ?? [];
  if (executor === undefined || !ts.isArrowFunction(executor)) return false;
  const resolve = executor.parameters[0]?.name.getText();
  const [, callback] = /^\{?\s*(?:void )?setTimeout\((\w+)\b/.exec(executor.body.getText()) ?? [];
  return callback !== undefined && callback === resolve;
}

/** Returns whether the node is in a loop of its function, where a condition is looked at again after each pause. */
function isInLoop(node: ts.Node): boolean {
  for (let at = node.parent; at && !ts.isFunctionLike(at); at = at.parent) if (isLoop(at)) return true;
  return false;
}

/** Returns the lines with fixed waits. Pauses between two looks at a condition are none. */
export function fixedWaits(text: string): readonly number[] {
  const file = ts.createSourceFile('test.ts', text, ts.ScriptTarget.Latest, true);
  const timers = timersOf(file);
  const lines: number[] = [];
  const visit = (node: ts.Node): void => {
    const isPause = ts.isCallExpression(node) && timers.has(node.expression.getText());
    if ((isPause || isTimer(node)) && !isInLoop(node))
      lines.push(file.getLineAndCharacterOfPosition(node.getStart()).line + 1);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return lines;
}
