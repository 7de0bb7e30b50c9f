import { performance } from 'node:perf_hooks';
import type { Request } from './request.js';
import type { Logger } from '../../lib/logging/interface.js';

/** Milliseconds after which a request is slow. Watches and other long-running requests are never slow. */
const slowMs = 1_000;
/** At most `linesPerWindow` lines for slow requests are logged per `windowMs`; further ones are only counted. */
const windowMs = 10_000;
const linesPerWindow = 5;
/** Maximum number of logged characters of a text that a client has sent. */
const maxTextLength = 300;

const shortened = (text: string): string =>
  text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength)}...`;

const rounded = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

function fieldsOf(request: Request, now: number): object {
  const { exchange, code, user, auditId, received, waitedMs } = request;
  const { method, path, query, protocol, peer } = exchange;
  return {
    method,
    path: shortened(path),
    ...(query !== '' && { query: shortened(query) }),
    code,
    milliseconds: rounded(now - received),
    ...(waitedMs >= 1 && { waited: rounded(waitedMs) }),
    user: user.name,
    agent: shortened(request.header('user-agent') ?? ''),
    from: peer.address,
    protocol,
    auditId,
  };
}

/** Returns a function that logs a finished request: slow ones at `info`, and all of them at `debug` when `all` is set. hot: every request. */
export function requestLog(log: Logger, all: boolean): (request: Request) => void {
  let windowStart = -Infinity;
  let lines = 0;
  let suppressed = 0;

  const logSlow = (request: Request, now: number): void => {
    if (now - windowStart >= windowMs) {
      windowStart = now;
      lines = 0;
    }
    if (lines++ >= linesPerWindow) {
      suppressed++;
      return;
    }
    log.info({ ...fieldsOf(request, now), ...(suppressed > 0 && { suppressed }) }, 'slow request');
    suppressed = 0;
  };

  return request => {
    const now = performance.now();
    if (now - request.received >= slowMs && request.deadline !== Infinity) logSlow(request, now);
    if (all && log.isLevelEnabled?.('debug') !== false) log.debug(fieldsOf(request, now), 'request');
  };
}
