import { performance } from 'node:perf_hooks';
import type { Request } from './request.js';
import type { Logger } from '../../lib/logging/interface.js';

/** Milliseconds from which on a request is slow. Watches and other long-running requests never are. */
const slowMs = 1_000;
/** Lines for slow requests in so many milliseconds; further ones are only counted. */
const windowMs = 10_000;
const linesPerWindow = 5;
/** Characters of a text that a client has sent. */
const shownText = 300;

const shortened = (text: string): string => (text.length <= shownText ? text : `${text.slice(0, shownText)}...`);

const rounded = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

function fieldsOf(request: Request, now: number): object {
  const { exchange, code, user, auditId, received, elsewhere } = request;
  const { method, path, query, protocol, peer } = exchange;
  return {
    method,
    path: shortened(path),
    ...(query !== '' && { query: shortened(query) }),
    code,
    milliseconds: rounded(now - received),
    ...(elsewhere >= 1 && { waited: rounded(elsewhere) }),
    user: user.name,
    agent: shortened(request.header('user-agent') ?? ''),
    from: peer.address,
    protocol,
    auditId,
  };
}

/** Returns a function that logs a finished request: slow ones at `info`, and all of them at `debug` when `all` is set. hot: every request. */
export function requestLog(log: Logger, all: boolean): (request: Request) => void {
  let window = -Infinity;
  let lines = 0;
  let untold = 0;

  const logSlow = (request: Request, now: number): void => {
    if (now - window >= windowMs) {
      window = now;
      lines = 0;
    }
    if (lines++ >= linesPerWindow) {
      untold++;
      return;
    }
    log.info({ ...fieldsOf(request, now), ...(untold > 0 && { untold }) }, 'slow request');
    untold = 0;
  };

  return request => {
    const now = performance.now();
    if (now - request.received >= slowMs && request.deadline !== Infinity) logSlow(request, now);
    if (all && log.isLevelEnabled?.('debug') !== false) log.debug(fieldsOf(request, now), 'request');
  };
}
