import { X509Certificate } from 'node:crypto';
import { loadOrCreate, type Pki } from './files.js';
import { renewalTime } from './rotation.js';
import { FailureState } from '../../lib/logging/failure-state.js';
import { timerMs } from '../../lib/timer.js';
import type { Logger } from '../../lib/logging/interface.js';

export interface RenewalOptions {
  readonly pki: Pki;
  readonly directory: string;
  readonly hosts: readonly string[];
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Uses a certificate and its key for new connections. */
  readonly renew: (certificate: string, key: string) => void;
}

const retryAfter = 3600_000;

/** Renews the serving certificate before it expires, while the server runs. */
export function keepRenewed(options: RenewalOptions): void {
  const { directory, hosts, log, signal, renew } = options;
  let timer: NodeJS.Timeout | undefined;
  const unrenewed = new FailureState({
    ...{ log, now: Date.now, graceMs: 0, remindMs: 24 * 3600_000 },
    fails: 'the serving certificate cannot be renewed; it is tried again every hour',
    works: 'the serving certificate can be renewed again',
  });
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });

  const plan = (certificate: string, minMs: number): void => {
    if (signal.aborted) return;
    const due = renewalTime(new X509Certificate(certificate)).getTime() - Date.now();
    timer = setTimeout(() => void check(certificate), timerMs(Math.max(due, minMs))).unref();
  };

  const check = async (current: string): Promise<void> => {
    try {
      const { serving } = await loadOrCreate(directory, { hosts });
      if (serving.certificate !== current) {
        renew(serving.certificate, serving.key);
        const { validTo } = new X509Certificate(serving.certificate);
        log.info({ expires: new Date(validTo).toISOString() }, 'serving certificate renewed');
      }
      unrenewed.worked();
      plan(serving.certificate, retryAfter);
    } catch (error) {
      unrenewed.failed(error);
      plan(current, retryAfter);
    }
  };
  plan(options.pki.serving.certificate, 0);
}
