/** Reads the recorded requests of an area. */
import type { JsonObject } from '../../../apimachinery/interface.js';
import { recorded } from '../../data.js';

export interface Step {
  readonly do: string;
  readonly type?: string;
  readonly body?: unknown;
  readonly text?: string;
  readonly ignore?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly want?: { readonly status: number; readonly body?: JsonObject };
}

interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
}

export function corpus(area: string): readonly Case[] {
  return (recorded(`corpus/${area}.json`) as { cases: readonly Case[] }).cases;
}

export function corpusCase(area: string, name: string): Case {
  const found = corpus(area).find(c => c.name === name);
  if (!found) throw new Error(`no case ${name} in ${area}`);
  return found;
}

const object = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const empty = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** Returns the value without these keys, which the server sets, and without values that are empty then. */
export function stripped(value: unknown, keys: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map(item => stripped(item, keys));
  if (!object(value)) return value;
  const kept = Object.entries(value)
    .filter(([key]) => !keys.has(key))
    .map(([key, inner]) => [key, stripped(inner, keys)] as const);
  return Object.fromEntries(kept.filter(([, inner]) => !empty(inner)));
}
