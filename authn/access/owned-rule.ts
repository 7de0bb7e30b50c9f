import type { PolicyRule } from '../../api/kubernetes/rbac.js';
import { stem } from './rule.js';

/** The smallest part of a rule: one verb on one resource of one group, perhaps with a name; or one verb on one path. */
export type RulePart =
  | { readonly verb: string; readonly group: string; readonly resource: string; readonly name: string | undefined }
  | { readonly verb: string; readonly url: string };

/** A wanted rule, with each value once. */
interface WantedRule {
  readonly verbs: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  /** Empty: all names. */
  readonly names: ReadonlySet<string>;
  readonly urls: ReadonlySet<string>;
}

/** Returns the rule whose coverage is checked, with each value once. */
export const wantedRule = (rule: PolicyRule): WantedRule => ({
  verbs: new Set(rule.verbs),
  groups: new Set(rule.apiGroups),
  resources: new Set(rule.resources),
  names: new Set(rule.resourceNames),
  urls: new Set(rule.nonResourceURLs),
});

const all = '*';
/** The number of characters whose comparison counts as one step. */
const charactersPerStep = 64;

/** A rule that a user has, as sets: wanted rules are compared with it value by value, in constant time for each. */
export class OwnedRule {
  readonly #rule: WantedRule;
  /** The paths that end with `*`, without it, by their length. */
  readonly #prefixes = new Map<number, Set<string>>();
  /** The number of comparisons so far. */
  steps = 0;

  constructor(rule: PolicyRule) {
    this.#rule = wantedRule(rule);
    for (const url of this.#rule.urls) {
      if (!url.endsWith(all)) continue;
      const prefix = stem(url);
      const known = this.#prefixes.get(prefix.length);
      if (known) known.add(prefix);
      else this.#prefixes.set(prefix.length, new Set([prefix]));
    }
  }

  covers(part: RulePart): boolean {
    this.steps++;
    const { verbs, groups, names } = this.#rule;
    if (!verbs.has(part.verb) && !verbs.has(all)) return false;
    if ('url' in part) return names.size === 0 && this.#coversUrl(part.url);
    return (
      (groups.has(part.group) || groups.has(all)) &&
      this.#coversResource(part.resource) &&
      (names.size === 0 || (part.name !== undefined && names.has(part.name)))
    );
  }

  /** Returns whether this rule alone grants all parts of another one: then they need not be compared one by one. */
  coversWhole(wanted: WantedRule): boolean {
    const { verbs, groups, names } = this.#rule;
    if (!this.#hasAllOrStar(verbs, wanted.verbs)) return false;
    if (wanted.urls.size > 0 && (names.size > 0 || !this.#every(wanted.urls, url => this.#coversUrl(url))))
      return false;
    if (wanted.groups.size === 0 || wanted.resources.size === 0) return true;
    if (names.size > 0 && (wanted.names.size === 0 || !this.#hasAll(names, wanted.names))) return false;
    return (
      this.#hasAllOrStar(groups, wanted.groups) && this.#every(wanted.resources, each => this.#coversResource(each))
    );
  }

  /** Reports whether the rule has all verbs or groups, where `*` means all values. */
  #hasAllOrStar(owned: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean {
    return owned.has(all) || this.#hasAll(owned, wanted);
  }

  /** Reports whether the rule has all names of objects, where `*` is an ordinary name. */
  #hasAll(owned: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean {
    return owned.size >= wanted.size && this.#every(wanted, value => owned.has(value));
  }

  #every(values: ReadonlySet<string>, holds: (value: string) => boolean): boolean {
    for (const value of values) {
      this.steps++;
      if (!holds(value)) return false;
    }
    return true;
  }

  #coversResource(resource: string): boolean {
    const { resources } = this.#rule;
    if (resources.has(resource) || resources.has(all)) return true;
    const slash = resource.indexOf('/');
    return slash >= 0 && resources.has(`*${resource.slice(slash)}`);
  }

  #coversUrl(url: string): boolean {
    if (this.#rule.urls.has(url)) return true;
    for (const [length, prefixes] of this.#prefixes) {
      this.steps += 1 + length / charactersPerStep;
      if (length <= url.length && prefixes.has(url.slice(0, length))) return true;
    }
    return false;
  }
}
