import { tooManyRequests } from '../../apimachinery/errors/status.js';
import { once } from '../../lib/collections/once.js';
import type { Maybe } from '../../lib/maybe.js';

/** How many requests of users may be under way to one cluster, or by connections of their own in its tunnel. One user may have half of each. */
export interface ShareLimits {
  /** Requests at a time, without long ones. Further ones wait. */
  readonly requests: number;
  /** Watches, logs, proxied and upgraded connections, and requests that last, at a time. Further ones are refused at once, since none may end soon. */
  readonly long: number;
}

export const defaultShareLimits: ShareLimits = { requests: 256, long: 1000 };

/** The number of requests that may wait, as a multiple of those that are sent. */
const waitingFactor = 4;
/** Milliseconds for which a request waits. as apiserver/pkg/server/config.go RequestTimeout */
const defaultWaitMs = 60_000;
/** Milliseconds after which a request counts as a long one. as defaultWaitMs, for which others wait */
const defaultLastingMs = 60_000;
/** Seconds after which a refused request may be sent again. */
const retryAfterSeconds = 1;

/** The requests of one user. It is removed when it has none. */
class UserRequests {
  running = 0;
  long = 0;
  /** What starts each request that waits, the oldest first. */
  readonly waiting = new Set<() => void>();

  get isIdle(): boolean {
    return this.running === 0 && this.long === 0 && this.waiting.size === 0;
  }
}

export interface EnteringRequest {
  readonly user: string;
  /** The request lasts until one side ends it. */
  readonly isLong: boolean;
  readonly signal: AbortSignal;
}

interface Times {
  /** Milliseconds for which a request waits. */
  readonly waitMs?: number;
  /** Milliseconds after which a request counts as a long one. */
  readonly lastingMs?: number;
}

/** Leaves when the request has ended. */
export type Leave = () => void;

/**
 * The requests of users to one cluster. A user whose requests take long, or that sends too many, leaves half of them to others. A request that lasts
 * becomes a long one, if there is room. Those that wait are sent in turns, one of each user.
 */
export class RequestShares {
  readonly #cluster: string;
  readonly #limits: ShareLimits;
  readonly #waitMs: number;
  readonly #lastingMs: number;
  readonly #users = new Map<string, UserRequests>();
  /** The users with waiting requests: the one whose turn is next comes first. */
  readonly #turns = new Set<string>();
  #running = 0;
  #long = 0;
  #waiting = 0;

  constructor(
    cluster: string,
    limits: ShareLimits,
    { waitMs = defaultWaitMs, lastingMs = defaultLastingMs }: Times = {},
  ) {
    this.#cluster = cluster;
    this.#limits = limits;
    this.#waitMs = waitMs;
    this.#lastingMs = lastingMs;
  }

  /** hot: returns, or resolves with, what is called at the end of the request. Throws, or rejects with, 429, or with the reason of the signal. */
  enter(request: EnteringRequest): Maybe<Leave> {
    const { user, isLong } = request;
    const own = this.#users.get(user) ?? new UserRequests();
    this.#users.set(user, own);
    if (isLong) return this.#enterLong(user, own);
    if (this.#hasRoom(own)) return this.#start(user, own);
    const maxWaiting = this.#limits.requests * waitingFactor;
    if (own.waiting.size >= half(maxWaiting)) throw this.#refusal(`of user "${user}" wait`);
    if (this.#waiting >= maxWaiting) {
      this.#forgetIdle(user, own);
      throw this.#refusal('wait');
    }
    return this.#wait(request, own);
  }

  #enterLong(user: string, own: UserRequests): Leave {
    if (!this.#hasLongRoom(own)) {
      this.#forgetIdle(user, own);
      throw this.#refusal(own.long >= half(this.#limits.long) ? `of user "${user}" last long` : 'last long');
    }
    const end = this.#countLong(own);
    return once(() => {
      end();
      this.#forgetIdle(user, own);
    });
  }

  #hasLongRoom(own: UserRequests): boolean {
    const { long } = this.#limits;
    return this.#long < long && own.long < half(long);
  }

  #countLong(own: UserRequests): () => void {
    own.long++;
    this.#long++;
    return () => {
      own.long--;
      this.#long--;
    };
  }

  #countRunning(own: UserRequests): () => void {
    own.running++;
    this.#running++;
    return () => {
      own.running--;
      this.#running--;
      this.#startNext();
    };
  }

  #hasRoom(own: UserRequests): boolean {
    const { requests } = this.#limits;
    return this.#running < requests && own.running < half(requests);
  }

  #start(user: string, own: UserRequests): Leave {
    let end = this.#countRunning(own);
    const clock = setInterval(() => {
      // Otherwise it keeps its place until there is room.
      if (!this.#hasLongRoom(own)) return;
      clearInterval(clock);
      const endShort = end;
      end = this.#countLong(own);
      endShort();
    }, this.#lastingMs);
    clock.unref();
    return once(() => {
      clearInterval(clock);
      end();
      this.#forgetIdle(user, own);
    });
  }

  #wait({ user, signal }: EnteringRequest, own: UserRequests): Promise<Leave> {
    return new Promise((resolve, reject) => {
      const leaveQueue = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        own.waiting.delete(start);
        this.#waiting--;
        if (own.waiting.size === 0) this.#turns.delete(user);
      };
      const giveUp = (error: Error): void => {
        leaveQueue();
        this.#forgetIdle(user, own);
        reject(error);
      };
      const onAbort = (): void => giveUp(signal.reason as Error);
      const timer = setTimeout(() => giveUp(this.#refusal('wait for too long')), this.#waitMs);
      const start = (): void => {
        leaveQueue();
        resolve(this.#start(user, own));
      };
      own.waiting.add(start);
      this.#waiting++;
      this.#turns.add(user);
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) onAbort();
    });
  }

  /** Starts what waits, in turns of the users. At most two users can be passed over, since each of them has half of the requests. */
  #startNext(): void {
    for (const user of this.#turns) {
      if (this.#running >= this.#limits.requests) return;
      const own = this.#users.get(user);
      if (!own || !this.#hasRoom(own)) continue;
      const [next] = own.waiting;
      this.#turns.delete(user);
      next?.();
      if (own.waiting.size > 0) this.#turns.add(user);
    }
  }

  #forgetIdle(user: string, own: UserRequests): void {
    if (own.isIdle) this.#users.delete(user);
  }

  #refusal(which: string): Error {
    const text = `too many requests ${which} for cluster ${this.#cluster}, please try again later`;
    return tooManyRequests(text, retryAfterSeconds);
  }
}

const half = (limit: number): number => Math.ceil(limit / 2);
