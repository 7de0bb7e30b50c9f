import type { RemoteClient } from '../../../aggregation/interface.js';
import { annotations } from '../../../api/karmada/well-known.js';
import { until } from '../../authn/serve.js';
import { core } from '../fleet.js';

/** Watches ConfigMaps with the label `mine` from a version as clients do: again from the last version whenever the watch ends. Records every event. */
export class ResumingWatcher {
  readonly seen: string[] = [];
  readonly #stop = new AbortController();
  version: string;

  constructor(version: string) {
    this.version = version;
  }

  async run(client: () => RemoteClient): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const query = { labelSelector: 'mine=yes', resourceVersion: this.version, timeoutSeconds: 60 };
        for await (const { type, object } of client().watch(core('configmaps'), query, signal)) {
          const { name = '', annotations: marks = {}, resourceVersion = '' } = object.metadata;
          const { at } = object['data'] as { at: string };
          this.seen.push(`${marks[annotations.cachedFromCluster] ?? ''} ${type} ${name} ${at}`);
          this.version = resourceVersion;
        }
      } catch (error) {
        if ((error as { code?: number }).code === 410) throw error;
        await until(() => true);
      }
    }
  }

  stop(): void {
    this.#stop.abort();
  }

  of(member: string): string[] {
    return this.seen.filter(each => each.startsWith(`${member} `));
  }
}
