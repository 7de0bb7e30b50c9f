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
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Text and bytes go as they are, all else as JSON. */
  readonly body?: unknown;
}

/** The tools for playing a row. */
export interface Fixture {
  readonly target: Target;
  /** The size of the input; its unit depends on the row. */
  readonly size: number;
  /** Whether this is the small play, in which the server loads code. It is not measured, so that floods may be short. */
  readonly warmUp: boolean;
  readonly random: Random;
  /** Returns a name for an object, unique on its server. */
  readonly name: (prefix?: string) => string;
  /** Sends one request as an administrator. Rejects if the server has ended. */
  readonly send: (request: HostileRequest) => Promise<Outcome>;
  /** Sends one request, and rejects with the response unless it is a success. */
  must(request: HostileRequest): Promise<Outcome>;
  /** Sends bytes over a new HTTP/1.1 connection, and returns all that is received until it ends. */
  readonly raw: (bytes: Buffer) => Promise<string>;
  /** Sends a request with `connection: close` as `raw`, without a client certificate. */
  readonly rawWithoutCertificate: (bytes: Buffer) => Promise<string>;
  /** Starts a webhook server with these responses, for this play. */
  webhook(answer: (review: Record<string, unknown>) => HookReply): Promise<Webhook>;
  /** Starts a server whose responses the row defines, in place of a member. */
  backend(): Promise<Backend>;
  /** The server in place of the management cluster, whose responses the row defines; undefined unless the row has `usesClusterApi`. */
  readonly management: Backend | undefined;
}

export interface Row {
  /** INPUT/SHAPE, such as `yaml/braces`. */
  readonly name: string;
  readonly size: number;
  /** Growth of memory that is permitted besides, in bytes: the watch history retains written objects for some minutes. */
  readonly retainedBytes?: number;
  /** Growth of the resident memory, in bytes, that is permitted while the row is played; absent: any. */
  readonly peakBytes?: number;
  /** Whether the 99th percentile of the latency of `/version` has a limit. */
  readonly limitsLatency?: boolean;
  /** Flags of `flagship up`; by default, the server has no controllers. */
  readonly flags?: readonly string[];
  /** The server joins the clusters of a management cluster of Cluster API. */
  readonly usesClusterApi?: boolean;
  /** Stores what the plays read on a server that is then stopped; they are played on one that is started with the same data. */
  readonly beforeRestart?: (fixture: Fixture) => Promise<unknown>;
  /** Creates what the plays in both sizes need, once, before them. */
  readonly prepare?: (fixture: Fixture) => Promise<unknown>;
  /** Sends the input, and deletes the objects that it created. */
  readonly play: (fixture: Fixture) => Promise<unknown>;
}

/** Returns a row that sends its requests one after the other. */
export function requests(
  name: string,
  size: number,
  generate: (size: number, random: Random, fixture: Fixture) => Iterable<HostileRequest>,
): Row {
  return {
    name,
    size,
    async play(fixture) {
      for (const request of generate(fixture.size, fixture.random, fixture)) await fixture.send(request);
    },
  };
}

/** Returns the request with its body as bytes. */
export function fuzzRequestOf({ method, path, headers = {}, body }: HostileRequest): FuzzRequest {
  if (body === undefined) return { method, path, headers, body };
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { method, path, headers: { 'content-type': 'application/json', ...headers }, body: bytes };
}
