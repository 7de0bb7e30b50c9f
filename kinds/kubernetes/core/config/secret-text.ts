import type { KubeObject } from '../../../../apimachinery/interface.js';

/**
 * Returns the text under a key of a Secret, decoded from base64 and read as UTF-8; undefined if there is no Secret or no such key. An entry of another
 * type than text is as absent: a Secret may come from a server that does not check its objects.
 */
export function secretText(secret: KubeObject | undefined, key: string): string | undefined {
  const data = secret?.['data'];
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, key)) return undefined;
  const value = (data as Readonly<Record<string, unknown>>)[key];
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : undefined;
}
