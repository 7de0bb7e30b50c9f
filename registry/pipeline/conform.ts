/**
 * The steps between mutating admission and the store: system metadata, the rules of the kind, validation. Drafts are in the version of the
 * rules, and are changed in place.
 */
import { append } from '../../lib/collections/append.js';
import { eachInTurns, TimeSlice } from '../../lib/time-slice.js';
import type { Fault, KubeObject, ObjectMeta } from '../../apimachinery/interface.js';
import { type GroupKind, badRequest, invalid } from '../../apimachinery/errors/status.js';
import { type Maybe, andThen } from '../../lib/maybe.js';
import type { Pause } from '../../apimachinery/patch/patch-steps.js';
import type {
  LongValidate,
  MetadataCheck,
  Prepare,
  ResourceDefinition,
  StrategyContext,
  Validate,
} from '../interface.js';
import {
  metadataFaults,
  metadataUpdateFaults,
  pathSegmentFaults,
  plainFinalizerFaults,
  plainFinalizerWarnings,
} from '../strategy/metadata.js';
import type { RequestScope } from './interface.js';

/** Clears the system fields, which clients cannot set on a new object. */
// as apiserver/pkg/registry/rest WipeObjectMetaSystemFields
export function wipeSystemFields(metadata: ObjectMeta): void {
  for (const field of systemFields) remove(metadata, field);
}

type Field = keyof ObjectMeta | 'selfLink';

const systemFields: readonly Field[] = [
  'creationTimestamp',
  'uid',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
];

/** hot: `delete` is slow even if the field does not exist. */
function remove(metadata: ObjectMeta, field: Field): void {
  if (field in metadata) delete (metadata as Record<string, unknown>)[field];
}

/** Sets the namespace of the path. Throws 400 if the object has another namespace. */
// as apiserver/pkg/registry/rest EnsureObjectNamespaceMatchesRequestNamespace
export function settleNamespace(call: RequestScope, metadata: ObjectMeta): void {
  const expected = call.definition.namespaced ? call.namespace : '';
  const { namespace = '' } = metadata;
  if (expected === '') delete metadata.namespace;
  else if (namespace === '') metadata.namespace = expected;
  else if (namespace !== expected)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** Checks that the object has the name of the path. Throws 400. */
// as apiserver/pkg/endpoints/handlers checkName
export function checkName(metadata: ObjectMeta, name: string): void {
  if (!metadata.name)
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (metadata.name !== name)
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
}

/** Runs rules from `first` on. hot: creates a promise only if a rule does. */
function run(
  rules: readonly Prepare[],
  draft: KubeObject,
  old: KubeObject | undefined,
  context: StrategyContext,
  first = 0,
): Maybe<void> {
  for (let i = first; i < rules.length; i++) {
    const running = rules[i]?.(draft, old, context);
    if (running instanceof Promise) return running.then(() => run(rules, draft, old, context, i + 1));
  }
}

interface Rules {
  readonly short: readonly Validate[];
  readonly long: LongValidate | undefined;
}

/** The object to validate. */
interface ValidationInput {
  readonly draft: KubeObject;
  readonly old: KubeObject | undefined;
  readonly context: StrategyContext;
}

/** Appends the faults of the rules to those of the metadata. hot: creates a promise only if a rule does. */
function validate({ short, long }: Rules, faults: Fault[], input: ValidationInput, pause?: Pause): Maybe<Fault[]> {
  const { draft, old, context } = input;
  const found: Fault[] = [];
  const apply = (rule: Rules['short'][number]): void => append(found, rule(draft, old, context));
  const validateLong = (): Maybe<Fault[]> => {
    append(faults, found);
    if (!long) return faults;
    return andThen(long(found, draft, old, context), others => {
      append(faults, others);
      return faults;
    });
  };
  if (pause)
    return pause()
      .then(() => eachInTurns(short, apply, new TimeSlice()))
      .then(validateLong);
  for (const rule of short) apply(rule);
  return validateLong();
}

/** Prepares and validates a new object, whose name, uid and creationTimestamp are set. Throws 422. */
// as apiserver/pkg/registry/rest BeforeCreate
export function conformNew(
  definition: ResourceDefinition,
  draft: KubeObject,
  context: StrategyContext,
  pause?: Pause,
): Maybe<void> {
  const { strategy } = definition;
  const prepared = run(strategy.prepareCreate, draft, undefined, context);
  const validated = (): Maybe<Fault[]> => newFaults(definition, draft, context, pause);
  return andThen(prepared instanceof Promise ? prepared.then(validated) : validated(), faults => {
    if (faults.length > 0) throw invalid(storedKind(definition), draft.metadata.name ?? '', faults);
    return andThen(pause?.(), () => {
      warn(definition, draft, undefined, context);
      return run(strategy.canonicalize, draft, undefined, context);
    });
  });
}

function newFaults(
  { strategy, namespaced }: ResourceDefinition,
  draft: KubeObject,
  context: StrategyContext,
  pause: Pause | undefined,
): Maybe<Fault[]> {
  const rules = { short: strategy.validateCreate, long: strategy.validateLong };
  const validated = (faults: Fault[]): Maybe<Fault[]> =>
    validate(rules, faults, { draft, old: undefined, context }, pause);
  if (strategy.metadataLast)
    return andThen(validated([]), faults =>
      faults.length > 0 ? faults : metadataFaults(draft.metadata, { namespaced, nameFaults: pathSegmentFaults }),
    );
  const faults = metadataFaults(draft.metadata, { namespaced, nameFaults: strategy.nameFaults });
  if ((strategy.plainFinalizers ?? 'refuse') === 'refuse')
    append(faults, plainFinalizerFaults(draft.metadata.finalizers));
  return validated(faults);
}

/** Returns the stored kind, whose rules validate the object. */
function storedKind({ group, storageGroup, kind }: ResourceDefinition): GroupKind {
  return { group: storageGroup ?? group, kind };
}

/** The rules of an endpoint: the resource itself, or a subresource. */
export interface UpdateRules {
  readonly prepareUpdate: readonly Prepare[];
  readonly validateUpdate: readonly Validate[];
  readonly validateLong?: LongValidate | undefined;
  readonly metadataRepeats?: readonly MetadataCheck[] | undefined;
}

/** A changed object to prepare and validate. */
interface ChangeInput extends ValidationInput {
  readonly old: KubeObject;
}

const defaultRepeats: readonly MetadataCheck[] = ['change'];

/** Prepares and validates a changed object, whose resourceVersion is that of `old`. Throws 422. */
// as apiserver/pkg/registry/rest BeforeUpdate
export function conformChange(
  definition: ResourceDefinition,
  rules: UpdateRules,
  change: ChangeInput,
  pause?: Pause,
): Maybe<void> {
  const { draft, old, context } = change;
  restore(draft.metadata, old.metadata, ['generation']);
  return andThen(run(rules.prepareUpdate, draft, old, context), () => settleChange(definition, rules, change, pause));
}

/** Restores the system metadata of a prepared object, and validates it. */
function settleChange(
  definition: ResourceDefinition,
  rules: UpdateRules,
  change: ChangeInput,
  pause: Pause | undefined,
): Maybe<void> {
  const { draft, old, context } = change;
  draft.metadata.uid ||= old.metadata.uid ?? '';
  if (old.metadata.creationTimestamp !== undefined) draft.metadata.creationTimestamp = old.metadata.creationTimestamp;
  if (old.metadata.deletionTimestamp !== undefined) draft.metadata.deletionTimestamp = old.metadata.deletionTimestamp;
  const grace = draft.metadata.deletionGracePeriodSeconds ?? old.metadata.deletionGracePeriodSeconds;
  if (grace === undefined) remove(draft.metadata, 'deletionGracePeriodSeconds');
  else draft.metadata.deletionGracePeriodSeconds = grace;
  // selfLink is never stored. as apiserver/pkg/storage APIObjectVersioner.PrepareObjectForStorage
  remove(draft.metadata, 'selfLink');
  return andThen(changeFaults(definition, rules, change, pause), faults => {
    if (faults.length > 0) throw invalid(storedKind(definition), draft.metadata.name ?? '', faults);
    return andThen(pause?.(), () => {
      if (context.subresource === '') warn(definition, draft, old, context);
      return run(definition.strategy.canonicalize, draft, old, context);
    });
  });
}

function changeFaults(
  { strategy, namespaced }: ResourceDefinition,
  rules: UpdateRules,
  input: ChangeInput,
  pause: Pause | undefined,
): Maybe<Fault[]> {
  const { draft, old } = input;
  const change = metadataUpdateFaults(draft.metadata, old.metadata);
  const whole = metadataFaults(draft.metadata, { namespaced, nameFaults: pathSegmentFaults });
  const faults: Fault[] = [];
  append(faults, whole);
  append(faults, change);
  const { plainFinalizers = 'refuse' } = strategy;
  for (const check of rules.metadataRepeats ?? defaultRepeats) {
    append(faults, check === 'change' ? change : whole);
    if (plainFinalizers === 'refuse') append(faults, plainFinalizerFaults(draft.metadata.finalizers));
  }
  return validate({ short: rules.validateUpdate, long: rules.validateLong }, faults, input, pause);
}

function restore(metadata: ObjectMeta, old: ObjectMeta, fields: readonly (keyof ObjectMeta)[]): void {
  const target = metadata as Record<string, unknown>;
  for (const field of fields) {
    if (old[field] === undefined) remove(metadata, field);
    else target[field] = old[field];
  }
}

function warn(
  definition: ResourceDefinition,
  draft: KubeObject,
  old: KubeObject | undefined,
  context: StrategyContext,
): void {
  const { warnings, plainFinalizers } = definition.strategy;
  for (const rule of warnings) for (const text of rule(draft, old)) context.warn(text);
  if (plainFinalizers === 'warn') for (const text of plainFinalizerWarnings(draft, old)) context.warn(text);
}
