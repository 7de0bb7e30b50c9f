/**
 * Rules for metadata.generation. The pipeline restores the stored generation before `prepareUpdate`, so a kind without one of these
 * rules keeps its first generation, and a rule adds at most one.
 */
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Prepare, StrategyContext } from '../interface.js';
import { deepEqual, semanticEqual } from '../../lib/json/equality.js';
import { sameField, typeAt, typeOfObject } from './same-value.js';

export type Changed = (draft: KubeObject, old: KubeObject, context: StrategyContext) => boolean;

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

/** Like `changedExcept` for plain JSON, where an empty object and null differ from an absent field. */
// as apiextensions-apiserver/pkg/registry/customresource customResourceStrategy PrepareForUpdate
export function jsonChangedExcept(...fields: readonly string[]): Changed {
  const skipped = new Set([...type, ...fields]);
  return (draft, old) => {
    for (const field in draft) if (!skipped.has(field) && !deepEqual(draft[field], old[field])) return true;
    for (const field in old) if (!skipped.has(field) && !Object.hasOwn(draft, field)) return true;
    return false;
  };
}

/** Returns a test of whether any of the tests reports a change. */
export function anyOf(...all: readonly Changed[]): Changed {
  return (draft, old, context) => all.some(changed => changed(draft, old, context));
}

/** Increments the generation if the spec has changed. */
export const bumpGeneration: Prepare = bumpGenerationWhen(specChanged);
