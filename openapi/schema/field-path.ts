/** Paths in definitions that refer to a field of the schema: `.spec.a['b-c']`. as schema/cel ValidFieldPath */
import { child, key } from '../../apimachinery/errors/faults.js';
import { namedEscapes } from '../../lib/go/go-escapes.js';
import { type SchemaProps, moreOf, propertyOf } from './schema-props.js';

interface FieldPath {
  /** The path in the form of faults: `spec.a`. */
  readonly path: string;
  /** The schema that the path leads to. */
  readonly schema: SchemaProps | undefined;
}

const escapes: Readonly<Record<string, string>> = { ...namedEscapes, "'": "'" };

class PathFault extends Error {}

function fail(text: string): never {
  throw new PathFault(text);
}

/** Splits a path into names and delimiters; a quoted name is one token. */
function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  for (let at = 0; at < text.length;) {
    const remaining = text.slice(at);
    const token = /^(?:'(?:\\.|[^'\\])*'|[.[\]]|[^.[\]]+)/s.exec(remaining)?.[0] ?? remaining;
    tokens.push(token);
    at += token.length;
  }
  return tokens;
}

function unquote(token: string): string {
  if (!/^'.*'$/s.test(token) || token.length < 2) fail(`expected single quoted string but got ${token}`);
  return token.slice(1, -1).replace(/\\(.)/gs, (all, letter: string) => {
    return escapes[letter] ?? fail(`invalid string literal: invalid escape char ${all}`);
  });
}

function step(from: FieldPath, name: string): FieldPath {
  const { schema } = from;
  if (schema?.properties) {
    const found = propertyOf(schema, name) ?? fail('does not refer to a valid field');
    return { path: child(from.path, name), schema: found };
  }
  if (schema?.additionalProperties === undefined) fail('does not refer to a valid field');
  return { path: key(from.path, name), schema: moreOf(schema) };
}

function walk(text: string, schema: SchemaProps, brackets: boolean): FieldPath {
  const tokens = tokensOf(text);
  let at = 0;
  const next = (): string => tokens[at++] ?? fail('unexpected end of JSON path');
  let here: FieldPath = { path: '', schema };
  while (at < tokens.length) {
    const token = next();
    if (token === '.') here = step(here, next());
    else if (token === '[') {
      if (!brackets) fail('array notation is not allowed');
      here = step(here, unquote(next()));
      const close = next();
      if (close !== ']') fail(`expected ] but got ${close}`);
    } else fail(`expected [ or . but got: ${token}`);
  }
  return here;
}

/** Resolves a path, or returns the text of the error. `brackets: false` allows only dots, as for selectable fields. */
export function readFieldPath(
  text: string,
  schema: SchemaProps,
  options: { readonly brackets?: boolean } = {},
): FieldPath | { readonly error: string } {
  try {
    return walk(text, schema, options.brackets ?? true);
  } catch (error) {
    if (error instanceof PathFault) return { error: error.message };
    throw error;
  }
}
