import type { GroupVersionKind } from '../../apimachinery/interface.js';
import { apiVersionOf, gvkText } from '../../apimachinery/meta/gvk.js';

/** Groups, group versions and kinds that are never propagated. */
export class SkippedApis {
  readonly #groups: ReadonlySet<string>;
  readonly #groupVersions: ReadonlySet<string>;
  readonly #kinds: ReadonlySet<string>;

  /** `kinds` are those of `idOf`. */
  constructor(groups: readonly string[], groupVersions: readonly string[], kinds: readonly string[]) {
    this.#groups = new Set(groups);
    this.#groupVersions = new Set(groupVersions);
    this.#kinds = new Set(kinds);
  }

  includes(kind: GroupVersionKind): boolean {
    return this.#groups.has(kind.group) || this.#groupVersions.has(apiVersionOf(kind)) || this.#kinds.has(idOf(kind));
  }
}

/** Kinds are compared without case, as the help of Karmada's flag says; its code compares them exactly. */
const idOf = (kind: GroupVersionKind): string => gvkText(kind).toLowerCase();

/**
 * Parses the value of `--skipped-propagating-apis`: `group`, `group/version`, `group/version/Kind,Kind` or `v1/Kind,Kind`, separated by semicolons.
 * Throws with a text for the user. as pkg/util SkippedResourceConfig.Parse
 */
export function parseSkippedApis(text: string): SkippedApis {
  const groups: string[] = [];
  const groupVersions: string[] = [];
  const kinds: string[] = [];
  for (const token of text.split(';').filter(token => token !== '')) {
    const [first = '', second = '', third, ...more] = token.split('/');
    if (more.length > 0) throw new Error(`invalid parameter: ${token}`);
    const isCore = third === undefined && first === 'v1';
    const listed = isCore ? second : third;
    const [group, version] = isCore ? ['', first] : [first, second];
    if (listed !== undefined) kinds.push(...listed.split(',').map(kind => idOf({ group, version, kind })));
    else if (token.includes('/')) groupVersions.push(token);
    else groups.push(token);
  }
  return new SkippedApis(groups, groupVersions, kinds);
}
