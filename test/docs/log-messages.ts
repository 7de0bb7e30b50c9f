/** Reads the log messages from the source. */
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from './documents.js';

const skipped = new Set(['node_modules', 'dist', 'test', 'bench', 'tools', 'docs', 'examples']);
/** The logger itself, which passes on messages of its callers. */
const passesOn = new Set(['lib/logging/failure-state.ts', 'server/logger.ts']);

/** Yields the paths of the source files of the program, relative to the root. */
function* sources(folder = '.'): Generator<string> {
  for (const entry of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!skipped.has(entry.name) && !entry.name.startsWith('.')) yield* sources(name);
    } else if (name.endsWith('.ts')) yield name;
  }
}

interface LogMessages {
  /** Entries `level message`. A state has two: `warn` when it begins and `info` when it ends. */
  readonly messages: ReadonlySet<string>;
  /** Places where the message is not a constant text: `file:line`. */
  readonly unclear: readonly string[];
}

/** Returns the texts that an expression can have, if it is a literal, a choice of literals, or a constant of the same file. */
function textsOf(node: ts.Expression, constants: ReadonlyMap<string, ts.Expression>): string[] | undefined {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isConditionalExpression(node)) {
    const [one, other] = [textsOf(node.whenTrue, constants), textsOf(node.whenFalse, constants)];
    return one && other && [...one, ...other];
  }
  const constant = ts.isIdentifier(node) ? constants.get(node.text) : undefined;
  return constant && textsOf(constant, constants);
}

const levels = new Set(['info', 'warn', 'error']);

/** Returns level and message of a row `[level, message]` of a table for `log[level](fields, message)`. */
function rowOf(node: ts.Node): { readonly level: string; readonly text: ts.Expression } | undefined {
  if (!ts.isArrayLiteralExpression(node) || node.elements.length !== 2) return undefined;
  const [level, text] = node.elements;
  return level && text && ts.isStringLiteral(level) && levels.has(level.text) && ts.isStringLiteral(text)
    ? { level: level.text, text }
    : undefined;
}

/** Returns level and message of a call that writes to the log, or of a property that holds a log message. */
function messageOf(node: ts.Node): { readonly level: string; readonly text: ts.Expression } | undefined {
  if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name)) {
    if (node.name.text === 'fails') return { level: 'warn', text: node.initializer };
    if (node.name.text === 'works' && ts.isStringLiteralLike(node.initializer))
      return { level: 'info', text: node.initializer };
  }
  if (!ts.isCallExpression(node)) return undefined;
  const { expression, arguments: args } = node;
  const [, text] = args;
  if (!text) return undefined;
  if (ts.isIdentifier(expression) && expression.text === 'repeatedly') return { level: 'warn', text };
  if (!ts.isPropertyAccessExpression(expression)) return undefined;
  const level = expression.name.text;
  if (!/\blog(?:ger)?$/i.test(expression.expression.getText())) return undefined;
  return levels.has(level) ? { level, text } : undefined;
}

/** Returns the log messages of the program at `info` and above. */
export function logMessages(): LogMessages {
  const messages = new Set<string>();
  const unclear: string[] = [];
  for (const name of sources()) {
    const content = fs.readFileSync(path.join(root, name), 'utf8');
    if (passesOn.has(name) || !/\blog|\bfails:|repeatedly\(/i.test(content)) continue;
    const file = ts.createSourceFile(name, content, ts.ScriptTarget.Latest, true);
    const hasTable = /\blog\[\w+\]\(/i.test(content);
    const constants = new Map<string, ts.Expression>();
    const visit = (node: ts.Node, look: (node: ts.Node) => void): void => {
      look(node);
      node.forEachChild(child => visit(child, look));
    };
    visit(file, node => {
      if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
        constants.set(node.name.text, node.initializer);
    });
    visit(file, node => {
      const said = messageOf(node) ?? (hasTable ? rowOf(node) : undefined);
      if (!said) return;
      const texts = textsOf(said.text, constants);
      for (const text of texts ?? []) messages.add(`${said.level} ${text}`);
      if (!texts) unclear.push(`${name}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
    });
  }
  return { messages, unclear };
}
