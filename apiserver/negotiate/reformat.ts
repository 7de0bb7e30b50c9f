/** Converts the JSON of answers into forms for people: indented, and YAML. Both are functions of bytes, so that they can run in another thread. */
import type { Tasks } from '../../lib/offload/interface.js';
import { writeYaml } from '../../lib/yaml/write-yaml.js';
import { indented } from '../../lib/json/json-text.js';
import { parseJson } from '../../lib/json/json.js';

export type TextForm = 'pretty' | 'yaml';

/** Returns the JSON in another form. */
export function reformat(json: Buffer, form: TextForm): Buffer {
  const text = json.toString();
  return Buffer.from(form === 'pretty' ? indented(text, '\n', '  ') : writeYaml(parseJson(text)));
}

/** Returns the name of the task that reformats JSON, for the thread that does what would block the event loop. */
export const reformatTask = (form: TextForm): string => `answer.${form}`;

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const reformatTasks: Tasks = {
  [reformatTask('pretty')]: json => reformat(bufferOf(json), 'pretty'),
  [reformatTask('yaml')]: json => reformat(bufferOf(json), 'yaml'),
};
