import { customMetricsGroup } from '../../api/kubernetes/metrics.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { customVersions } from '../../kinds/kubernetes/metrics/value-lists.js';
import type { Member } from '../interface.js';
import { memberDocument } from './member-document.js';
import { receivedVersions } from './received-metrics.js';

type CustomVersion = (typeof customVersions)[number];

/** Milliseconds for which a member is expected to serve the same versions. */
const freshMs = 30_000;

interface Known {
  readonly version: CustomVersion | undefined;
  readonly until: number;
}

/** The versions of custom.metrics.k8s.io that members serve. */
export class ServedVersions {
  readonly #now: () => number;
  readonly #known = new WeakMap<Member, Known>();

  /** `now`: monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Resolves with the preferred version that a member serves; undefined for none. Rejects if the member does not answer. */
  async of(member: Member, signal: AbortSignal): Promise<CustomVersion | undefined> {
    const known = this.#known.get(member);
    if (known && known.until > this.#now()) return known.version;
    const version = await this.#read(member, signal);
    this.#known.set(member, { version, until: this.#now() + freshMs });
    return version;
  }

  async #read(member: Member, signal: AbortSignal): Promise<CustomVersion | undefined> {
    const group = await memberDocument(member, `/apis/${customMetricsGroup}`, signal).catch((error: unknown) => {
      if (error instanceof StatusError && error.code === 404) return undefined;
      throw error;
    });
    const names = receivedVersions(group);
    return customVersions.find(version => names.includes(version));
  }
}
