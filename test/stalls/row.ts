/** A row of the stall suite: one kind of hostile input. */
import type { Reply as HookReply, Webhook } from '../aggregation/webhooks.js';
import type { Backend } from '../aggregation/backend.js';
import type { FuzzRequest } from '../conformance/fuzz/seeds.js';
import type { Outcome, Target } from '../conformance/fuzz/send.js';
import type { Random } from '../random.js';

/** A request; JSON unless its headers say otherwise. */
export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes go as they are, all else as JSON. */
  readonly body?: unknown;
}

/** What a row has at hand. */
export interface Scene {
  readonly target: Target;
  /** How large the input is to be; what it counts, the row says. */
  readonly size: number;
  readonly random: Random;
  /** A name for an object that no other round has. */
  name(prefix?: string): string;
  /** Sends one request as an administrator. A row that is done with a server that has ended is stopped by a rejection. */
  send(request: HostileRequest): Promise<Outcome>;
  /** Sends one that must be answered with success; rejects with the answer otherwise. */
  must(request: HostileRequest): Promise<Outcome>;
  /** Sends bytes over a connection of HTTP/1.1 of their own; what comes back until it ends. */
  raw(bytes: Buffer): Promise<string>;
  /** A webhook server that answers so, for this round. */
  webhook(answer: (review: Record<string, unknown>) => HookReply): Promise<Webhook>;
  /** A server that does what the row says, in place of a member. */
  backend(): Promise<Backend>;
}

export interface Row {
  /** INPUT/SHAPE, such as `yaml/braces`. */
  readonly name: string;
  readonly size: number;
  /** How often it is played, each time with other random numbers. Twice when absent. */
  readonly rounds?: number;
  /** Bytes that the history of what it has written may hold: it is kept for some minutes. */
  readonly keeps?: number;
  /** Flags of `flagship up`; a server without controllers when absent. */
  readonly flags?: readonly string[];
  /** What every round finds: made once, before the first. */
  readonly prepare?: (scene: Scene) => Promise<unknown>;
  /** Sends the input, and takes away what it has created. */
  readonly play: (scene: Scene) => Promise<unknown>;
}

/** A row of requests that are sent one after the other. */
export function requests(
  name: string,
  size: number,
  generate: (size: number, random: Random, scene: Scene) => Iterable<HostileRequest>,
): Row {
  return {
    name,
    size,
    async play(scene) {
      for (const request of generate(scene.size, scene.random, scene)) await scene.send(request);
    },
  };
}

export function fuzzRequestOf({ method, path, headers = {}, body }: HostileRequest): FuzzRequest {
  if (body === undefined) return { method, path, headers, body };
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { method, path, headers: { 'content-type': 'application/json', ...headers }, body: bytes };
}
