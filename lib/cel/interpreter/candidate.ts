/** Selects the overload of a function by the values of a call. as cel-go interpreter/dispatcher.go */
import type { CallCost } from '../cost-model.js';
import type { ExecutionFrame } from './frame.js';
import type { Overload } from '../function.js';
import { isOf, typeOfValue } from '../measure.js';
import { type Type, typeName } from '../types.js';
import { CelError, type Value } from '../values.js';

/** An overload that is ready to be called. */
interface Candidate {
  readonly params: readonly Type[];
  readonly call: (frame: ExecutionFrame, values: readonly Value[]) => Value;
  readonly cost: CallCost | undefined;
}

function callCounted(counted: NonNullable<Overload['counted']>, count: number): Candidate['call'] {
  if (count === 1) return (frame, values) => counted(frame, values[0] as Value);
  if (count === 2) return (frame, values) => counted(frame, values[0] as Value, values[1] as Value);
  return (frame, values) => counted(frame, ...values);
}

/** Prepares an overload. `plain`: it costs 1, as operators with several overloads do. */
export function candidateOf({ params, call, counted, cost }: Overload, plain: boolean): Candidate {
  const common = { params, cost: plain ? undefined : cost };
  if (counted) return { ...common, call: callCounted(counted, params.length) };
  if (!call) return { ...common, call: missing };
  if (params.length === 1) return { ...common, call: (_frame, values) => call(values[0] as Value) };
  if (params.length === 2) return { ...common, call: (_frame, values) => call(values[0] as Value, values[1] as Value) };
  return { ...common, call: (_frame, values) => call(...values) };
}

/** Returns the first candidate whose parameters accept the values. hot: every call of a function. */
export function firstMatch(among: readonly Candidate[], values: readonly Value[]): Candidate | undefined {
  for (const ready of among) {
    const { params } = ready;
    let i = 0;
    while (i < params.length && isOf(values[i] as Value, params[i] as Type)) i++;
    if (i === params.length) return ready;
  }
  return undefined;
}

/** Returns cel-go's error for a call without an overload for its values. */
export function noOverload(name: string, values: readonly Value[], among: readonly Overload[]): CelError {
  const types = values.map(value => typeName(typeOfValue(value)));
  return new CelError(
    among.length === 0 ? `no such overload: ${name}` : `no such overload: ${name}(${types.join(', ')})`,
  );
}

const missing = (): never => {
  throw new CelError('no such overload');
};
