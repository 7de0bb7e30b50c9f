import { X509Certificate } from 'node:crypto';
import { loadOrCreate, type Pki } from './files.js';
import { renewalTime } from './rotation.js';
import { FailureState } from '../../lib/logging/failure-state.js';
import { timerMs } from '../../lib/timer.js';
import type { Logger } from '../../lib/logging/interface.js';

interface RenewalOptions {
  /** Gets the new administrator's certificate. */
  readonly pki: Pki;
  readonly directory: string;
  readonly hosts: readonly string[];
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Uses a certificate and its key for new connections. */
  readonly renew: (certificate: string, key: string) => void;
  /** Called when `pki` has a new administrator's certificate. The former one stays valid until its end. It is called again if it rejects. */
  readonly onAdminRenewed?: (() => Promise<void>) | undefined;
}

const retryAfter = 3600_000;

const expiryOf = (certificate: string): string => new Date(new X509Certificate(certificate).validTo).toISOString();

/** Renews the serving certificate and that of the administrator before they expire, while the server runs. */
export function keepRenewed(options: RenewalOptions): void {
  const { pki, directory, hosts, log, signal, renew, onAdminRenewed } = options;
  let serving = pki.serving.certificate;
  /** The administrator's certificate that was announced last. */
  let announced = pki.admin.certificate;
  let timer: NodeJS.Timeout | undefined;
  const unrenewed = new FailureState({
    ...{ log, now: Date.now, graceMs: 0, remindMs: 24 * 3600_000 },
    fails: 'the certificates of the server cannot be renewed; it is tried again every hour',
    works: 'the certificates of the server can be renewed again',
  });
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });

  const plan = (minMs: number): void => {
    if (signal.aborted) return;
    const times = [serving, announced].map(pem => renewalTime(new X509Certificate(pem)).getTime());
    timer = setTimeout(() => void check(), timerMs(Math.max(Math.min(...times) - Date.now(), minMs))).unref();
  };

  const check = async (): Promise<void> => {
    try {
      const found = await loadOrCreate(directory, { hosts });
      if (found.serving.certificate !== serving) {
        serving = found.serving.certificate;
        renew(serving, found.serving.key);
        log.info({ expires: expiryOf(serving) }, 'serving certificate renewed');
      }
      if (found.admin.certificate !== announced) {
        pki.admin = found.admin;
        await onAdminRenewed?.();
        announced = found.admin.certificate;
        log.info({ expires: expiryOf(announced) }, 'certificate of the administrator renewed');
      }
      unrenewed.worked();
    } catch (error) {
      unrenewed.failed(error);
    }
    plan(retryAfter);
  };
  plan(0);
}
