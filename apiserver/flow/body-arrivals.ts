/** Lets a request go on once its body is there, so that a body that arrives slowly holds no seat, and bounds how many of them wait. */
import { ChurnMap } from '../../lib/collections/churn-map.js';
import { tooManyRequests } from '../../apimachinery/errors/status.js';
import type { RequestInfo } from '../interface.js';
import { declaredLength } from '../http/body.js';
import type { Filter } from '../http/filters.js';
import type { Request } from '../http/request.js';
import { isLongRunning } from '../http/request-info.js';

export interface ArrivalLimits {
  /** Milliseconds after which a body that is not complete counts as slow. */
  readonly slowAfter: number;
  /** Slow bodies that one user may have at a time, and the bytes that they announce together. */
  readonly slow: { readonly bodies: number; readonly bytes: number };
  /** Incomplete bodies of one user, slow or not. */
  readonly bodies: number;
  /** Bytes that the incomplete bodies of all users announce together. */
  readonly bytes: number;
}

const mebibyte = 1024 * 1024;

export const defaultArrivalLimits: ArrivalLimits = {
  slowAfter: 1000,
  slow: { bodies: 50, bytes: 32 * mebibyte },
  bodies: 1000,
  bytes: 256 * mebibyte,
};

/** Names of users without incomplete bodies are kept up to this number, so that a user who writes often costs no new entry each time. */
const idleUsers = 1000;

/** An incomplete body. */
class Arrival {
  readonly since: number;
  readonly bytes: number;
  readonly #user: UserArrivals;
  readonly #id: number;
  readonly #refuse: () => void;

  constructor(user: UserArrivals, id: number, body: { since: number; bytes: number; refuse: () => void }) {
    this.#user = user;
    this.#id = id;
    this.since = body.since;
    this.bytes = body.bytes;
    this.#refuse = body.refuse;
  }

  /** The body is complete, or nobody waits for it. Returns the bytes that it no longer announces: none after the first call. */
  leave(): number {
    return this.#user.remove(this.#id) ? this.bytes : 0;
  }

  refuse(): number {
    const bytes = this.leave();
    this.#refuse();
    return bytes;
  }
}

/** The incomplete bodies of one user, in the order in which they began. */
class UserArrivals {
  readonly #waiting = new ChurnMap<number, Arrival>();
  #last = 0;
  bytes = 0;

  get bodies(): number {
    return this.#waiting.size;
  }

  add(since: number, bytes: number, refuse: () => void): Arrival {
    const arrival = new Arrival(this, ++this.#last, { since, bytes, refuse });
    this.#waiting.set(this.#last, arrival);
    this.bytes += bytes;
    return arrival;
  }

  /** False when it has left before. */
  remove(id: number): boolean {
    const arrival = this.#waiting.get(id);
    if (arrival === undefined) return false;
    this.#waiting.delete(id);
    this.bytes -= arrival.bytes;
    return true;
  }

  get oldest(): Arrival | undefined {
    for (const arrival of this.#waiting.values()) return arrival;
    return undefined;
  }
}

/** Holds which bodies are on their way. A user beyond its limits loses its slowest one; other users lose none. */
class Arrivals {
  readonly #limits: ArrivalLimits;
  readonly #clock: () => number;
  readonly #users = new Map<string, UserArrivals>();
  #bytes = 0;

  constructor(limits: ArrivalLimits, clock: () => number) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Returns undefined when the user has too many bodies on their way already. May call `refuse` at once, or at any time before `leave`. */
  enter(name: string, bytes: number, refuse: () => void): Arrival | undefined {
    const { slow, slowAfter, bodies, bytes: maxBytes } = this.#limits;
    const user = this.#user(name);
    const now = this.#clock();
    while (user.bodies >= slow.bodies || user.bytes + bytes > slow.bytes) {
      const { oldest } = user;
      if (oldest === undefined || now - oldest.since <= slowAfter) break;
      this.#bytes -= oldest.refuse();
    }
    if (user.bodies >= bodies) return undefined;
    const arrival = user.add(now, bytes, refuse);
    this.#bytes += bytes;
    while (this.#bytes > maxBytes) {
      const { oldest } = this.#largestUser();
      if (oldest === undefined) break;
      this.#bytes -= oldest.refuse();
    }
    return arrival;
  }

  leave(arrival: Arrival): void {
    this.#bytes -= arrival.leave();
  }

  #user(name: string): UserArrivals {
    const known = this.#users.get(name);
    if (known) return known;
    if (this.#users.size >= idleUsers)
      for (const [idle, { bodies }] of this.#users) if (bodies === 0) this.#users.delete(idle);
    const user = new UserArrivals();
    this.#users.set(name, user);
    return user;
  }

  #largestUser(): UserArrivals {
    let largest = new UserArrivals();
    for (const user of this.#users.values()) if (user.bytes > largest.bytes) largest = user;
    return largest;
  }
}

const withBody = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** Connections (exec, proxies) hand their bodies on as they come. */
const readsWholeBody = (info: RequestInfo): boolean =>
  info.isResource && withBody.has(info.verb) && !isLongRunning(info);

const tooManyBodies = 'too many request bodies of this user are incomplete, please try again later';

/** What a body may bring before it is complete, in bytes; a body without a length may bring all that is allowed. */
function announced(request: Request, limit: number): number {
  const length = declaredLength(request.header('content-length'));
  if (length === undefined) return limit;
  return length > limit ? 0 : length; // which is refused with 413 before any of it is kept
}

/**
 * hot: the filter. `limit`: bytes of the largest body. What is wrong with a body is told by the handler that asks for it, after the request
 * was authorized.
 */
export function awaitBody(limit: number, limits: ArrivalLimits, clock: () => number): Filter {
  const arrivals = new Arrivals(limits, clock);
  return request => {
    if (!readsWholeBody(request.info)) return;
    const body = request.body(limit);
    return new Promise((resolve, reject) => {
      const refuse = (): void => {
        if (request.exchange.protocol === 'HTTP/1.1') request.exchange.leave(); // the rest of the body is not read
        reject(tooManyRequests(tooManyBodies, 1));
      };
      const arrival = arrivals.enter(request.user.name, announced(request, limit), refuse);
      if (arrival === undefined) return refuse();
      const over = (): void => {
        arrivals.leave(arrival);
        resolve();
      };
      body.then(over, over);
      request.onceDone(over); // a deadline may come first
    });
  };
}
