/** Field selectors: `metadata.name=a,spec.nodeName!=b`. as apimachinery/pkg/fields */
import { badRequest } from '../errors/status.js';
import { maxRequirements, tooManyRequirements } from './limits.js';

interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** A compiled field selector. It matches if all requirements hold. */
export interface CompiledFieldSelector {
  readonly requirements: readonly FieldRequirement[];
  readonly empty: boolean;
  /** Returns whether an object with these fields matches. A missing field is ''. */
  matches(fields: Readonly<Record<string, string>>): boolean;
  /** Returns the value that the field must have, if any, for indexes. */
  exactMatch(field: string): string | undefined;
  toString(): string;
}

const escape = (value: string): string => value.replace(/[\\,=]/g, c => `\\${c}`);

function fieldSelectorOf(requirements: readonly FieldRequirement[]): CompiledFieldSelector {
  const get = (fields: Readonly<Record<string, string>>, name: string): string =>
    Object.hasOwn(fields, name) ? (fields[name] ?? '') : '';
  return {
    requirements,
    empty: requirements.length === 0,
    matches: fields => requirements.every(r => (get(fields, r.field) === r.value) === (r.operator === '=')),
    exactMatch: field => requirements.find(r => r.field === field && r.operator === '=')?.value,
    toString: () => requirements.map(r => `${r.field}${r.operator}${escape(r.value)}`).join(','),
  };
}

const everyField: CompiledFieldSelector = fieldSelectorOf([]);

/** Splits at commas without a backslash before them. Throws 400 for too many terms. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(from, i));
      if (terms.length >= maxRequirements) throw badRequest(`invalid selector: ${tooManyRequirements}`);
      from = i + 1;
    }
  }
  terms.push(text.slice(from));
  return terms;
}

function unescape(text: string): string {
  let out = '';
  const runes = [...text];
  for (let i = 0; i < runes.length; i++) {
    const rune = runes[i] ?? '';
    if (rune === ',' || rune === '=')
      throw badRequest(`invalid field selector: unescaped character in value: ${rune.charCodeAt(0)}`);
    if (rune !== '\\') {
      out += rune;
      continue;
    }
    const next = runes[++i] ?? '';
    if (!['\\', ',', '='].includes(next))
      throw badRequest(`invalid field selector: invalid escape sequence: \\${next}`);
    out += next;
  }
  return out;
}

/** Parses the string syntax. Throws 400 with upstream's text. */
export function parseFieldSelector(text: string): CompiledFieldSelector {
  const out: FieldRequirement[] = [];
  for (const term of splitTerms(text).sort()) {
    if (term === '') continue;
    const parts = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
    if (!parts) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, field = '', operator = '', value = ''] = parts;
    out.push({ field, operator: operator === '!=' ? '!=' : '=', value: unescape(value) });
  }
  return out.length === 0 ? everyField : fieldSelectorOf(out);
}
