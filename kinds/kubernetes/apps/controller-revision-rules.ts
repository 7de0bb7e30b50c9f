// as pkg/apis/apps/validation ValidateControllerRevision*
import { VerbatimObject } from '../../../lib/json/verbatim-object.js';
import type { Validate } from '../../../registry/interface.js';
import { immutable } from '../../shared/rules/immutable.js';
import { nonNegative } from '../../shared/rules/numbers.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import type { ControllerRevision } from '../../../api/kubernetes/apps.js';

export const controllerRevisionRules: readonly Validate[] = [
  validate<ControllerRevision>(revision => {
    nonNegative(revision.at('revision'));
    const data = revision.at('data');
    if (!data.isSet) data.required('data is mandatory');
    else if (typeof data.value !== 'object' || Array.isArray(data.value))
      data.required('data must be a valid JSON object');
  }),
];

/** Clients that compare texts distinguish 1.0 and 1. */
const spellingOf = (data: unknown): string | undefined =>
  data instanceof VerbatimObject ? VerbatimObject.textOf(data) : undefined;

export const controllerRevisionChangeRules: readonly Validate[] = [
  validateChange<ControllerRevision>((revision, old) => {
    nonNegative(revision.at('revision'));
    const data = revision.at('data');
    if (spellingOf(data.value) !== spellingOf(old.data)) data.invalid('field is immutable', data.value ?? null);
    else immutable(data, old.data);
  }),
];
