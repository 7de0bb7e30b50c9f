import type { KubeObject } from '../../openapi/interface.js';
import type { Key } from './interface.js';

export interface Index {
  get(value: string): readonly KubeObject[];
  replace(key: Key, old: KubeObject | undefined, next: KubeObject | undefined): void;
}

/** Objects by the values that a function finds in them. Only values that changed are touched. */
export function createIndex(valuesOf: (object: KubeObject) => readonly string[]): Index {
  const byValue = new Map<string, Map<Key, KubeObject>>();
  return {
    get: value => [...(byValue.get(value)?.values() ?? [])],
    replace(key, old, next) {
      const wanted = next ? valuesOf(next) : [];
      for (const value of old ? valuesOf(old) : []) {
        if (wanted.includes(value)) continue;
        const bucket = byValue.get(value);
        bucket?.delete(key);
        if (bucket?.size === 0) byValue.delete(value);
      }
      if (!next) return;
      for (const value of wanted) {
        const bucket = byValue.get(value);
        if (bucket) bucket.set(key, next);
        else byValue.set(value, new Map([[key, next]]));
      }
    },
  };
}
