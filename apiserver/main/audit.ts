import { performance } from 'node:perf_hooks';
import type { Registry } from 'prom-client';
import { audit } from '../audit/audit.js';
import { openLogFile } from '../audit/log-file.js';
import type { Audit } from '../http/filters.js';
import type { Closing } from './closing.js';
import type { AuditConfig } from './config.js';
import type { Logger } from './logger.js';

/** The same trouble is told once in so many milliseconds. */
const tellEvery = 60_000;

/** undefined: nobody takes notes. Rejects when the file cannot be opened. */
export async function auditOf(
  config: AuditConfig | undefined,
  registry: Registry,
  log: Logger,
  closing: Closing,
): Promise<Audit | undefined> {
  if (!config) return undefined;
  let told = -Infinity;
  let untold = 0;
  const onTrouble = (error: Error, lost: number): void => {
    untold += lost;
    const now = performance.now();
    if (now - told < tellEvery) return;
    told = now;
    log.error({ err: error, lost: untold, path: config.log.path }, 'the audit log cannot be written; requests go on');
    untold = 0;
  };
  const file = await openLogFile({ ...config.log, onTrouble });
  closing.push(() => file.close());
  return audit({ policy: config.policy, write: line => file.write(line), registry });
}
