import { isMap } from '../lib/json/is-map.js';
import { ExpectedError } from '../lib/logging/cause.js';
import { readYaml } from '../lib/yaml/read-yaml.js';

/**
 * Maximum characters of a kubeconfig that is no file. It comes from another server and is read on the event loop, which takes some 20 milliseconds
 * at most. One cluster and user with the longest usual keys take 12,000.
 */
const maxLength = 32 * 1024;

/** Reads the YAML of a kubeconfig; an empty one is {}. Throws an ExpectedError whose message has `what`, a description of it, and the problem. */
export function readKubeconfig(text: string, what: string): Record<string, unknown> {
  const read = readYaml(text);
  if (read.type === 'error') throw new ExpectedError(`${what} is no kubeconfig: ${read.text}`);
  const document: unknown = read.value ?? {};
  if (!isMap(document)) throw new ExpectedError(`${what} is no kubeconfig`);
  return document;
}

/** As `readKubeconfig`, for one that comes from another server. Refuses one that is too long. */
export function readReceivedKubeconfig(text: string, what: string): Record<string, unknown> {
  if (text.length > maxLength) throw new ExpectedError(`${what} is longer than ${maxLength} characters`);
  return readKubeconfig(text, what);
}
