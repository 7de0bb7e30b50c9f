import type { RequestInfo } from '../interface.js';

/** How many watches would hear of a write. */
export interface WatchCount {
  /** Returns what to call when it ends. */
  add(info: RequestInfo): () => void;
  of(info: RequestInfo): number;
}

const key = (info: RequestInfo, namespace: string, name: string): string =>
  `${info.group}/${info.resource}/${namespace}/${name}`;

// as apiserver/pkg/util/flowcontrol/watch_tracker.go
export function watchCount(): WatchCount {
  const counts = new Map<string, number>();
  const count = (at: string): number => counts.get(at) ?? 0;
  return {
    add(info) {
      const at = key(info, info.namespace, info.name);
      counts.set(at, count(at) + 1);
      return () => {
        const left = count(at) - 1;
        if (left === 0) counts.delete(at);
        else counts.set(at, left);
      };
    },
    of(info) {
      if (counts.size === 0) return 0;
      const { namespace, name } = info;
      let sum = count(key(info, '', ''));
      if (namespace !== '') sum += count(key(info, namespace, ''));
      if (name !== '') sum += count(key(info, namespace, name));
      return sum;
    },
  };
}
