/** Attribute paths: values selected through fields and items. as cel-go interpreter/attributes.go */
import { type ExecutionFrame, type Run, visit } from './frame.js';
import { findMember, qualify } from '../qualify.js';
import { Optional, type Value, none } from '../values.js';

/** A selection of a field or item. */
export interface PathStep {
  readonly key: Run;
  readonly optional: boolean;
}

/** An attribute path. Each step costs 1, and so does the path. */
export interface AttributePath {
  readonly start: Run;
  readonly steps: readonly PathStep[];
  /** 0 when the start itself counts the cost. */
  readonly cost: number;
}

/** Evaluates a path. After an optional part the result is optional, and an absent value costs nothing. */
export function evaluatePath(frame: ExecutionFrame, path: AttributePath): Value {
  let value = path.start(frame);
  let optional = false;
  if (path.steps.length === 0) return value;
  if (value instanceof Optional) {
    optional = true;
    if (value.value === undefined) return value;
    ({ value } = value);
  }
  for (const step of path.steps) {
    const key = step.key(frame);
    visit(frame, key);
    optional ||= step.optional;
    if (optional) {
      const found = findMember(value, key);
      if (found === undefined) return none;
      frame.spend(1);
      value = found;
    } else {
      frame.spend(1);
      value = qualify(value, key);
    }
  }
  return optional ? new Optional(value) : value;
}
