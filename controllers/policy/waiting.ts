import { isSelected, mightSelect } from '../../registry/kinds/karmada/resource-selector.js';
import type { ResourceSelector } from '../../registry/kinds/karmada/types.js';
import { breathe } from '../runtime/breathe.js';
import { splitKey } from '../runtime/informer.js';
import type { Key } from '../runtime/interface.js';
import { templateKey, type TemplateKey, type Templates } from './templates.js';

/** Templates that no policy wants yet, by kind, so that a new policy looks only at the kinds that it selects. */
export interface WaitingList {
  add(at: Waiting): void;
  remove(at: Waiting): void;
  matching(selectors: readonly ResourceSelector[], templates: Templates): Promise<TemplateKey[]>;
}

export interface Waiting {
  readonly apiVersion: string;
  readonly kind: string;
  readonly key: Key;
}

export function createWaitingList(): WaitingList {
  const byKind = new Map<string, Set<Key>>();
  const kindOf = ({ apiVersion, kind }: Omit<Waiting, 'key'>): string => `${apiVersion}|${kind}`;
  return {
    add(at) {
      const kind = kindOf(at);
      const keys = byKind.get(kind);
      if (keys) keys.add(at.key);
      else byKind.set(kind, new Set([at.key]));
    },
    remove: at => void byKind.get(kindOf(at))?.delete(at.key),
    async matching(selectors, templates) {
      const found: TemplateKey[] = [];
      for (const id of new Set(selectors.map(kindOf))) {
        const [apiVersion = '', kind = ''] = id.split('|');
        for (const key of byKind.get(id) ?? []) {
          const at = { apiVersion, kind, ...splitKey(key) };
          if (!selectors.some(selector => mightSelect(selector, at))) continue;
          const template = templates.get(templateKey(at));
          if (template && isSelected(template, selectors)) found.push(templateKey(at));
          const pause = breathe();
          if (pause) await pause;
        }
      }
      return found;
    },
  };
}
