/** Converts YAML to JSON, in this thread or in another. */
import type { Task } from '../../lib/offload/interface.js';
import type { RepeatedKey } from '../../lib/yaml/interface.js';
import { readYaml } from '../../lib/yaml/read-yaml.js';
import { goQuote, sortKeys } from '../../lib/go/go-text.js';
import { jsonText } from '../../lib/json/json.js';

export type YamlJson =
  /** `faults`: the faults of strict decoding, each a text of several lines. */
  | { readonly type: 'json'; readonly json: string; readonly faults: readonly string[] }
  /** `text`: the error. */
  | { readonly type: 'error'; readonly text: string };

/** The first line of the fault about repeated keys. */
export const yamlHead = 'yaml: unmarshal errors:';

const lineOf = ({ key, line }: RepeatedKey): string =>
  `  line ${line}: key ${typeof key === 'string' ? goQuote(key) : String(key)} already set in map`;

/** Returns the JSON that Go produces from YAML, with sorted keys. Takes about 0.3 seconds per MiB. */
export function yamlToJson(text: string): YamlJson {
  const read = readYaml(text);
  if (read.type === 'error') return read;
  return {
    type: 'json',
    json: jsonText(sortKeys(read.value)),
    faults: read.repeated.length === 0 ? [] : [[yamlHead, ...read.repeated.map(lineOf)].join('\n')],
  };
}

// --- as a task ------------------------------------------------------------------------------------------------

/** The name of `yamlTask`. */
export const yamlTaskName = 'yaml.json';

/** Reads YAML as JSON, as a task of another thread. The output is a line of JSON with the type and the faults, followed by the JSON of the text. */
export const yamlTask: Task = input => {
  const result = yamlToJson(Buffer.from(input.buffer, input.byteOffset, input.byteLength).toString());
  if (result.type === 'error') return Buffer.from(`${JSON.stringify(result)}\n`);
  const { type, json, faults } = result;
  return Buffer.from(`${JSON.stringify({ type, faults })}\n${json}`);
};

/** Returns the result in the output of `yamlTask`. */
export function yamlTaskResult(output: Uint8Array): YamlJson {
  const bytes = Buffer.from(output.buffer, output.byteOffset, output.byteLength);
  const end = bytes.indexOf('\n');
  const head = JSON.parse(bytes.toString('utf8', 0, end)) as YamlJson;
  return head.type === 'error' ? head : { ...head, json: bytes.toString('utf8', end + 1) };
}
