/** What callers get of what is stored. */
import type { KubeObject } from '../../openapi/interface.js';
import { speaksStorage } from './api-versions.js';
import { isConverted, renew, viewOf } from './converted.js';
import type { Answer, Call, Stored } from './interface.js';
import { present } from './versions.js';

type Spoken = Pick<Call, 'definition' | 'version'>;

/** Stored bytes where they are of the call's version. */
export async function answerOf(call: Spoken, stored: Stored): Promise<Answer> {
  if (speaksStorage(call.definition, call.version)) return { stored: await renew(call.definition, stored) };
  return { object: await convertStored(call, stored) };
}

/** An object of another version comes with its fields in order. */
export function convertStored(call: Spoken, stored: Stored): KubeObject | Promise<KubeObject> {
  const { definition, version } = call;
  if (isConverted(definition)) {
    if (!speaksStorage(definition, version)) return viewOf(call, stored);
    const now = renew(definition, stored);
    return now instanceof Promise ? now.then(({ object }) => object) : now.object;
  }
  return speaksStorage(definition, version) ? stored.object : present(call, stored.object);
}
