/** The port for the tests of HTTP/2, with its own routes. */
import type { Test } from 'tap';
import { type ApiServer, type ApiServerOptions, startApiServer } from '../../../../apiserver/http/api-server.js';
import { answer, answerValue } from '../../../../apiserver/http/answer.js';
import { type RequestFilter, filters } from '../../../../apiserver/http/filters.js';
import type { Request } from '../../../../apiserver/http/request.js';
import { createAuthority, issueClient, issueServing } from '../../../../authn/pki/authority.js';
import { allowAll } from '../../allow-all.js';

const authority = await createAuthority();
const serving = await issueServing(authority, ['localhost', '127.0.0.1']);
const alice = await issueClient(authority, { name: 'alice', groups: [] });

/** A client certificate: connections of unauthenticated clients are closed after their first request. */
export const identity = { ca: authority.certificate, cert: alice.certificate, key: alice.key };

const maxBody = 1 << 26;

/** Resolves when the client has left. */
export const left = ({ exchange }: Request): Promise<void> => new Promise(resolve => exchange.onClose(resolve));

export const filler = (bytes: number): Buffer => Buffer.alloc(bytes, 'flagship');

/** Returns the number of bytes in the query, at most 4 MiB; 0 if it is invalid. */
const asked = ({ query }: Request): number => Math.min(Number(query.get('bytes')) || 0, 1 << 22);

/** Routes by path. */
const routes: Readonly<Record<string, RequestFilter>> = {
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
  /** Does not read the body. */
  '/ignore': request => answer(request, 200, 'text/plain', Buffer.from('ignored')),
  '/large': request => answer(request, 200, 'text/plain', filler(asked(request))),
};

/** Returns a handler with these routes; other paths get 404. */
export const byPath =
  (more: Readonly<Record<string, RequestFilter>> = {}): RequestFilter =>
  request => {
    const route = more[request.exchange.path] ?? routes[request.exchange.path];
    return route ? route(request) : answer(request, 404, undefined, undefined);
  };

export async function start(
  test: Test,
  route: RequestFilter = byPath(),
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
      requestTimeoutMs: 60_000,
    }),
    onBug: (_, error) => test.fail(String(error)),
    ...more,
  });
  test.teardown(() => server.stop(0));
  return server;
}
