import { offloadRefusal } from '../../apimachinery/errors/offload-refusal.js';
import { tooLarge } from '../../apimachinery/errors/status.js';
import type { Offload } from '../../lib/offload/interface.js';
import { type YamlJson, yamlTaskName, yamlTaskResult, yamlToJson } from '../negotiate/yaml-json.js';
import { maxBody } from './max-body.js';
import type { ReceivedBody } from './decode.js';
import type { Request } from '../http/request.js';

/** The user of a request, and the signal that aborts when the request is over. */
export type Caller = Pick<Request, 'user' | 'signal'>;

type YamlBody = Extract<ReceivedBody, { format: 'yaml' }>;

/** Maximum bytes of YAML that are read on the event loop, which takes some 20 milliseconds at most. */
const maxOnLoop = 32 * 1024;

/** The texts for the client whose body could not be read. */
const refusals = {
  busy: 'the server is reading too many large requests, please try again later',
  late: 'the YAML of the request takes too long to read',
  memory: 'the YAML of the request takes too much memory to read',
} as const;

/**
 * Returns a YAML body with its JSON. Large bodies are read in another thread. Rejects with 429 when too many of them wait, 413 when one takes too
 * long or too much memory.
 */
export async function readYamlBody(offload: Offload, caller: Caller, bytes: Buffer): Promise<YamlBody> {
  const yaml = await jsonOfYaml(offload, caller, bytes);
  if (yaml.type === 'json' && yaml.json.length > maxBody) throw tooLarge(`limit is ${maxBody}`);
  return { format: 'yaml', bytes, yaml };
}

async function jsonOfYaml(offload: Offload, caller: Caller, bytes: Buffer): Promise<YamlJson> {
  if (bytes.length <= maxOnLoop) return yamlToJson(bytes.toString());
  const { signal, user } = caller;
  try {
    const output = await offload.run(yamlTaskName, bytes, { key: user.name, signal });
    if (output.byteLength > 2 * maxBody) throw tooLarge(`limit is ${maxBody}`); // before it becomes a string
    return yamlTaskResult(output);
  } catch (error) {
    throw offloadRefusal(error, refusals);
  }
}
