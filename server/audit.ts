import type { Registry } from 'prom-client';
import { FailureState } from '../lib/logging/failure-state.js';
import { audit } from '../apiserver/audit/audit.js';
import { openLogFile } from '../apiserver/audit/log-file.js';
import type { Audit } from '../apiserver/http/filters.js';
import type { CloseStack } from './close-stack.js';
import type { AuditConfig } from './config.js';
import type { AdjustableLogger } from './logger.js';

/** Returns callbacks that log when the audit log cannot be written, and when it can be again. */
function reporting(
  file: string,
  log: AdjustableLogger,
): { onFailure(error: Error, lost: number): void; onWritten(): void } {
  const failureState = new FailureState({
    ...{ log, now: Date.now, graceMs: 0 },
    fails: 'the audit log cannot be written; requests go on, and what does not fit into its buffer is lost',
    works: 'the audit log is written again',
  });
  let lostInTotal = 0;
  return {
    onFailure(error, lost) {
      lostInTotal += lost;
      failureState.failed(error, { path: file, lost: lostInTotal });
    },
    onWritten: () => failureState.worked(),
  };
}

/** Opens the configured audit log; undefined when there is none. Rejects when the file cannot be opened. */
export async function auditOf(
  config: AuditConfig | undefined,
  registry: Registry,
  log: AdjustableLogger,
  closing: CloseStack,
): Promise<Audit | undefined> {
  if (!config) return undefined;
  const file = await openLogFile({ ...config.log, ...reporting(config.log.path, log) });
  closing.push(() => file.close());
  return audit({ policy: config.policy, write: line => file.write(line), registry });
}
