/** The key that signs service account tokens: `sa.key`, with `sa.pub` for verification. */
import { createPrivateKey } from 'node:crypto';
import path from 'node:path';
import { createKey, createTokenKey, privatePem, publicPem } from '../../apimachinery/x509/keys.js';
import { parsedFiles, readIfThere } from './read-files.js';
import { writePrivate } from '../../lib/write-private.js';

/** RS256 is upstream's default; an ES256 key is created much faster. */
export type TokenAlgorithm = 'RS256' | 'ES256';

export interface TokenKey {
  /** The private key as PEM; undefined when there is none, so that no token has been signed yet. */
  readonly known: string | undefined;
  /**
   * Returns the key, which is created and written if there is none. Creating one takes a core up to half a second, so a server calls this after
   * its start. A failed call can be repeated.
   */
  get(): Promise<string>;
  /** Resolves when no key is being created or written. */
  settled(): Promise<void>;
}

/** Opens the key of a folder. Throws PkiFileError for a file that is no key. */
export async function tokenKey(folder: string, algorithm: TokenAlgorithm): Promise<TokenKey> {
  const base = path.join(folder, 'sa');
  const found = await readIfThere(`${base}.key`);
  if (found !== undefined) parsedFiles(`${base}.key`, () => createPrivateKey(found));
  let known = found;
  let making: Promise<string> | undefined;
  const make = async (): Promise<string> => {
    try {
      return (known = await newKey(base, algorithm));
    } finally {
      making = undefined;
    }
  };
  return {
    get known() {
      return known;
    },
    get: () => (known === undefined ? (making ??= make()) : Promise.resolve(known)),
    settled: async () => {
      await making?.catch(() => undefined); // the caller of get gets the error
    },
  };
}

async function newKey(base: string, algorithm: TokenAlgorithm): Promise<string> {
  const key = await (algorithm === 'RS256' ? createTokenKey() : createKey());
  await writePrivate(`${base}.pub`, publicPem(key));
  const made = privatePem(key);
  await writePrivate(`${base}.key`, made);
  return made;
}
