/** The port that the tests of HTTP/2 speak to, with a route of their own behind it. */
import type { Test } from 'tap';
import { type ApiServer, type ApiServerOptions, startApiServer } from '../../../../apiserver/http/api-server.js';
import { answer, answerValue } from '../../../../apiserver/http/answer.js';
import { type Filter, filters } from '../../../../apiserver/http/filters.js';
import type { Request } from '../../../../apiserver/http/request.js';
import { createAuthority, issueClient, issueServing } from '../../../../authn/pki/authority.js';
import { allowAll } from '../../allow-all.js';

const authority = await createAuthority();
const serving = await issueServing(authority, ['localhost', '127.0.0.1']);
const alice = await issueClient(authority, { name: 'alice', groups: [] });

/** Strangers are sent away after their first request. */
export const identity = { ca: authority.certificate, cert: alice.certificate, key: alice.key };

const maxBody = 1 << 26;

/** Resolves when the client left. */
export const left = ({ exchange }: Request): Promise<void> => new Promise(resolve => exchange.onClose(resolve));

export const filler = (bytes: number): Buffer => Buffer.alloc(bytes, 'flagship');

/** A number in the query, whatever became of it on the way. */
const asked = ({ query }: Request): number => Math.min(Number(query.get('bytes')) || 0, 1 << 22);

/** By the path of a request. */
const routes: Readonly<Record<string, Filter>> = {
  '/none': request => answer(request, 204, undefined, undefined),
  '/echo': async request => {
    const { exchange } = request;
    const body = await exchange.body(maxBody);
    const { method, path, query, headers } = exchange;
    answerValue(request, 200, { method, path, query, headers, bytes: body.length });
  },
  '/wait': async request => {
    await left(request);
    answer(request, 204, undefined, undefined);
  },
  /** Reads nothing of what is sent. */
  '/ignore': request => answer(request, 200, 'text/plain', Buffer.from('ignored')),
  '/large': request => answer(request, 200, 'text/plain', filler(asked(request))),
};

/** Answers as the path says, and 404 where it says nothing. */
export const byPath =
  (more: Readonly<Record<string, Filter>> = {}): Filter =>
  request => {
    const route = more[request.exchange.path] ?? routes[request.exchange.path];
    return route ? route(request) : answer(request, 404, undefined, undefined);
  };

export async function start(
  test: Test,
  route: Filter = byPath(),
  more: Partial<ApiServerOptions> = {},
): Promise<ApiServer> {
  const server = await startApiServer({
    ...{ host: '127.0.0.1', port: 0, clientAuthorities: authority.certificate },
    ...{ certificate: serving.certificate, key: serving.key },
    filters: filters({
      authenticate: ({ certificate }) => ({ name: certificate ? 'alice' : 'system:anonymous', groups: [] }),
      impersonate: () => Promise.resolve(undefined),
      authorize: allowAll,
      limit: () => undefined,
      route,
      requestTimeout: 60_000,
    }),
    onBug: (_, error) => test.fail(String(error)),
    ...more,
  });
  test.teardown(() => server.stop(0));
  return server;
}
