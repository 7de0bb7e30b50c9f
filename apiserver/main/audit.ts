import { performance } from 'node:perf_hooks';
import type { Registry } from 'prom-client';
import { audit } from '../audit/audit.js';
import { openLogFile } from '../audit/log-file.js';
import type { Audit } from '../http/filters.js';
import type { Closing } from './closing.js';
import type { AuditConfig } from './config.js';
import type { Logger } from './logger.js';

/** Milliseconds between two troubles that are told. */
const tellEvery = 60_000;

/** Tells when the audit log cannot be written, and when it can again. */
function troubleOf(file: string, log: Logger): { onTrouble(error: Error, lost: number): void; onWritten(): void } {
  let since: number | undefined;
  let told = -Infinity;
  let lost = 0;
  return {
    onTrouble(error, more) {
      lost += more;
      const now = performance.now();
      if (since !== undefined || now - told < tellEvery) return;
      since = told = now;
      log.error({ path: file, cause: error.message }, 'the audit log cannot be written; requests go on');
    },
    onWritten() {
      if (since === undefined) return;
      const seconds = Math.round((performance.now() - since) / 1000);
      log.info({ path: file, seconds, lost }, 'the audit log is written again');
      since = undefined;
      lost = 0;
    },
  };
}

/** Opens the audit log that is configured; undefined when there is none. Rejects when the file cannot be opened. */
export async function auditOf(
  config: AuditConfig | undefined,
  registry: Registry,
  log: Logger,
  closing: Closing,
): Promise<Audit | undefined> {
  if (!config) return undefined;
  const file = await openLogFile({ ...config.log, ...troubleOf(config.log.path, log) });
  closing.push(() => file.close());
  return audit({ policy: config.policy, write: line => file.write(line), registry });
}
