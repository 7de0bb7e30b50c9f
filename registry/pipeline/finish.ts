/** The steps that all writes of an object share: mutating admission before, rules and validating admission after it. */
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Maybe } from '../../lib/maybe.js';
import type { WriteParameters, RequestScope } from './interface.js';
import { dedupOwners, ownersAfterAdmissionWarning } from '../strategy/owners.js';
import { conformNew, settleNamespace } from './conform.js';
import { type PipelineDeps, type WriteTarget, admissionRequest, strategyContext } from './context.js';
import { formatTime } from '../../lib/go/time.js';
import { pauseOf } from './pause.js';
import type { Reservation } from './reservation.js';
import { uuid } from '../../lib/random.js';
import type { AdmissionRequest } from '../admission-plugin.js';

/** Runs mutating admission, which changes the draft in place. Returns the parameters with the floats of the changed draft. */
export function mutate(
  deps: PipelineDeps,
  call: RequestScope,
  target: WriteTarget,
  write: WriteParameters,
): Maybe<WriteParameters> {
  if (!deps.admission.mutate) return write;
  const request = admissionRequest(call, write, operationOf(target), target);
  const waiting = deps.admission.mutate(request);
  return waiting ? waiting.then(() => mutated(call, request, write)) : mutated(call, request, write);
}

function mutated(call: RequestScope, { object, floats }: AdmissionRequest, write: WriteParameters): WriteParameters {
  const duplicates = object ? dedupOwners(object) : '';
  if (duplicates !== '') call.warn(ownersAfterAdmissionWarning(duplicates));
  return floats ? { ...write, floats } : write;
}

function operationOf({ object, old }: WriteTarget): AdmissionRequest['operation'] {
  if (!object) return 'DELETE';
  return old ? 'UPDATE' : 'CREATE';
}

/** Runs admission for a CONNECT request. `options` is the decoded options object, which admission may change in place. */
// as apiserver/pkg/endpoints/handlers ConnectResource
export async function admitConnect(
  { admission }: PipelineDeps,
  call: RequestScope,
  name: string,
  options: KubeObject,
): Promise<void> {
  const write = { dryRun: false, options: {} };
  const target = { name, object: options, old: undefined };
  await admission.mutate?.(admissionRequest(call, write, 'CONNECT', target));
  await admission.validate?.(admissionRequest(call, write, 'CONNECT', target));
}

/** Runs validating admission on the final object. */
export function admit(
  deps: PipelineDeps,
  call: RequestScope,
  target: WriteTarget,
  write: WriteParameters,
): Maybe<void> {
  if (!deps.admission.validate) return undefined;
  return deps.admission.validate(admissionRequest(call, write, operationOf(target), target));
}

/** A new object, with defaults, in the version of the rules. */
export interface Creation extends WriteTarget {
  readonly object: KubeObject;
  readonly old: undefined;
}

/** Steps of some creations. */
interface OptionalSteps {
  /** Begins before the rules. */
  readonly reservation?: Reservation | undefined;
  /** Runs between the rules and admission. */
  readonly authorize?: () => Promise<void>;
}

const noSteps: OptionalSteps = {};

/** Runs the last steps of a new object: system metadata, the rules of the kind, validating admission. */
export function finishNew(
  deps: PipelineDeps,
  call: RequestScope,
  creation: Creation,
  write: WriteParameters,
  { reservation, authorize }: OptionalSteps = noSteps,
): Maybe<void> {
  const { object: draft } = creation;
  draft.metadata.creationTimestamp = formatTime(deps.now());
  draft.metadata.uid = uuid(deps.random);
  const conform = (): Maybe<void> => {
    // Admission may have changed the namespace.
    settleNamespace(call, draft.metadata);
    const conforming = conformNew(call.definition, draft, strategyContext(deps, call, 'create', write), pauseOf(call));
    const admitted = (): Maybe<void> => admit(deps, call, creation, write);
    const authorized = (): Maybe<void> => (authorize ? authorize().then(admitted) : admitted());
    return conforming ? conforming.then(authorized) : authorized();
  };
  return reservation ? reservation.begin(draft, undefined).then(conform) : conform();
}
