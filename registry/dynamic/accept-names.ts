/** Decides which names a definition gets, of those it asks for and those that others of its group have. Pure. */
import { aggregate } from '../../apimachinery/errors/aggregate.js';
import { goQuote } from '../../lib/go/go-text.js';
import { semanticEqual } from '../../lib/json/equality.js';
import { caBundleFault } from '../strategy/ca-bundle.js';
import { type Condition, type CustomResourceDefinition, type Names, conditionOf } from './crd.js';

type NewCondition = Required<Omit<Condition, 'lastTransitionTime'>>;

export interface Acceptance {
  readonly acceptedNames: Names;
  readonly conditions: readonly NewCondition[];
}

/** `others`: all other definitions of the group. Undefined: nothing to do, the names are accepted already. */
// as apiextensions-apiserver/pkg/controller/status NamingConditionController
export function acceptNames(
  crd: CustomResourceDefinition,
  others: Iterable<CustomResourceDefinition>,
): Acceptance | undefined {
  const { names } = crd.spec;
  const had = crd.status?.acceptedNames ?? { plural: '', kind: '' };
  const established = conditionOf(crd, 'Established');
  if (semanticEqual(names, had) && established?.status === 'True') return undefined;
  const taken = takenNames(others);
  const conflicts: [reason: string, text: string][] = [];
  const accepted: { -readonly [F in keyof Names]: Names[F] } = { ...had };
  const claim = (
    field: 'plural' | 'singular' | 'kind' | 'listKind',
    reason: string,
    used: ReadonlySet<string>,
  ): void => {
    const wanted = names[field] ?? '';
    if (wanted !== (had[field] ?? '') && used.has(wanted)) conflicts.push([reason, inUse(wanted)]);
    else accepted[field] = wanted;
  };
  claim('plural', 'PluralConflict', taken.resources);
  claim('singular', 'SingularConflict', taken.resources);
  const short = names.shortNames ?? [];
  const refused = short.filter(name => !had.shortNames?.includes(name) && taken.resources.has(name));
  if (refused.length > 0) conflicts.push(['ShortNamesConflict', aggregate(refused.map(inUse))]);
  else accepted.shortNames = short;
  claim('kind', 'KindConflict', taken.kinds);
  claim('listKind', 'ListKindConflict', taken.kinds);
  if (names.categories) accepted.categories = names.categories;
  else delete accepted.categories;
  if (short.length === 0 && refused.length === 0) delete accepted.shortNames;
  return {
    acceptedNames: accepted,
    conditions: [namesAccepted(conflicts), establishedNow(crd, established, conflicts)],
  };
}

const inUse = (name: string): string => `${goQuote(name)} is already in use`;

function takenNames(others: Iterable<CustomResourceDefinition>): { resources: Set<string>; kinds: Set<string> } {
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

/** Of several conflicts the last is told. */
function namesAccepted(conflicts: readonly (readonly [string, string])[]): NewCondition {
  const last = conflicts.at(-1);
  if (!last) return { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
  const [reason, message] = last;
  return { type: 'NamesAccepted', status: 'False', reason, message };
}

/** Once established, always established. */
function establishedNow(
  { spec }: CustomResourceDefinition,
  old: Condition | undefined,
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
