/** Lets a request continue once its body is complete, so that a slow body holds no seat, and limits the number of incomplete bodies. */
import { ChurnMap } from '../../lib/collections/churn-map.js';
import { tooManyRequests } from '../../apimachinery/errors/status.js';
import type { RequestInfo } from '../interface.js';
import { declaredLength } from '../http/body.js';
import type { RequestFilter } from '../http/filters.js';
import type { Request } from '../http/request.js';
import { isLongRunning } from '../http/request-info.js';

interface ArrivalLimits {
  /** Milliseconds after which an incomplete body counts as slow. */
  readonly slowAfter: number;
  /** The maximum number of slow bodies of one user, and of their announced bytes together. */
  readonly slow: { readonly bodies: number; readonly bytes: number };
  /** The maximum number of incomplete bodies of one user, slow or not. */
  readonly bodies: number;
  /** The maximum of announced bytes of the incomplete bodies of all users together. */
  readonly bytes: number;
}

const mebibyte = 1024 * 1024;

export const defaultArrivalLimits: ArrivalLimits = {
  slowAfter: 1000,
  slow: { bodies: 50, bytes: 32 * mebibyte },
  bodies: 1000,
  bytes: 256 * mebibyte,
};

/** The number of users without incomplete bodies whose entries are kept, so that frequent writers need no new entry each time. */
const maxIdleUsers = 1000;

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

  /** Removes the body: it is complete, or no longer needed. Returns its announced bytes; 0 after the first call. */
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

  /** Returns false when it was removed before. */
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

/** Holds the incomplete bodies. The oldest slow body of a user that exceeds its limits is refused; those of other users are not. */
class Arrivals {
  readonly #limits: ArrivalLimits;
  readonly #clock: () => number;
  readonly #users = new Map<string, UserArrivals>();
  #bytes = 0;

  constructor(limits: ArrivalLimits, clock: () => number) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Adds a body. Returns undefined when the user has too many incomplete ones. May call `refuse` at once, or at any time before `leave`. */
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
    if (this.#users.size >= maxIdleUsers)
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

/** Reports whether the whole body is read first. Connections (exec, proxies) forward their bodies as they arrive. */
const readsWholeBody = (info: RequestInfo): boolean =>
  info.isResource && withBody.has(info.verb) && !isLongRunning(info);

const tooManyBodies = 'too many request bodies of this user are incomplete, please try again later';

/** Returns the announced bytes of a body; `limit` for a body without a length. */
function announced(request: Request, limit: number): number {
  const length = declaredLength(request.header('content-length'));
  if (length === undefined) return limit;
  return length > limit ? 0 : length; // A longer body is refused with 413 before any of it is held.
}

/**
 * hot: returns the filter. `limit`: bytes of the largest body; `clock`: milliseconds. Errors of a body are not handled here: the handler that
 * reads the body gets them, after the request was authorized.
 */
export function awaitBody(limit: number, limits: ArrivalLimits, clock: () => number): RequestFilter {
  const arrivals = new Arrivals(limits, clock);
  return request => {
    if (!readsWholeBody(request.info)) return;
    const body = request.body(limit);
    return new Promise((resolve, reject) => {
      const refuse = (): void => {
        if (request.exchange.protocol === 'HTTP/1.1') request.exchange.leave(); // The rest of the body is not read.
        reject(tooManyRequests(tooManyBodies, 1));
      };
      const arrival = arrivals.enter(request.user.name, announced(request, limit), refuse);
      if (arrival === undefined) return refuse();
      const proceed = (): void => {
        arrivals.leave(arrival);
        resolve();
      };
      body.then(bytes => {
        request.arrivedBody = bytes;
        proceed();
      }, proceed);
      request.onceDone(proceed); // A deadline may come first.
    });
  };
}
