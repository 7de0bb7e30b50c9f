/** Reads extra attributes of users from headers whose names end with the percent-encoded key. */
import { append } from '../../lib/collections/append.js';
import { setKey } from '../../lib/json/clone.js';
import { type InSteps, Strides, atOnce } from '../../lib/time-slice.js';
import type { Headers } from '../interface.js';
import { headerValues } from './headers.js';

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key; // malformed keys are kept as they are
  }
}

type Extra = Readonly<Record<string, readonly string[]>>;

/** Returns the values by key of all headers that start with the prefix (lower-case); undefined when there are none. */
export const extraOf = (headers: Headers, prefix: string): Extra | undefined => atOnce(extraSteps(headers, prefix));

/** As `extraOf`, in steps, for thousands of headers. Different headers may have the same key. */
export function* extraSteps(headers: Headers, prefix: string): InSteps<Extra | undefined> {
  const strides = new Strides();
  let extra: Record<string, string[]> | undefined;
  for (const header of Object.keys(headers)) {
    if (strides.isOver) yield;
    if (!header.startsWith(prefix)) continue;
    const key = decoded(header.slice(prefix.length));
    extra ??= {};
    const values = headerValues(headers, header);
    const known = Object.hasOwn(extra, key) ? extra[key] : undefined;
    if (known) append(known, values);
    else setKey(extra, key, [...values]);
  }
  return extra;
}
