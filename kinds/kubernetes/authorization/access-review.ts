/** The common parts of the three kinds of access reviews: rules, attributes, and the form of the answer. */
import type { Fault, ObjectMeta } from '../../../apimachinery/interface.js';
import { child, forbiddenField, index, invalidValue, required } from '../../../apimachinery/errors/faults.js';
import { parseFieldSelector } from '../../../apimachinery/selectors/field-selectors.js';
import { labelExpressionFaults } from '../../../apimachinery/selectors/label-faults.js';
import { readSelector, selectorOf } from '../../../apimachinery/selectors/label-selectors.js';
import { invalid, type StatusError } from '../../../apimachinery/errors/status.js';
import type { Attributes, AuthorizationDecision } from '../../../registry/access.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  NonResourceAttributes,
  ResourceAttributes,
  SubjectAccessReviewStatus,
} from '../../../api/kubernetes/authorization.js';

/** The part of each review's spec that describes the access in question. */
interface AccessSpec {
  readonly resourceAttributes?: ResourceAttributes | null;
  readonly nonResourceAttributes?: NonResourceAttributes | null;
}

/** Returns the attributes as Go prints the internal type, which has no JSON names. */
const shownPath = ({ path = '', verb = '' }: NonResourceAttributes): object => ({ Path: path, Verb: verb });

/** Returns a fault unless exactly one of the two kinds of attributes is set. as pkg/apis/authorization/validation/validation.go */
export function targetFaults({ resourceAttributes, nonResourceAttributes }: AccessSpec): readonly Fault[] {
  if (resourceAttributes && nonResourceAttributes) {
    const text = 'cannot be specified in combination with resourceAttributes';
    return [invalidValue('spec.nonResourceAttributes', shownPath(nonResourceAttributes), text)];
  }
  if (resourceAttributes || nonResourceAttributes) return [];
  const text = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalidValue('spec.resourceAttributes', null, text)];
}

/** Returns a fault if a path is reviewed: the rule for reviews of one namespace. */
export function pathFaults({ nonResourceAttributes }: AccessSpec): readonly Fault[] {
  if (!nonResourceAttributes) return [];
  const text = 'disallowed on this kind of request';
  return [invalidValue('spec.nonResourceAttributes', shownPath(nonResourceAttributes), text)];
}

function selectorFaults(selector: FieldSelectorAttributes | LabelSelectorAttributes, path: string): Fault[] {
  const { rawSelector = '', requirements = [] } = selector;
  if (rawSelector !== '' && requirements.length > 0)
    return [
      invalidValue(child(path, 'rawSelector'), rawSelector, 'may not specified at the same time as requirements'),
    ];
  if (rawSelector !== '' || requirements.length > 0) return [];
  return [required(child(path, 'requirements'), `when ${path} is specified, requirements or rawSelector is required`)];
}

type Requirement = NonNullable<LabelSelectorAttributes['requirements']>[number];

/** Unknown operators are accepted: newer clients may use them. */
function fieldRequirementFaults({ key = '', operator = '', values = [] }: Requirement, path: string): Fault[] {
  const faults = key === '' ? [required(child(path, 'key'), 'must be specified')] : [];
  const at = child(path, 'values');
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0)
    faults.push(required(at, "must be specified when `operator` is 'In' or 'NotIn'"));
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0)
    faults.push(forbiddenField(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  return faults;
}

function labelRequirementFaults({ key = '', operator = '', values = [] }: Requirement, path: string): Fault[] {
  const unknown = child(path, 'operator');
  return labelExpressionFaults({ key, operator, values }, path).filter(fault => fault.path !== unknown);
}

const eachRequirement = (
  requirements: readonly Requirement[] | undefined,
  path: string,
  faults: (requirement: Requirement, path: string) => Fault[],
): Fault[] => (requirements ?? []).flatMap((r, i) => faults(r, index(child(path, 'requirements'), i)));

/**
 * Returns the faults of the field and label selectors, which a review passes on to authorizers.
 * as pkg/apis/authorization/validation validateResourceAttributes
 */
export function attributeFaults({ resourceAttributes }: AccessSpec): readonly Fault[] {
  const { fieldSelector, labelSelector } = resourceAttributes ?? {};
  const fields = 'spec.resourceAttributes.fieldSelector';
  const labels = 'spec.resourceAttributes.labelSelector';
  return [
    ...(fieldSelector ? selectorFaults(fieldSelector, fields) : []),
    ...eachRequirement(fieldSelector?.requirements, fields, fieldRequirementFaults),
    ...(labelSelector ? selectorFaults(labelSelector, labels) : []),
    ...eachRequirement(labelSelector?.requirements, labels, labelRequirementFaults),
  ];
}

/** Reviews have no metadata of their own; managedFields were added by the pipeline. */
export function reviewMetadataFaults(metadata: ObjectMeta, allowed: readonly string[], text: string): readonly Fault[] {
  const used = Object.entries(metadata).some(
    ([name, value]) => name !== 'managedFields' && !allowed.includes(name) && isSet(value),
  );
  return used ? [invalidValue('metadata', metadata, text)] : [];
}

const isSet = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  !(typeof value === 'object' && Object.keys(value).length === 0);

/** Returns 422 without a kind: upstream no longer has it at that point. */
export const invalidReview = (faults: readonly Fault[]): StatusError =>
  invalid({ group: 'authorization.k8s.io', kind: '' }, '', faults);

/** A selector as text, and whether parts of it could not be read. */
interface ReadSelector {
  readonly text: string;
  readonly ignored: '' | 'ignored' | 'partially ignored';
}

const nothingRead: ReadSelector = { text: '', ignored: '' };

function readRequirements<T>(all: readonly T[], read: (requirement: T) => string | undefined): ReadSelector {
  const texts = all.map(read);
  const good = texts.filter(text => text !== undefined);
  if (good.length === texts.length) return { text: good.join(','), ignored: '' };
  return { text: good.join(','), ignored: good.length === 0 ? 'ignored' : 'partially ignored' };
}

/** Returns a requirement; undefined if it cannot be read, which is reported for the selector as a whole. */
function attempt(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function readLabels(selector: LabelSelectorAttributes | null | undefined): ReadSelector {
  if (selector?.requirements?.length)
    return readRequirements(selector.requirements, ({ key = '', operator = '', values = [] }) =>
      attempt(() => selectorOf({ matchExpressions: [{ key, operator, values }] }).toString()),
    );
  if (!selector?.rawSelector) return nothingRead;
  const read = readSelector(selector.rawSelector);
  return 'error' in read ? { text: '', ignored: 'ignored' } : { text: read.toString(), ignored: '' };
}

function readFields(selector: FieldSelectorAttributes | null | undefined): ReadSelector {
  if (selector?.requirements?.length)
    return readRequirements(selector.requirements, ({ key = '', operator = '', values = [] }) => {
      const [value, ...more] = values;
      if (value === undefined || more.length > 0) return undefined;
      return operator === 'In' ? `${key}=${value}` : operator === 'NotIn' ? `${key}!=${value}` : undefined;
    });
  const { rawSelector = '' } = selector ?? {};
  if (rawSelector === '') return nothingRead;
  const text = attempt(() => parseFieldSelector(rawSelector).toString());
  return text === undefined ? { text: '', ignored: 'ignored' } : { text, ignored: '' };
}

/** Returns the attributes to check, and errors for the parts that could not be read. */
export function questionOf(spec: AccessSpec): { readonly attributes: Attributes; readonly errors: readonly string[] } {
  const { resourceAttributes: asked, nonResourceAttributes: path } = spec;
  if (!asked) return { attributes: { type: 'path', verb: path?.verb ?? '', path: path?.path ?? '' }, errors: [] };
  const labels = readLabels(asked.labelSelector);
  const fields = readFields(asked.fieldSelector);
  const errors = [
    ['fieldSelector', fields.ignored],
    ['labelSelector', labels.ignored],
  ] as const;
  return {
    attributes: {
      type: 'resource',
      verb: asked.verb ?? '',
      group: asked.group ?? '',
      version: asked.version || '*',
      resource: asked.resource ?? '',
      subresource: asked.subresource ?? '',
      namespace: asked.namespace ?? '',
      name: asked.name ?? '',
      ...(labels.text !== '' && { labelSelector: labels.text }),
      ...(fields.text !== '' && { fieldSelector: fields.text }),
    },
    errors: errors
      .filter(([, ignored]) => ignored !== '')
      .map(([name, ignored]) => `spec.resourceAttributes.${name} ${ignored} due to parse error`),
  };
}

/** Returns the review with its answer. */
export function answered(review: KubeObject, decision: AuthorizationDecision, errors: readonly string[]): KubeObject {
  const status: SubjectAccessReviewStatus = {
    allowed: decision.allowed,
    ...(decision.denied === true && { denied: true }),
    ...(decision.reason !== '' && { reason: decision.reason }),
    ...(errors.length > 0 && { evaluationError: errors.join('; ') }),
  };
  return { ...review, status };
}
