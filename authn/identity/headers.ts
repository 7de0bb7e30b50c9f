/** Converts headers for the authenticators. */
import type { Headers } from '../interface.js';

/**
 * Returns headers from a message's `rawHeaders` (name, value, name, value...): names in lower case, repeated headers as lists. Node's own
 * `headers` joins repeated ones with commas, which group names may contain.
 */
export function headersOf(raw: readonly string[]): Headers {
  const headers: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase();
    const value = raw[i + 1] ?? '';
    const known = headers[name];
    if (known === undefined) headers[name] = value;
    else if (typeof known === 'string') headers[name] = [known, value];
    else known.push(value);
  }
  return headers;
}

/** Returns all values of a header, in the order of their arrival. */
export function headerValues(headers: Headers, name: string): readonly string[] {
  const value = headers[name];
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}

/** Returns the first value; '' when there is none. */
export const headerValue = (headers: Headers, name: string): string => headerValues(headers, name)[0] ?? '';
