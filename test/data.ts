/** Recorded data of Kubernetes and Karmada (see docs/conformance.md). */
import fs from 'node:fs';
import { gunzipSync } from 'node:zlib';

export interface Vectors<I, O> {
  readonly area: string;
  readonly cases: readonly { readonly name: string; readonly input: I; readonly output: O }[];
}

function load(path: string): unknown {
  return JSON.parse(gunzipSync(fs.readFileSync(new URL(`./data/${path}.gz`, import.meta.url))).toString('utf8'));
}

/** Returns the inputs and outputs of the functions of an area in the real system, such as `golden('names')`. */
export function golden<I, O>(area: string): Vectors<I, O> {
  return load(`golden/${area}.json`) as Vectors<I, O>;
}

export function recorded(path: string): unknown {
  return load(path);
}
