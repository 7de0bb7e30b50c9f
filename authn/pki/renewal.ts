import { X509Certificate } from 'node:crypto';
import { loadOrCreate, type Pki } from './files.js';
import { renewalTime } from './rotation.js';
import type { Clock } from '../../lib/clock.js';
import { FailureState } from '../../lib/logging/failure-state.js';
import type { Logger } from '../../lib/logging/interface.js';

interface RenewalOptions {
  /** Gets the new administrator's certificate. */
  readonly pki: Pki;
  readonly directory: string;
  readonly hosts: readonly string[];
  readonly log: Logger;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Uses a certificate and its key for new connections. */
  readonly renew: (certificate: string, key: string) => void;
  /** Called when `pki` has a new administrator's certificate. The former one stays valid until its end. It is called again if it rejects. */
  readonly onAdminRenewed?: (() => Promise<void>) | undefined;
}

/** Milliseconds that pass between two attempts at least. */
const minIntervalMs = 3600_000;

const expiryOf = (certificate: string): string => new Date(new X509Certificate(certificate).validTo).toISOString();

class Renewal {
  readonly #options: RenewalOptions;
  readonly #failing: FailureState;
  #serving: string;
  /** The administrator's certificate that was announced last. */
  #announced: string;

  constructor(options: RenewalOptions) {
    const { pki, log, clock } = options;
    this.#options = options;
    this.#serving = pki.serving.certificate;
    this.#announced = pki.admin.certificate;
    this.#failing = new FailureState({
      ...{ log, now: () => clock.now(), graceMs: 0, remindMs: 24 * 3600_000 },
      fails: 'the certificates of the server cannot be renewed; it is tried again every hour',
      works: 'the certificates of the server can be renewed again',
    });
  }

  /** Renews what is due until the signal aborts. */
  async run(): Promise<void> {
    const { clock, signal } = this.#options;
    let minMs = 0;
    for (;;) {
      await clock.sleep(Math.max(this.#untilDue(), minMs), signal);
      if (signal.aborted) return;
      minMs = 0;
      // A timer may fire a millisecond early, and one for many days does.
      if (this.#untilDue() > 0) continue;
      await this.#renew();
      minMs = minIntervalMs;
    }
  }

  /** Returns the milliseconds until a certificate is due; not positive when one is. */
  #untilDue(): number {
    const due = [this.#serving, this.#announced].map(pem => renewalTime(new X509Certificate(pem)).getTime());
    return Math.min(...due) - this.#options.clock.now();
  }

  async #renew(): Promise<void> {
    const { pki, directory, hosts, log, clock, renew, onAdminRenewed } = this.#options;
    try {
      const found = await loadOrCreate(directory, { hosts, now: new Date(clock.now()) });
      if (found.serving.certificate !== this.#serving) {
        this.#serving = found.serving.certificate;
        renew(this.#serving, found.serving.key);
        log.info({ expires: expiryOf(this.#serving) }, 'serving certificate renewed');
      }
      if (found.admin.certificate !== this.#announced) {
        pki.admin = found.admin;
        await onAdminRenewed?.();
        this.#announced = found.admin.certificate;
        log.info({ expires: expiryOf(this.#announced) }, 'certificate of the administrator renewed');
      }
      this.#failing.worked();
    } catch (error) {
      this.#failing.failed(error);
    }
  }
}

/** Renews the serving certificate and that of the administrator before they expire, while the server runs. */
export const keepRenewed = (options: RenewalOptions): void => void new Renewal(options).run();
