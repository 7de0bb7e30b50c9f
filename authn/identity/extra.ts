/** Reads extra attributes of users from headers whose names end with the percent-encoded key. */
import { setKey } from '../../lib/json/clone.js';
import type { Headers } from '../interface.js';
import { headerValues } from './headers.js';

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key; // malformed keys are kept as they are
  }
}

/** Returns the values by key of all headers that start with the prefix (lower-case); undefined when there are none. */
export function extraOf(headers: Headers, prefix: string): Readonly<Record<string, readonly string[]>> | undefined {
  let extra: Record<string, readonly string[]> | undefined;
  for (const header of Object.keys(headers)) {
    if (!header.startsWith(prefix)) continue;
    const key = decoded(header.slice(prefix.length));
    extra ??= {};
    const known = Object.hasOwn(extra, key) ? extra[key] : undefined;
    setKey(extra, key, [...(known ?? []), ...headerValues(headers, header)]);
  }
  return extra;
}
