/** Decides which of its names a definition gets: those that no other definition of the group has. Pure. */
import { aggregate } from '../../apimachinery/errors/aggregate.js';
import { goQuote } from '../../lib/go/go-text.js';
import { semanticEqual } from '../../lib/json/equality.js';
import { caBundleFault } from '../strategy/ca-bundle.js';
import { type CrdCondition, type CustomResourceDefinition, type Names, conditionOf } from './crd.js';

type NewCondition = Required<Omit<CrdCondition, 'lastTransitionTime'>>;

export interface Acceptance {
  readonly acceptedNames: Names;
  readonly conditions: readonly NewCondition[];
}

/** Returns the accepted names; undefined if the names are accepted already. `others` are all other definitions of the group. */
// as apiextensions-apiserver/pkg/controller/status NamingConditionController
export function acceptNames(
  crd: CustomResourceDefinition,
  others: Iterable<CustomResourceDefinition>,
): Acceptance | undefined {
  const { names } = crd.spec;
  const current = crd.status?.acceptedNames ?? { plural: '', kind: '' };
  const established = conditionOf(crd, 'Established');
  if (semanticEqual(names, current) && established?.status === 'True') return undefined;
  const used = usedNames(others);
  const conflicts: [reason: string, text: string][] = [];
  const accepted: { -readonly [F in keyof Names]: Names[F] } = { ...current };
  const claim = (
    field: 'plural' | 'singular' | 'kind' | 'listKind',
    reason: string,
    others: ReadonlySet<string>,
  ): void => {
    const requested = names[field] ?? '';
    if (requested !== (current[field] ?? '') && others.has(requested)) conflicts.push([reason, inUse(requested)]);
    else accepted[field] = requested;
  };
  claim('plural', 'PluralConflict', used.resources);
  claim('singular', 'SingularConflict', used.resources);
  const short = names.shortNames ?? [];
  const refused = short.filter(name => !current.shortNames?.includes(name) && used.resources.has(name));
  if (refused.length > 0) conflicts.push(['ShortNamesConflict', aggregate(refused.map(inUse))]);
  else accepted.shortNames = short;
  claim('kind', 'KindConflict', used.kinds);
  claim('listKind', 'ListKindConflict', used.kinds);
  if (names.categories) accepted.categories = names.categories;
  else delete accepted.categories;
  if (short.length === 0 && refused.length === 0) delete accepted.shortNames;
  return {
    acceptedNames: accepted,
    conditions: [namesAccepted(conflicts), establishedCondition(crd, established, conflicts)],
  };
}

const inUse = (name: string): string => `${goQuote(name)} is already in use`;

function usedNames(others: Iterable<CustomResourceDefinition>): { resources: Set<string>; kinds: Set<string> } {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { status } of others) {
    const names = status?.acceptedNames;
    if (!names) continue;
    for (const name of [names.plural, names.singular ?? '', ...(names.shortNames ?? [])]) resources.add(name);
    for (const name of [names.kind, names.listKind ?? '']) kinds.add(name);
  }
  return { resources, kinds };
}

/** Returns the condition NamesAccepted, which reports the last conflict. */
function namesAccepted(conflicts: readonly (readonly [string, string])[]): NewCondition {
  const last = conflicts.at(-1);
  if (!last) return { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
  const [reason, message] = last;
  return { type: 'NamesAccepted', status: 'False', reason, message };
}

/** Returns the condition Established, which never becomes False again. */
function establishedCondition(
  { spec }: CustomResourceDefinition,
  old: CrdCondition | undefined,
  conflicts: readonly unknown[],
): NewCondition {
  const type = 'Established';
  if (old?.status === 'True') return { type, status: 'True', reason: old.reason ?? '', message: old.message ?? '' };
  if (conflicts.length > 0)
    return { type, status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
  if (caBundleFault(spec.conversion?.webhook?.clientConfig?.caBundle ?? '') !== undefined)
    return { type, status: 'False', reason: 'InvalidCABundle', message: 'The conversion webhook CABundle is invalid' };
  return { type, status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' };
}
