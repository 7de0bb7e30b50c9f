/** Recorded data of the systems that we must agree with (see docs/conformance.md). */
import fs from 'node:fs';
import { gunzipSync } from 'node:zlib';

export interface Vectors<I, O> {
  readonly area: string;
  readonly cases: readonly { readonly name: string; readonly input: I; readonly output: O }[];
}

function load(path: string): unknown {
  return JSON.parse(gunzipSync(fs.readFileSync(new URL(`./data/${path}.gz`, import.meta.url))).toString('utf8'));
}

/** `golden('names')`: inputs, and what the real function made of them. */
export function golden<I, O>(area: string): Vectors<I, O> {
  return load(`golden/${area}.json`) as Vectors<I, O>;
}

export function recorded(path: string): unknown {
  return load(path);
}
