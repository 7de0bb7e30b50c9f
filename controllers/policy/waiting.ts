import type { KubeObject } from '../../openapi/interface.js';
import { isSelected } from '../../registry/kinds/karmada/resource-selector.js';
import type { ResourceSelector } from '../../registry/kinds/karmada/types.js';
import type { TemplateKey, Templates } from './templates.js';

/** Templates that no policy wants yet, by kind, so that a new policy looks only at the kinds that it selects. */
export interface WaitingList {
  add(key: TemplateKey): void;
  remove(key: TemplateKey): void;
  matching(selectors: readonly ResourceSelector[], templates: Templates): TemplateKey[];
}

export function createWaitingList(): WaitingList {
  const byKind = new Map<string, Set<TemplateKey>>();
  const kindOf = (key: TemplateKey): string => key.split('|', 2).join('|');
  return {
    add(key) {
      const kind = kindOf(key);
      const keys = byKind.get(kind);
      if (keys) keys.add(key);
      else byKind.set(kind, new Set([key]));
    },
    remove: key => void byKind.get(kindOf(key))?.delete(key),
    matching(selectors, templates) {
      const kinds = new Set(selectors.map(({ apiVersion, kind }) => `${apiVersion}|${kind}`));
      return [...kinds].flatMap(kind =>
        [...(byKind.get(kind) ?? [])].filter(key => {
          const template: KubeObject | undefined = templates.get(key);
          return template !== undefined && isSelected(template, selectors);
        }),
      );
    },
  };
}
