/** The queries of `search/cache?q=`: words, `field:value`, `-` for terms that must not match, and `*` at the end of a value. */
import { badRequest } from '../../apimachinery/errors/status.js';
import type { IndexedField } from './entry.js';
import { wordsOf } from './words.js';

/** `kind` and `cluster` select whole collections. */
type QueryField = IndexedField | 'kind' | 'cluster';

export interface Pattern {
  /** In lower case. */
  readonly text: string;
  /** The pattern matches every value that begins with the text. */
  readonly isPrefix: boolean;
}

export interface QueryTerm {
  readonly field: QueryField;
  readonly isNegated: boolean;
  /** One of the patterns of a field must match, but all of those of words. */
  readonly patterns: readonly Pattern[];
}

export type SearchQuery = readonly QueryTerm[];

/** Maximum characters of a query, and numbers of its terms and of the patterns in all of them. */
const maxQuery = 1024;
const maxTerms = 32;
const maxPatterns = 64;

const fields: ReadonlySet<string> = new Set(['name', 'namespace', 'label', 'image', 'health', 'kind', 'cluster']);

/** A term: an optional `-`, then text without spaces, or in quotes after an optional `field:`. */
const termSyntax = /\s*(-?)((?:[a-z]+:)?"[^"]*"|[^\s"]+)(?=\s|$)/y;

function patternOf(value: string): Pattern {
  const isPrefix = value.endsWith('*');
  const text = (isPrefix ? value.slice(0, -1) : value).toLowerCase();
  if (text.includes('*')) throw badRequest(`invalid query: "*" is only allowed at the end of a value: ${value}`);
  return { text, isPrefix };
}

function wordPatterns(value: string): Pattern[] {
  const isPrefix = /[\p{L}\p{N}]\*$/u.test(value);
  const words = wordsOf(value);
  return words.map((text, i) => ({ text, isPrefix: isPrefix && i === words.length - 1 }));
}

function readTerm(text: string, isNegated: boolean): QueryTerm {
  const colon = text.indexOf(':');
  const field = text.slice(0, Math.max(colon, 0));
  const value = (fields.has(field) ? text.slice(colon + 1) : text).replaceAll('"', '');
  if (!fields.has(field)) return { field: 'word', isNegated, patterns: wordPatterns(value) };
  if (value === '') throw badRequest(`invalid query: ${field} has no value`);
  return { field: field as QueryField, isNegated, patterns: value.split(',').map(patternOf) };
}

/** Parses a query. Throws 400 if it is invalid or too long. */
export function parseSearchQuery(text: string): SearchQuery {
  if (text.length > maxQuery) throw badRequest(`invalid query: it is longer than ${maxQuery} characters`);
  const terms: QueryTerm[] = [];
  const trimmed = text.trimEnd();
  termSyntax.lastIndex = 0;
  while (termSyntax.lastIndex < trimmed.length) {
    const at = termSyntax.lastIndex;
    const [, minus, term = ''] = termSyntax.exec(trimmed) ?? [];
    if (term === '') throw badRequest(`invalid query: unexpected text at character ${at + 1}`);
    terms.push(readTerm(term, minus === '-'));
  }
  const patterns = terms.reduce((sum, term) => sum + term.patterns.length, 0);
  if (terms.length > maxTerms || patterns > maxPatterns)
    throw badRequest(`invalid query: it has more than ${maxTerms} terms or ${maxPatterns} values`);
  return terms;
}
