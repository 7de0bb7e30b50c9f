/** The key that signs service account tokens: `sa.key`, and `sa.pub` for those who verify. */
import { createPrivateKey } from 'node:crypto';
import path from 'node:path';
import { createKey, createTokenKey, privatePem, publicPem } from './keys.js';
import { parsed, readIfThere } from './read-files.js';
import { writePrivate } from './write-private.js';

/** RS256 is upstream's; a key for ES256 is made in no time. */
export type TokenAlgorithm = 'RS256' | 'ES256';

export interface TokenKey {
  /** The private key, PEM, where there is one. Where there is none, no token was signed yet. */
  readonly known: string | undefined;
  /**
   * That one, or a new one that is made and written now, once. To make one takes a core up to half a second: who starts a server asks
   * afterwards. After a failure it is tried again.
   */
  get(): Promise<string>;
  /** Resolves when none is being made: nothing is written then. */
  settled(): Promise<void>;
}

/** Throws PkiFileError for a file that is no key. */
export async function tokenKey(folder: string, algorithm: TokenAlgorithm): Promise<TokenKey> {
  const base = path.join(folder, 'sa');
  const found = await readIfThere(`${base}.key`);
  if (found !== undefined) parsed(`${base}.key`, () => createPrivateKey(found));
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
      await making?.catch(() => undefined); // whoever asked for it hears of it
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
