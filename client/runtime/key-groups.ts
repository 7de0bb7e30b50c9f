import { timerMs } from '../../lib/timer.js';
import type { Key, KeyGrouping } from './interface.js';
import { RateLimiter, type RateLimits } from './rate-limiter.js';

/** Milliseconds for which a group pauses after its first failure, doubled with every further failure up to the maximum. */
const minPauseMs = 100;
const maxPauseMs = 10_000;

/** The ready keys of one group, and its retries. */
class KeyGroup {
  readonly ready = new Set<Key>();
  /** The ready keys with low priority. */
  readonly low = new Set<Key>();
  retries: RateLimiter;
  /** The number of keys that workers process. */
  working = 0;
  /** The number of failures of the group as a whole since it has answered. */
  failures = 0;
  /** A key takes long, or the last one that was done has taken long. */
  isSlow = false;
  /** Takes a share of the keys of all slow groups. */
  sharesSlowKeys = false;
  /** Ends the pause after a failure. */
  pause: NodeJS.Timeout | undefined;

  constructor(retries: RateLimiter) {
    this.retries = retries;
  }

  /** The number of ready keys. */
  get size(): number {
    return this.ready.size + this.low.size;
  }

  /**
   * Removes and returns the next key of `keys`, which are those of one priority. A group that has failed is tried with a key without failures of its
   * own, if there is one.
   */
  shift(keys: Set<Key>): Key | undefined {
    for (const key of keys)
      if (this.failures === 0 || !this.retries.hasFailed(key)) {
        keys.delete(key);
        return key;
      }
    const [key] = keys;
    if (key !== undefined) keys.delete(key);
    return key;
  }

  /** Reports whether a worker may begin a key. One key at a time shows whether a group that has failed works again. */
  mayBegin(maxWorkers: number): boolean {
    return !this.pause && this.working < (this.failures > 0 ? 1 : maxWorkers);
  }

  /** Reports whether workers process keys of the group, or may begin one. */
  get isActive(): boolean {
    return this.working > 0 || (this.size > 0 && !this.pause);
  }

  get isUnused(): boolean {
    return this.size === 0 && this.working === 0 && this.failures === 0 && !this.pause && !this.retries.hasFailures;
  }
}

/** The number of groups from which on unused ones are removed. */
const minSweep = 64;

/** Maximum number of keys of all slow groups together that are processed at once. Each slow group may have one in any case. */
const maxSlowKeys = 256;

/** Maximum number of ready keys of all groups together that count as a backlog, if the groups wait for remote servers. */
const maxRemoteBacklog = 64;

/** One of this many keys has low priority, if there are such keys: a queue that is never empty must not keep them for ever. */
const lowShare = 8;

const allInOne: KeyGrouping = { of: () => '', maxWorkers: Infinity };

/**
 * The ready keys of a queue by group. Groups take turns; the keys of one group are in order of arrival. Keys with low priority follow those of all
 * groups.
 */
export class KeyGroups {
  readonly #grouping: KeyGrouping;
  readonly #limits: RateLimits;
  readonly #now: () => number;
  /** Called when the pause of a group has ended. */
  readonly #onResume: () => void;
  readonly #groups = new Map<string, KeyGroup>();
  /** The groups from which a worker may take a key, in the order of their turns. */
  readonly #open = new Set<KeyGroup>();
  /** The groups from which a worker may take a key with low priority, in the order of their turns. */
  readonly #openLow = new Set<KeyGroup>();
  /** The number of keys that were taken since the last one with low priority had its share. */
  #sinceLow = 0;
  /** The number of groups at which unused ones are removed. It is twice the number of used ones, so that the search costs little. */
  #sweepAt = minSweep;
  #size = 0;
  /** The number of slow groups that are active. */
  #slowGroups = 0;

  constructor(
    grouping: KeyGrouping | undefined,
    retries: { readonly limits: RateLimits; readonly now: () => number },
    onResume: () => void,
  ) {
    this.#grouping = grouping ?? allInOne;
    this.#limits = retries.limits;
    this.#now = retries.now;
    this.#onResume = onResume;
  }

  /** The number of ready keys. */
  get size(): number {
    return this.#size;
  }

  /**
   * The number of ready keys that workers can process at the usual rate: those of groups that are slow, fail or pause do not count. Of groups that
   * wait for remote servers, each counts up to its share.
   */
  get backlog(): number {
    const share = this.#grouping.waitsForRemote ? Math.ceil(maxRemoteBacklog / this.#groups.size) : Infinity;
    let backlog = 0;
    for (const group of this.#groups.values())
      if (!group.pause && group.failures === 0 && !group.isSlow) backlog += Math.min(group.size, share);
    return backlog;
  }

  /** Reports whether the key is ready, with its usual priority. */
  has(key: Key): boolean {
    return this.#size > 0 && this.#groups.get(this.#grouping.of(key))?.ready.has(key) === true;
  }

  /** Reports whether the key is ready, with low priority. */
  hasLow(key: Key): boolean {
    return this.#size > 0 && this.#groups.get(this.#grouping.of(key))?.low.has(key) === true;
  }

  /** Adds a key, which loses its low priority if it has one. */
  add(key: Key): void {
    const group = this.#groupOf(key);
    if (!group.low.delete(key)) this.#size++;
    group.ready.add(key);
    this.#update(group);
  }

  /** Adds a key with low priority, unless it is ready already. */
  addLow(key: Key): void {
    const group = this.#groupOf(key);
    if (group.ready.has(key) || group.low.has(key)) return;
    group.low.add(key);
    this.#size++;
    this.#update(group);
  }

  /** Removes and returns the next key, which counts as processed until `done`; undefined if no group may begin one. */
  next(): Key | undefined {
    if (this.#openLow.size === 0) return this.#nextUsual();
    const isShareOfLow = ++this.#sinceLow >= lowShare;
    if (isShareOfLow) this.#sinceLow = 0;
    return isShareOfLow ? (this.#nextLow() ?? this.#nextUsual()) : (this.#nextUsual() ?? this.#nextLow());
  }

  #nextUsual(): Key | undefined {
    for (const group of this.#open) {
      const key = group.shift(group.ready);
      if (key !== undefined) return this.#begin(key, group, this.#open);
    }
    return undefined;
  }

  #nextLow(): Key | undefined {
    for (const group of this.#openLow) {
      const key = group.shift(group.low);
      if (key !== undefined) return this.#begin(key, group, this.#openLow);
    }
    return undefined;
  }

  /** `order`: the one from which the group was taken. The group goes to its end, and keeps its place in the other one. */
  #begin(key: Key, group: KeyGroup, order: Set<KeyGroup>): Key {
    this.#size--;
    group.working++;
    order.delete(group);
    this.#update(group);
    return key;
  }

  done(key: Key): void {
    const group = this.#groupOf(key);
    group.working--;
    this.#update(group);
  }

  /** Reports whether the group of the key is slow, as recorded by `setSlow`. */
  isSlow(key: Key): boolean {
    return this.#groups.get(this.#grouping.of(key))?.isSlow === true;
  }

  /** Records whether the group of the key is slow. Slow groups share a number of keys that are processed at once; idle ones take no share. */
  setSlow(key: Key, isSlow: boolean): void {
    const group = this.#groups.get(this.#grouping.of(key));
    if (group) this.#setSlow(group, isSlow);
  }

  /** The number of keys of slow groups that may be processed at once. */
  get maxSlowKeys(): number {
    return Math.max(maxSlowKeys, this.#slowGroups);
  }

  /** Records a failure of a key and returns the delay until its next retry in milliseconds. */
  backoff(key: Key): number {
    return this.#groupOf(key).retries.backoff(key);
  }

  /** Records a success of a key. It does not show that its group works, since nothing may have been sent. */
  worked(key: Key): void {
    this.#groups.get(this.#grouping.of(key))?.retries.forget(key);
  }

  /** Records that the group works. A pause that has begun lasts, since the server may have asked for it. */
  answered(name: string): void {
    const group = this.#groups.get(name);
    if (!group || group.failures === 0) return;
    group.failures = 0;
    this.#update(group);
  }

  /** Records a failure of the group as a whole: it pauses, for `minMs` at least, and then begins one key at a time until it is `answered`. */
  failed(key: Key, minMs: number): void {
    const group = this.#groupOf(key);
    if (group.pause) return; // Keys that began before the pause add nothing to it.
    const pauseMs = Math.max(minMs, Math.min(minPauseMs * 2 ** group.failures++, maxPauseMs));
    group.pause = setTimeout(() => this.#endPause(group), timerMs(pauseMs));
    this.#update(group);
  }

  /** Forgets the failures of a group and of its keys. Returns the keys that had failed. */
  resume(name: string): Iterable<Key> {
    const group = this.#groups.get(name);
    if (!group) return [];
    const { failed } = group.retries;
    group.failures = 0;
    group.retries = this.#newRetries();
    this.#setSlow(group, false);
    this.#endPause(group);
    return failed;
  }

  clear(): void {
    for (const { pause } of this.#groups.values()) clearTimeout(pause);
    this.#groups.clear();
    this.#open.clear();
    this.#openLow.clear();
    this.#size = 0;
    this.#slowGroups = 0;
  }

  #setSlow(group: KeyGroup, isSlow: boolean): void {
    if (group.isSlow === isSlow) return;
    group.isSlow = isSlow;
    this.#update(group);
  }

  #endPause(group: KeyGroup): void {
    clearTimeout(group.pause);
    group.pause = undefined;
    this.#update(group);
    this.#onResume();
  }

  #groupOf(key: Key): KeyGroup {
    const name = this.#grouping.of(key);
    const known = this.#groups.get(name);
    if (known) return known;
    if (this.#groups.size >= this.#sweepAt) this.#sweep();
    const group = new KeyGroup(this.#newRetries());
    this.#groups.set(name, group);
    return group;
  }

  /** Removes the groups that are not used. They are kept until then, since most are used again. */
  #sweep(): void {
    for (const [name, group] of this.#groups) if (group.isUnused) this.#groups.delete(name);
    this.#sweepAt = Math.max(minSweep, 2 * this.#groups.size);
  }

  #newRetries(): RateLimiter {
    return new RateLimiter(this.#limits, this.#now);
  }

  #update(group: KeyGroup): void {
    const sharesSlowKeys = group.isSlow && group.isActive;
    if (sharesSlowKeys !== group.sharesSlowKeys) {
      group.sharesSlowKeys = sharesSlowKeys;
      this.#slowGroups += sharesSlowKeys ? 1 : -1;
    }
    const mayBegin = group.size > 0 && group.mayBegin(group.isSlow ? this.#slowShare() : this.#grouping.maxWorkers);
    if (mayBegin && group.ready.size > 0) this.#open.add(group);
    else this.#open.delete(group);
    if (mayBegin && group.low.size > 0) this.#openLow.add(group);
    else if (this.#openLow.size > 0) this.#openLow.delete(group);
  }

  /** Returns the number of keys of one slow group that may be processed at once. */
  #slowShare(): number {
    return Math.max(1, Math.min(this.#grouping.maxWorkers, Math.floor(maxSlowKeys / this.#slowGroups)));
  }
}
