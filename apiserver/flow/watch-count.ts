import type { RequestInfo } from '../interface.js';

/** Counts the watches that would get the event of a write. */
export interface WatchCount {
  /** Counts a watch. Returns a function to be called at its end. */
  add(info: RequestInfo): () => void;
  of(info: RequestInfo): number;
}

const keyOf = (info: RequestInfo, namespace: string, name: string): string =>
  `${info.group}/${info.resource}/${namespace}/${name}`;

/** Returns a count of the open watches, by which the cost of a write is estimated. as apiserver/pkg/util/flowcontrol/watch_tracker.go */
export function watchCount(): WatchCount {
  const counts = new Map<string, number>();
  const count = (key: string): number => counts.get(key) ?? 0;
  return {
    add(info) {
      const key = keyOf(info, info.namespace, info.name);
      counts.set(key, count(key) + 1);
      return () => {
        const remaining = count(key) - 1;
        if (remaining === 0) counts.delete(key);
        else counts.set(key, remaining);
      };
    },
    of(info) {
      if (counts.size === 0) return 0;
      const { namespace, name } = info;
      let sum = count(keyOf(info, '', ''));
      if (namespace !== '') sum += count(keyOf(info, namespace, ''));
      if (name !== '') sum += count(keyOf(info, namespace, name));
      return sum;
    },
  };
}
