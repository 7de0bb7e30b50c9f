/** Tokens listed in a file: token, user, uid, "group1,group2" per line (`--token-auth-file`). */
import { createHash } from 'node:crypto';
import type { Identity } from '../../registry/interface.js';
import type { TokenAuthenticator } from '../interface.js';

/** One line of comma-separated values; fields may stand in double quotes, doubled inside. */
function fields(line: string): string[] {
  const found: string[] = [];
  for (const [, quoted, bare = ''] of line.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g))
    found.push((quoted?.replaceAll('""', '"') ?? bare).trim());
  return line.endsWith(',') ? found : found.slice(0, -1);
}

/** Throws for a line with fewer than three fields. Lines without token are passed over; the last of two equal tokens counts. */
export function parseTokenFile(text: string): ReadonlyMap<string, Identity> {
  const tokens = new Map<string, Identity>();
  text.split(/\r?\n/).forEach((line, i) => {
    if (line.trim() === '' || line.startsWith('#')) return;
    const [token = '', name = '', uid, groups = ''] = fields(line);
    if (uid === undefined) throw new Error(`token file: line ${i + 1} must have token, user name and user uid`);
    if (token === '') return;
    const listed = groups.split(',').map(group => group.trim());
    tokens.set(token, { name, ...(uid !== '' && { uid }), groups: groups === '' ? [] : listed });
  });
  return tokens;
}

const digest = (token: string): string => createHash('sha256').update(token).digest('base64');

export function staticTokens(tokens: ReadonlyMap<string, Identity>): TokenAuthenticator {
  // Looked up by digest, so that the time it takes says nothing about the tokens.
  const known = new Map([...tokens].map(([token, identity]) => [digest(token), { identity }]));
  return token => known.get(digest(token));
}
