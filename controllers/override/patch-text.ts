/** Patches a document in a text field, such as a configuration file in a ConfigMap. Pure, so that it runs in any thread. */
import { ExpectedError } from '../../lib/logging/cause.js';
import type { Task } from '../../lib/offload/interface.js';
import { readYaml } from '../../lib/yaml/read-yaml.js';
import { writeYaml } from '../../lib/yaml/write-yaml.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { jsonText } from '../../lib/json/json.js';
import type { JsonPatchOp } from '../../apimachinery/patch/json-patch.js';
import { parsePointer } from '../../apimachinery/patch/json-pointer.js';
import { readJson } from '../../apimachinery/codec/read-json.js';
import { strictPatch } from './patch.js';

export interface TextPatch {
  readonly format: 'json' | 'yaml';
  readonly text: string;
  readonly ops: readonly JsonPatchOp[];
}

/** Returns the patched text. Throws if the text cannot be parsed or the patch cannot be applied. */
export function patchText({ format, text, ops }: TextPatch): string {
  return format === 'yaml' ? patchYaml(text, ops) : patchJson(text, ops);
}

/** Patches JSON. The keys of changed maps are sorted, as Go writes maps; other maps keep their order. */
function patchJson(text: string, ops: readonly JsonPatchOp[]): string {
  const document: unknown = strictPatch(readJson(text), ops);
  const paths = ops.map(({ path }) => parsePointer(path).slice(0, -1));
  return jsonText(sortedAlong(document, paths));
}

function sortedAlong(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (value === null || typeof value !== 'object' || paths.length === 0) return value;
  const below = new Map<string, (readonly string[])[]>();
  for (const [first, ...rest] of paths) {
    if (first === undefined) continue;
    const further = below.get(first);
    if (further) further.push(rest);
    else below.set(first, [rest]);
  }
  const sortedBelow = (key: string, part: unknown): unknown => sortedAlong(part, below.get(key) ?? []);
  if (Array.isArray(value)) return value.map((item, i) => sortedBelow(String(i), item));
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, entry]) => [key, sortedBelow(key, entry)]));
}

function patchYaml(text: string, ops: readonly JsonPatchOp[]): string {
  const read = readYaml(text);
  if (read.type === 'error') throw new ExpectedError(read.text);
  return writeYaml(strictPatch(read.value, ops));
}

// --- the task for the thread pool ------------------------------------------------------------------------------

/** The name of `patchTextTask`. */
export const patchTextTaskName = 'override.text';

type Result = { readonly text: string } | { readonly error: string };

const bytesOf = (value: TextPatch | Result): Buffer => Buffer.from(jsonText(value));

/** Patches a text, in a thread of the pool. An error of the patch is a part of its answer. */
export const patchTextTask: Task = input => {
  try {
    return bytesOf({ text: patchText(readJson(Buffer.from(input).toString()) as TextPatch) });
  } catch (error) {
    return bytesOf({ error: errorText(error) });
  }
};

export const patchTextInput = bytesOf;

/** Returns the result of the task. Throws an ExpectedError with the message of the task's error. */
export function patchTextResult(output: Uint8Array): string {
  const result = JSON.parse(Buffer.from(output).toString()) as Result;
  if ('error' in result) throw new ExpectedError(result.error);
  return result.text;
}
