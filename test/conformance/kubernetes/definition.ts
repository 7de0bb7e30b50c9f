/** CustomResourceDefinitions for tests. */
import { anything, customKind, version } from '../../custom-kinds.js';
import { type Draft, type Kit, type Thing, unique } from './kit.js';

export interface Version {
  readonly name: string;
  readonly schema?: object;
  readonly served?: boolean;
}

export interface Defined {
  /** The plural name. */
  readonly name: string;
  readonly kind: string;
  readonly group: string;
  readonly draft: Draft;
}

interface Wanted {
  readonly group?: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  /** The versions, of which the first is stored. The default is v1 with a schema that allows everything. */
  readonly versions?: readonly Version[];
  readonly labels?: Readonly<Record<string, string>>;
}

/** Returns a definition with names that no other test of the process uses. */
export function definition(word: string, { group, scope = 'Namespaced', versions, labels }: Wanted = {}): Defined {
  const singular = unique(`${word}-`).replaceAll('-', '');
  const name = `${singular}s`;
  const kind = `E2e${singular}`;
  const ofGroup = group ?? `${singular}.example.com`;
  const all = (versions ?? [{ name: 'v1' }]).map(({ name, schema = anything, served = true }, i) =>
    version(name, schema, { served, storage: i === 0 }),
  );
  const names = { plural: name, singular, listKind: `${kind}List` };
  const draft = customKind(kind, all, { group: ofGroup, scope, names, ...(labels && { labels }) });
  return { name, kind, group: ofGroup, draft };
}

interface Conditions {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

/** Returns whether the condition is true. */
const has = (thing: Thing, type: string): boolean =>
  (thing['status'] as Conditions | undefined)?.conditions?.some(each => each.type === type && each.status === 'True') ??
  false;

/** Creates the definition, and waits until it is established. */
export async function established({ of }: Kit, { name, group, draft }: Defined): Promise<Thing> {
  const definitions = of('apiextensions.k8s.io/v1/customresourcedefinitions');
  await definitions.create(draft);
  return definitions.becomes(`${name}.${group}`, thing => has(thing, 'Established'));
}
