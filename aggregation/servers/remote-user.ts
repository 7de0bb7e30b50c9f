import type { Identity } from '../../apimachinery/identity.js';
import { wireText } from '../proxy/headers.js';

/** Bytes that a header name may contain. `%` begins an escape. as client-go/transport legalHeaderByte */
const legalInKey = /^[A-Za-z0-9!#$&'*+\-.^_`|~]$/;

const escapedKey = (key: string): string =>
  [...Buffer.from(key, 'utf8')]
    .map(byte => {
      const character = String.fromCharCode(byte);
      return legalInKey.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');

/**
 * Returns the headers that tell a server the user whom this proxy has authenticated: name, value, name, value. as client-go/transport
 * SetAuthProxyHeaders
 */
export function remoteUser({ name, uid, groups, extra = {} }: Identity): string[] {
  const headers = ['X-Remote-User', wireText(name)];
  if (uid !== undefined && uid !== '') headers.push('X-Remote-Uid', wireText(uid));
  for (const group of groups) headers.push('X-Remote-Group', wireText(group));
  for (const [key, values] of Object.entries(extra))
    for (const value of values) headers.push(`X-Remote-Extra-${escapedKey(key)}`, wireText(value));
  return headers;
}
