/**
 * Rules for metadata.generation. The pipeline restores the stored generation before `prepareUpdate`, so a kind without one of these
 * rules keeps its first generation, and a rule adds at most one.
 */
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Prepare, StrategyContext } from '../interface.js';
import { semanticEqual } from '../../lib/json/equality.js';
import { deepEqualSteps } from '../../lib/json/equality-steps.js';
import { andThen } from '../../lib/maybe.js';
import { type InSteps, atOnce, inTimeSlices } from '../../lib/time-slice.js';
import { sameField, typeAt, typeOfObject } from './same-value.js';

type ChangedInSteps = (draft: KubeObject, old: KubeObject, context: StrategyContext) => InSteps<boolean>;
type Changed = (draft: KubeObject, old: KubeObject, context: StrategyContext) => boolean;

/** Starts the generation at 1, for `prepareCreate`. */
export const startGeneration: Prepare = draft => {
  draft.metadata.generation = 1;
};

/** Returns a rule for `prepareUpdate` that increments the generation if `changed` returns true. */
export function bumpGenerationWhen(changed: Changed): Prepare {
  return (draft, old, context) => {
    if (old && changed(draft, old, context)) draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
  };
}

/** As `bumpGenerationWhen`, for a test that compares all values of an object: it takes time slices if the object may be large. */
export function bumpGenerationAfter(changed: ChangedInSteps): Prepare {
  return (draft, old, context) => {
    if (!old) return undefined;
    const steps = changed(draft, old, context);
    return andThen(context.isLarge ? inTimeSlices(steps) : atOnce(steps), isChanged => {
      if (isChanged) draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
    });
  };
}

/** Reports whether the spec has changed. */
export const specChanged: Changed = (draft, old) =>
  !sameField(draft['spec'], old['spec'], typeAt(typeOfObject(draft), 'spec'));
/** Reports whether the labels have changed. */
export const labelsChanged: Changed = (draft, old) => !semanticEqual(draft.metadata.labels, old.metadata.labels);
/** Reports whether the annotations have changed. */
export const annotationsChanged: Changed = (draft, old) =>
  !semanticEqual(draft.metadata.annotations, old.metadata.annotations);

const type = ['apiVersion', 'kind', 'metadata'];

/** Returns a test of whether anything changed besides metadata and the named top-level fields. */
export function changedExcept(...fields: readonly string[]): Changed {
  const skipped = new Set([...type, ...fields]);
  return (draft, old) => {
    const type = typeOfObject(draft);
    const isSame = (name: string): boolean =>
      skipped.has(name) || sameField(draft[name], old[name], typeAt(type, name));
    for (const name in draft) if (!isSame(name)) return true;
    for (const name in old) if (!Object.hasOwn(draft, name) && !isSame(name)) return true;
    return false;
  };
}

/** Like `changedExcept()` for plain JSON, in steps, where an empty object and null differ from an absent field. */
// as apiextensions-apiserver/pkg/registry/customresource customResourceStrategy PrepareForUpdate
export function* jsonChanged(draft: KubeObject, old: KubeObject): InSteps<boolean> {
  for (const field of Object.keys(draft))
    if (!type.includes(field) && !(yield* deepEqualSteps(draft[field], old[field]))) return true;
  return Object.keys(old).some(field => !type.includes(field) && !Object.hasOwn(draft, field));
}

/** Returns a test of whether any of the tests reports a change. */
export function anyOf(...all: readonly Changed[]): Changed {
  return (draft, old, context) => all.some(changed => changed(draft, old, context));
}

/** Increments the generation if the spec has changed. */
export const bumpGeneration: Prepare = bumpGenerationWhen(specChanged);
