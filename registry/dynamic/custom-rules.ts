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
import { validateSteps } from '../../openapi/schema/validate.js';
import { preparePlans } from '../../openapi/schema/validation-plan.js';
import type { LongValidate, StrategyContext } from '../interface.js';
import { embeddedMetadataFaults } from '../strategy/object-meta.js';
import { type Spec, type Version, schemaOf } from './crd.js';
import { scaleSpecFaults, scaleStatusFaults } from './custom-scale.js';

/** The version by whose schema and scale an object is judged, by the name of the version that the client speaks. */
export type Judging = (version: string) => Version;

/** Judges an object, in steps: no rule of a kind takes long by itself, all together do for a large object or schema. */
type Judge = (object: KubeObject, old: KubeObject | undefined, context: StrategyContext) => InSteps<Fault[]>;

// as apiextensions-apiserver/pkg/registry/customresource customResourceStrategy Validate, ValidateUpdate
function schemaRule(spec: Spec, judging: Judging): Judge {
  return function* (object, old, context) {
    const version = judging(context.version);
    const { scale } = version.subresources ?? {};
    const floats = floatsOf(version, context);
    const ofScale = [...scaleSpecFaults(object, scale, floats), ...scaleStatusFaults(object, scale, floats)];
    if (object.kind !== spec.names.kind) return [invalidValue('kind', object.kind, `must be ${spec.names.kind}`)];
    const schema = schemaOf(version);
    if (!schema) return ofScale;
    yield* preparePlans(schema);
    const seen = withFloats(object, floats, schema);
    const correlation = old && correlate(seen, old, schema);
    yield undefined;
    const faults = yield* validateSteps(object, schema, correlation && { old: correlation });
    yield undefined;
    append(faults, ofScale);
    append(faults, embeddedFaults(object, schema, embeddedMetadataFaults));
    yield undefined;
    append(faults, yield* newListFaults(seen, old, schema));
    return faults;
  };
}

/** Of `/status`: the rest of the object is not judged again. */
// as apiextensions-apiserver/pkg/registry/customresource statusStrategy ValidateUpdate
function statusRule(judging: Judging): Judge {
  return function* (object, old, context) {
    const version = judging(context.version);
    const { scale } = version.subresources ?? {};
    const floats = statusFloatsOf(version, context);
    const ofScale = scaleStatusFaults(object, scale, floats);
    const schema = schemaOf(version);
    if (!schema) return ofScale;
    yield* preparePlans(schema);
    const seen = withFloats(object, floats, schema);
    const correlation = old && correlate(seen, old, schema);
    yield undefined;
    const faults = yield* statusFaults(object, schema, correlation);
    yield undefined;
    append(faults, ofScale);
    append(faults, yield* newListFaults(seen, old, schema));
    return faults;
  };
}

export const hasStatus = ({ subresources }: Version): boolean => Boolean(subresources?.status);

/** Those of a request to the object itself; its status may have an endpoint of its own. */
export const floatsOf = (version: Version, { floats = [] }: StrategyContext): Floats =>
  hasStatus(version) ? floats.filter(([field]) => field !== 'status') : floats;

/** The rules in CEL. `floatsIn`: where whole numbers of the object were written as floats. */
function expressionRule(
  judging: Judging,
  floatsIn: (version: Version, context: StrategyContext) => Floats,
): LongValidate {
  return (found, object, old, context) => {
    const version = judging(context.version);
    const schema = schemaOf(version);
    if (!schema) return [];
    const seen = withFloats(object, floatsIn(version, context), schema);
    const { warn } = context;
    const options = { root: true, ...(old && { old, correlation: correlate(seen, old, schema) }), warn };
    return furtherRuleFaults(found, seen, schema, options);
  };
}

/** All else is as it was stored. */
const statusFloatsOf = (_version: Version, { floats = [] }: StrategyContext): Floats =>
  floats.filter(([field]) => field === 'status');

/** The faults of a judge, and those of the rules in CEL behind them. */
function judgedBy(judge: Judge, expressions: LongValidate): LongValidate {
  return (found, object, old, context) =>
    andThen(inTimeSlices(judge(object, old, context)), faults =>
      andThen(expressions([...found, ...faults], object, old, context), more => [...faults, ...more]),
    );
}

/** For `validateLong`; rules are not asked about objects of another kind. */
export function objectRules(spec: Spec, judging: Judging): LongValidate {
  const rule = expressionRule(judging, floatsOf);
  return judgedBy(schemaRule(spec, judging), (found, object, old, context) =>
    object.kind === spec.names.kind ? rule(found, object, old, context) : [],
  );
}

/** For `validateLong` of `/status`. */
export const statusRules = (judging: Judging): LongValidate =>
  judgedBy(statusRule(judging), expressionRule(judging, statusFloatsOf));

function* statusFaults(object: KubeObject, schema: Schema, correlation: Correlation | undefined): InSteps<Fault[]> {
  const status = schema.properties?.['status'];
  if (object['status'] === undefined || !status) return [];
  const old = correlation?.key('status');
  return yield* validateSteps(object['status'], status, { path: 'status', ...(old && { old }) });
}

/** What stood twice before may stay. */
function* newListFaults(object: KubeObject, old: KubeObject | undefined, schema: Schema): InSteps<Fault[]> {
  const faults = listTypeFaults(object, schema);
  if (faults.length === 0 || !old) return faults;
  yield undefined;
  return listTypeFaults(old, schema).length > 0 ? [] : faults;
}
