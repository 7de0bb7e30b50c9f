/**
 * Branches of a compiled module: bodies of functions, loops and catch clauses, cases, and both outcomes of conditions. V8 does not count defaults of
 * parameters, optional chains and logical assignments, so they are not branches here.
 */
import ts from 'typescript';

/** A branch, found by offsets into the text whose execution counts V8 reports. */
export interface Branch {
  readonly what: string;
  /** An offset that is executed as often as the branch is taken. */
  readonly at: number;
  /** If present, the branch is taken when `at` is executed fewer times than this offset: the outcome that skips `at`. */
  readonly unless?: number;
}

type Found = (branch: Branch) => void;

function ofFunction(node: ts.Node): Branch | undefined {
  if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return undefined;
  // The body of a short arrow function may begin with another function, so its arrow is taken instead.
  const start = ts.isArrowFunction(node) ? node.equalsGreaterThanToken : (node.body as ts.Node);
  return { what: 'the function', at: start.getStart() };
}

function ofIf(node: ts.IfStatement, found: Found): void {
  const at = node.thenStatement.getStart();
  found({ what: 'if', at });
  if (node.elseStatement) found({ what: 'else', at: node.elseStatement.getStart() });
  else found({ what: 'not if', at, unless: node.getStart() });
}

const logical: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
]);

function ofOperator(node: ts.BinaryExpression, found: Found): void {
  if (!logical.has(node.operatorToken.kind)) return;
  const at = node.operatorToken.getStart();
  const operator = node.operatorToken.getText();
  found({ what: `right of ${operator}`, at });
  found({ what: `left of ${operator} alone`, at, unless: node.getStart() });
}

function branchesAt(node: ts.Node, found: Found): void {
  const body = ofFunction(node);
  if (body) found(body);
  else if (ts.isIfStatement(node)) ofIf(node, found);
  else if (ts.isBinaryExpression(node)) ofOperator(node, found);
  else if (ts.isConditionalExpression(node)) {
    found({ what: '?', at: node.questionToken.getStart() });
    found({ what: ':', at: node.colonToken.getStart() });
  } else if (ts.isIterationStatement(node, false)) found({ what: 'the loop', at: node.statement.getStart() });
  else if (ts.isCaseOrDefaultClause(node)) found({ what: 'the case', at: node.getStart() });
  else if (ts.isCatchClause(node)) found({ what: 'catch', at: node.block.getStart() });
}

/** Returns the branches of a JavaScript module in the order of its text. */
export function branchesOf(text: string): readonly Branch[] {
  const found: Branch[] = [];
  const visit = (node: ts.Node): void => {
    branchesAt(node, branch => found.push(branch));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('module.js', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS));
  return found;
}
