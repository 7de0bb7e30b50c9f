// as pkg/apis/flowcontrol/validation ValidatePriorityLevelConfiguration
import { sameValue } from '../../../registry/strategy/same-value.js';
import type { Validate } from '../../../registry/interface.js';
import { type Field, annotationsOf } from '../../shared/rules/field.js';
import { shownInternal } from '../../shared/go-text/internal-json.js';
import { validate } from '../../shared/rules/validate.js';
import type {
  LimitResponse,
  LimitedPriorityLevelConfiguration,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from '../../../api/kubernetes/flowcontrol.js';
import { flowConditions } from './flow-schema-rules.js';
import { mandatoryLevels } from './mandatory.js';

const types = ['Exempt', 'Limited'];
const responses = ['Queue', 'Reject'];
const maxQueues = 10_000_000;
const maxBits = 60;

interface Shares {
  readonly nominalConcurrencyShares?: number;
  readonly lendablePercent?: number;
}

function shares(level: Field<Shares>): void {
  const nominal = level.at('nominalConcurrencyShares');
  if ((nominal.value ?? 0) < 0) nominal.invalid('must be a non-negative integer');
}

function lendable(level: Field<Shares>): void {
  const percent = level.at('lendablePercent');
  if ((percent.value ?? 0) < 0 || (percent.value ?? 0) > 100) percent.invalid('must be between 0 and 100, inclusive');
}

function limited(level: Field<LimitedPriorityLevelConfiguration>): void {
  shares(level);
  response(level.at('limitResponse'));
  lendable(level);
  const borrowing = level.at('borrowingLimitPercent');
  if ((borrowing.value ?? 0) < 0) borrowing.invalid('if specified, must be a non-negative integer');
}

function response(field: Field<LimitResponse>): void {
  const [type, queuing] = [field.at('type'), field.at('queuing')];
  if (!responses.includes(type.value ?? '')) type.notSupported(responses);
  else if (type.value === 'Reject') {
    if (queuing.isSet) queuing.forbidden('must be nil if limited.limitResponse.type is not Limited');
  } else if (queuing.isSet) queues(queuing);
  else queuing.required('must not be empty if limited.limitResponse.type is Limited');
}

function queues(queuing: Field<QueuingConfiguration>): void {
  const positive = (field: Field<number>): boolean =>
    field.passes(() => {
      if ((field.value ?? 0) <= 0) field.invalid('must be positive', field.value ?? 0);
    });
  positive(queuing.at('queueLengthLimit'));
  const [count, hand] = [queuing.at('queues'), queuing.at('handSize')];
  const [deck, size] = [count.value ?? 0, hand.value ?? 0];
  if (positive(count) && deck > maxQueues) count.invalid(`must not be greater than ${maxQueues}`);
  if (!positive(hand)) return;
  if (size > deck) hand.invalid(`should not be greater than queues (${deck})`);
  else if (Math.ceil(Math.log2(deck) * size) > maxBits)
    hand.invalid(
      `required entropy bits of deckSize ${deck} and handSize ${size} should not be greater than ${maxBits}`,
    );
}

function spec(field: Field<PriorityLevelConfigurationSpec>, name: string): void {
  const type = field.at('type');
  if ((name === 'exempt') !== (type.value === 'Exempt'))
    type.invalid("must be 'Exempt' if and only if `name` is 'exempt'", type.value ?? '');
  const [exempt, limits] = [field.at('exempt'), field.at('limited')];
  if (!types.includes(type.value ?? '')) type.notSupported(types);
  else if (type.value === 'Exempt') {
    if (limits.isSet) limits.forbidden('must be nil if the type is not Limited');
    shares(exempt);
    lendable(exempt);
  } else {
    if (exempt.isSet) exempt.forbidden('must be nil if the type is Limited');
    if (limits.isSet) limited(limits);
    else limits.required('must not be empty when type is Limited');
  }
}

function fixed(field: Field<PriorityLevelConfigurationSpec>, name: string): void {
  const wanted = mandatoryLevels.get(name);
  if (!wanted) return;
  const isExempt = name === 'exempt';
  const have = isExempt ? { ...field.value, exempt: wanted.exempt } : field.value;
  if (sameValue(have, wanted, field.type)) return;
  const but = isExempt ? " except the 'spec.exempt' field" : '';
  field.invalid(
    `spec of '${name}'${but} must equal the fixed value`,
    shownInternal('PriorityLevelConfigurationSpec', field.value),
  );
}

const preserveZero = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';

export const priorityLevelStatusRules: readonly Validate[] = [
  validate<PriorityLevelConfiguration>(level => flowConditions(level.at('status'))),
];

export const priorityLevelRules: readonly Validate[] = [
  validate<PriorityLevelConfiguration>(level => {
    const name = level.value?.metadata.name ?? '';
    const annotations = annotationsOf(level);
    if (annotations.entry(preserveZero).isSet) annotations.forbidden(`annotation '${preserveZero}' is forbidden`);
    spec(level.at('spec'), name);
    fixed(level.at('spec'), name);
  }),
  ...priorityLevelStatusRules,
];
