import { performance } from 'node:perf_hooks';
import type { Request } from '../http/request.js';
import type { Logger } from './logger.js';

/** hot: one line about a request at its end, for those who look for what happens. */
export function logRequest(log: Logger, request: Request): void {
  if (log.isLevelEnabled?.('debug') === false) return;
  const { exchange, code, user, auditId, received } = request;
  const { method, path, query, protocol, peer } = exchange;
  const fields = {
    method,
    path,
    ...(query !== '' && { query }),
    code,
    milliseconds: Math.round((performance.now() - received) * 10) / 10,
    user: user.name,
    agent: request.header('user-agent'),
    from: peer.address,
    protocol,
    auditId,
  };
  log.debug(fields, 'request');
}
