/** Validation of custom resources: their schema, the objects embedded in them, sets and list maps, and their rules in CEL. */
import { inTimeSlices, type InSteps } from '../../lib/time-slice.js';
import type { Fault, KubeObject } from '../../apimachinery/interface.js';
import { append } from '../../lib/collections/append.js';
import { invalidValue } from '../../apimachinery/errors/faults.js';
import { andThen } from '../../lib/maybe.js';
import { furtherRuleFaults } from '../../openapi/schema/expressions/cel-validate.js';
import { type Correlation, correlate } from '../../apimachinery/codec/correlation.js';
import { embeddedFaults } from '../../openapi/schema/embedded.js';
import { type Floats, withFloats } from '../../apimachinery/codec/floats.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { listTypeFaults } from '../../openapi/schema/list-types.js';
import { validateSteps } from '../../openapi/schema/validation/validate.js';
import { preparePlans } from '../../openapi/schema/validation/validation-plan.js';
import type { LongValidate, StrategyContext } from '../interface.js';
import { embeddedMetadataFaults } from '../strategy/object-meta.js';
import { type Spec, type Version, schemaOf } from './crd.js';
import { scaleSpecFaults, scaleStatusFaults } from './custom-scale.js';

/** Returns the version whose schema and scale validate an object, by the name of the requested version. */
export type VersionLookup = (version: string) => Version;

/** Validates an object in steps: no single rule takes long, but all of them together do for a large object or schema. */
type Validator = (object: KubeObject, old: KubeObject | undefined, context: StrategyContext) => InSteps<Fault[]>;

// as apiextensions-apiserver/pkg/registry/customresource customResourceStrategy Validate, ValidateUpdate
function schemaRule(spec: Spec, versionFor: VersionLookup): Validator {
  return function* (object, old, context) {
    const version = versionFor(context.version);
    const { scale } = version.subresources ?? {};
    const floats = floatsOf(version, context);
    const scaleFaults = [...scaleSpecFaults(object, scale, floats), ...scaleStatusFaults(object, scale, floats)];
    if (object.kind !== spec.names.kind) return [invalidValue('kind', object.kind, `must be ${spec.names.kind}`)];
    const schema = schemaOf(version);
    if (!schema) return scaleFaults;
    yield* preparePlans(schema);
    const seen = withFloats(object, floats, schema);
    const correlation = old && correlate(seen, old, schema);
    yield undefined;
    const faults = yield* validateSteps(object, schema, correlation && { old: correlation });
    yield undefined;
    append(faults, scaleFaults);
    append(faults, embeddedFaults(object, schema, embeddedMetadataFaults));
    yield undefined;
    append(faults, yield* newListFaults(seen, old, schema));
    return faults;
  };
}

/** Returns the validation of `/status`, which does not validate the rest of the object. */
// as apiextensions-apiserver/pkg/registry/customresource statusStrategy ValidateUpdate
function statusRule(versionFor: VersionLookup): Validator {
  return function* (object, old, context) {
    const version = versionFor(context.version);
    const { scale } = version.subresources ?? {};
    const floats = statusFloatsOf(version, context);
    const scaleFaults = scaleStatusFaults(object, scale, floats);
    const schema = schemaOf(version);
    if (!schema) return scaleFaults;
    yield* preparePlans(schema);
    const seen = withFloats(object, floats, schema);
    const correlation = old && correlate(seen, old, schema);
    yield undefined;
    const faults = yield* statusFaults(object, schema, correlation);
    yield undefined;
    append(faults, scaleFaults);
    append(faults, yield* newListFaults(seen, old, schema));
    return faults;
  };
}

/** Reports whether writes to the object keep its status, and writes to its status keep everything else. */
export const hasStatus = ({ subresources }: Version): boolean => Boolean(subresources?.status);

/** Returns the floats of a request to the object itself, without those of the status if that is a subresource. */
export const floatsOf = (version: Version, { floats = [] }: StrategyContext): Floats =>
  hasStatus(version) ? floats.filter(([field]) => field !== 'status') : floats;

/** Returns the validation by rules in CEL. `floatsIn` returns the paths of integral floats in the object. */
function expressionRule(
  versionFor: VersionLookup,
  floatsIn: (version: Version, context: StrategyContext) => Floats,
): LongValidate {
  return (found, object, old, context) => {
    const version = versionFor(context.version);
    const schema = schemaOf(version);
    if (!schema) return [];
    const seen = withFloats(object, floatsIn(version, context), schema);
    const { warn } = context;
    const options = { root: true, ...(old && { old, correlation: correlate(seen, old, schema) }), warn };
    return furtherRuleFaults(found, seen, schema, options);
  };
}

/** Returns the floats of a request to `/status`, which does not change other fields. */
const statusFloatsOf = (_version: Version, { floats = [] }: StrategyContext): Floats =>
  floats.filter(([field]) => field === 'status');

/** Returns a validation that appends the faults of rules in CEL to those of a validator. */
function withExpressions(validator: Validator, expressions: LongValidate): LongValidate {
  return (found, object, old, context) =>
    andThen(inTimeSlices(validator(object, old, context)), faults =>
      andThen(expressions([...found, ...faults], object, old, context), more => [...faults, ...more]),
    );
}

/** Returns the validation of objects, for `validateLong`. Rules in CEL do not run for objects of another kind. */
export function objectRules(spec: Spec, versionFor: VersionLookup): LongValidate {
  const rule = expressionRule(versionFor, floatsOf);
  return withExpressions(schemaRule(spec, versionFor), (found, object, old, context) =>
    object.kind === spec.names.kind ? rule(found, object, old, context) : [],
  );
}

/** Returns the validation of `/status`, for `validateLong`. */
export const statusRules = (versionFor: VersionLookup): LongValidate =>
  withExpressions(statusRule(versionFor), expressionRule(versionFor, statusFloatsOf));

function* statusFaults(object: KubeObject, schema: Schema, correlation: Correlation | undefined): InSteps<Fault[]> {
  const status = schema.properties?.['status'];
  if (object['status'] === undefined || !status) return [];
  const old = correlation?.key('status');
  return yield* validateSteps(object['status'], status, { path: 'status', ...(old && { old }) });
}

/** Returns the faults of sets and list maps; none if the old object had such faults, too. */
function* newListFaults(object: KubeObject, old: KubeObject | undefined, schema: Schema): InSteps<Fault[]> {
  const faults = listTypeFaults(object, schema);
  if (faults.length === 0 || !old) return faults;
  yield undefined;
  return listTypeFaults(old, schema).length > 0 ? [] : faults;
}
