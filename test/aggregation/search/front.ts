/** A member behind a proxy that answers some requests itself, or not at all. */
import type { ServerResponse } from 'node:http';
import https from 'node:https';
import type { Test } from 'tap';
import type { TestServer } from '../../apiserver/running.js';
import { backend } from '../backend.js';
import { core, grant, object, rbac } from '../fleet.js';
import { until } from '../../storage/until.js';

const namespace = 'default';

/** A proxy before a member, which answers some requests itself. */
interface Front {
  readonly url: string;
  readonly authority: string;
  /** Requests that it answers with 404. */
  refuses: (path: string) => boolean;
  /** How many it has answered so. */
  refused: number;
  /** Its own answers to some requests. Status objects are answered with their codes. */
  answers: (path: string) => object | Promise<object> | undefined;
  /** Requests that it does not answer. */
  holds: (path: string) => boolean;
  /** Those that still wait for an answer. */
  readonly held: ReadonlySet<string>;
  /** Called with the path of each request. */
  onRequest: (path: string) => void;
  /** Ends all streams. */
  breakStreams(): void;
}

async function respond(response: ServerResponse, own: object | Promise<object>): Promise<void> {
  const answer = await own;
  const { code = 200 } = answer as { readonly code?: number };
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

export async function frontOf(t: Test, member: TestServer): Promise<Front> {
  const server = await backend(t);
  const streams = new Set<() => void>();
  const held = new Set<string>();
  const { certificate: ca } = member.pki.authority;
  const front: Front = {
    ...{ url: server.url, authority: server.authority, refuses: () => false, refused: 0 },
    answers: () => undefined,
    ...{ holds: () => false, held, onRequest: () => undefined },
    breakStreams() {
      for (const end of streams) end();
    },
  };
  server.onRequest = (request, response) => {
    const { method, url = '', headers } = request;
    front.onRequest(url);
    if (front.holds(url)) {
      held.add(url);
      return void response.on('close', () => held.delete(url));
    }
    if (front.refuses(url)) {
      front.refused++;
      return void response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found');
    }
    const own = front.answers(url);
    if (own) return void respond(response, own);
    const end = (): void => void response.destroy();
    streams.add(end);
    response.on('close', () => streams.delete(end));
    const forwarded = https.request(member.url + url, { ca, method, headers });
    forwarded.on('response', answer => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', end);
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
  };
  return front;
}

/** Creates an account that may read everything, and returns its token. */
export async function readerToken({ client }: TestServer): Promise<string> {
  const account = { name: 'reader', namespace };
  await client.create(core('serviceaccounts'), object('v1', 'ServiceAccount', account.name, { metadata: account }));
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }];
  await client.create(rbac('clusterroles'), object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'reader', { rules }));
  await grant(client, 'reader', { kind: 'ServiceAccount', ...account }, 'reader');
  const request = object('authentication.k8s.io/v1', 'TokenRequest', '', {
    ...{ metadata: { namespace }, spec: { expirationSeconds: 3600 } },
  });
  const made = await client.create(core('serviceaccounts'), request, { name: 'reader', subresource: 'token' });
  return (made['status'] as { token: string }).token;
}

/** Waits until no more pages are asked for. `count`: how many were. */
export async function settled(count: () => number): Promise<void> {
  let [last, same] = [-1, 0];
  await until('no more pages are asked for', () => {
    same = count() === last ? same + 1 : 0;
    last = count();
    return same >= 20;
  });
}
