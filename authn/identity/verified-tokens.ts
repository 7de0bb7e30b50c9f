/** Remembers tokens whose signature was verified, and verifies each new token once. */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { FairLimit } from '../../lib/fair-limit.js';
import type { Maybe } from '../../lib/maybe.js';
import type { TokenClient } from '../interface.js';

/**
 * Limits for the verifications of a server, which run on Node's pool of four threads, as writes to the disk do: such a write waits for about a
 * millisecond. Fewer at a time would let a new token wait longer during a flood of wrong ones, since those that wait begin in later turns of the
 * event loop.
 */
export const verificationLimits = {
  concurrency: 16,
  /** Requests that wait for a verification, by connection (or reviewer) and by network, and the bytes of their tokens. */
  queue: { length: 1024, lengthPerKey: 256, lengthPerGroup: 512, bytes: 16 << 20 },
} as const;

/** Bytes of all remembered tokens, as `sizeOf` estimates them: some 8,000 tokens of usual length. */
const maxBytes = 32 << 20;

/** Returns roughly the memory that a remembered token takes: its parsed claims, its user, and its entry. */
const sizeOf = (token: string): number => 2048 + 2 * token.length;

/** What was learned from a token with a valid signature. */
export interface VerifiedToken {
  /** Milliseconds since the epoch from which on the token is invalid whatever else holds; Infinity when it does not expire. */
  readonly expires: number;
}

interface NewToken<T extends VerifiedToken> {
  readonly token: string;
  /** Networks take turns, and in the turn of each its clients do. */
  readonly client: TokenClient | undefined;
  /** Verifies the signature. Rejections are not remembered. */
  readonly verify: () => Promise<T>;
}

/**
 * Verified tokens by the SHA-256 of their text, for as long as they may be valid. They hold nothing that can change while the keys stay: expiry,
 * audiences, and the objects that a token depends on are checked by the caller at each use.
 */
export class VerifiedTokens<T extends VerifiedToken> {
  readonly #limit: FairLimit;
  readonly #now: () => Date;
  readonly #verified = new LRUCache<string, T>({ maxSize: maxBytes });
  /** Verifications that run or wait, by the SHA-256 of the token. Replaced when the keys change. */
  #pending = new Map<string, Promise<T>>();

  /** `limit`: bounds the verifications that run and wait at a time. */
  constructor(limit: FairLimit, now: () => Date) {
    this.#limit = limit;
    this.#now = now;
  }

  /** hot: returns a remembered token without a promise, or the verification in progress; undefined for an unknown token. */
  get(token: string): Maybe<T> | undefined {
    const digest = digestOf(token);
    const known = this.#verified.get(digest);
    if (known === undefined) return this.#pending.get(digest);
    if (this.#now().getTime() < known.expires) return known;
    this.#verified.delete(digest);
    return undefined;
  }

  /** Verifies a token that `get` does not know. Rejects as `verify` does, and with QueueFullError when too many wait. */
  async add({ token, client, verify }: NewToken<T>): Promise<T> {
    const [digest, pending] = [digestOf(token), this.#pending];
    const group = typeof client === 'object' ? client.network : client;
    const verifying = this.#limit.run(verify, { key: client, group, size: token.length });
    pending.set(digest, verifying);
    try {
      const verified = await verifying;
      const isCurrent = this.#pending === pending;
      if (isCurrent && this.#now().getTime() < verified.expires)
        this.#verified.set(digest, verified, { size: sizeOf(token) });
      return verified;
    } finally {
      if (pending.get(digest) === verifying) pending.delete(digest);
    }
  }

  /** Forgets everything. To be called when the keys change; the outcome of verifications in progress is not remembered. */
  clear(): void {
    this.#verified.clear();
    this.#pending = new Map();
  }
}

const digestOf = (token: string): string => hash('sha256', token, 'base64');
