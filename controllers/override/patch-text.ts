/** Patches of a document that is the text of a field, such as a configuration file in a ConfigMap. Pure: it runs in any thread. */
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

/** The text after the patch. Throws when the text cannot be read, or the patch does not fit it. */
export function patchText({ format, text, ops }: TextPatch): string {
  return format === 'yaml' ? patchYaml(text, ops) : patchJson(text, ops);
}

/** Keys of the maps that the patch went through come out sorted, as Go writes maps; the rest stays as it was written. */
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

// --- as a task ------------------------------------------------------------------------------------------------

/** The name of `patchTextTask`. */
export const patchTextTaskName = 'override.text';

type Result = { readonly text: string } | { readonly error: string };

const bytesOf = (value: TextPatch | Result): Buffer => Buffer.from(jsonText(value));

export const patchTextTask: Task = input => {
  try {
    return bytesOf({ text: patchText(readJson(Buffer.from(input).toString()) as TextPatch) });
  } catch (error) {
    return bytesOf({ error: errorText(error) });
  }
};

export const patchTextInput = bytesOf;

/** What the task made. Throws what it threw, as a plain error with the same message. */
export function patchTextResult(output: Uint8Array): string {
  const result = JSON.parse(Buffer.from(output).toString()) as Result;
  if ('error' in result) throw new ExpectedError(result.error);
  return result.text;
}
