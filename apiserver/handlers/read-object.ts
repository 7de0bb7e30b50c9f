import { nativeSchemaFor } from '../../openapi/facts/native-schemas.js';
import { apiVersionOf } from '../../apimachinery/meta/gvk.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { atOnce, inTimeSlices } from '../../lib/time-slice.js';
import type { Maybe } from '../../lib/maybe.js';
import type { Floats } from '../../apimachinery/codec/floats.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import type { FieldValidation } from '../../registry/pipeline/interface.js';
import { pauseOf } from '../../registry/pipeline/pause.js';
import type { Request } from '../http/request.js';
import { type ReceivedBody, decodeObject, type ExpectedType, refuseStrict, warnStrict } from './decode.js';
import { isCustom, type Route } from './route.js';

const scale = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
const anything: Schema = {};

// as pkg/registry/core/pod/storage/eviction.go AcceptsGroupVersion
const alternatives: Readonly<Record<string, string>> = { Eviction: 'policy/v1beta1' };

const expectations = new WeakMap<Route, ExpectedType>();

/** Returns the type that the endpoint expects: that of the resource, or of its subresource. */
function expectedOf(route: Route): ExpectedType {
  const known = expectations.get(route);
  if (known) return known;
  const { definition, part, version } = route;
  const subresourceKind = part?.type === 'scale' ? scale : part?.type === 'action' ? part.kind : undefined;
  const expected: ExpectedType = {
    apiVersion: subresourceKind ? apiVersionOf(subresourceKind) : route.apiVersion,
    kind: subresourceKind?.kind ?? definition.kind,
    group: subresourceKind?.group ?? definition.group,
    schema: subresourceKind ? (nativeSchemaFor(subresourceKind) ?? anything) : version.schema,
    custom: !subresourceKind && isCustom(definition),
    ...(subresourceKind &&
      alternatives[subresourceKind.kind] !== undefined && { alternative: alternatives[subresourceKind.kind] }),
  };
  expectations.set(route, expected);
  return expected;
}

/** The object of a body, and which of its whole numbers are written as floats. */
interface ReadObject {
  readonly object: KubeObject;
  readonly floats?: Floats;
}

interface Decoded extends ReadObject {
  /** The faults of strict decoding. */
  readonly faults: readonly string[];
}

/** Returns the object in the body of a POST or PUT after the checks of fieldValidation. A large body is read in time slices. */
export function objectIn(
  request: Request,
  route: Route,
  body: ReceivedBody,
  validation: FieldValidation,
): Maybe<ReadObject> {
  const expected = expectedOf(route);
  const check = (decoded: Decoded): ReadObject => checked(request, expected, validation, decoded);
  const pause = pauseOf({ bodyBytes: body.bytes.length });
  if (!pause) return check(atOnce(decodeObject(body, expected, false)));
  return pause()
    .then(() => inTimeSlices(decodeObject(body, expected, true)))
    .then(check);
}

function checked(
  request: Request,
  expected: ExpectedType,
  validation: FieldValidation,
  { object, faults, floats }: Decoded,
): ReadObject {
  if (faults.length > 0 && validation === 'Strict') throw refuseStrict(object, expected, faults);
  if (faults.length > 0 && validation === 'Warn') warnStrict(request, faults);
  request.audit?.requestObject(object);
  return { object, ...(floats && { floats }) };
}
