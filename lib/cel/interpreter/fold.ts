/** Runs comprehensions, with pauses between items if the evaluation allows them. */
import { type ExecutionFrame, type Run, valueOrError } from './frame.js';
import { type Items, iterate } from './iterate.js';
import { Paused, type Progress } from './progress.js';
import type { CelError, Value } from '../values.js';

/** A comprehension: its parts as functions, and the slots of its variables. */
interface Fold {
  readonly range: Run;
  readonly init: Run;
  readonly condition: Run;
  readonly step: Run;
  readonly result: Run;
  readonly accu: number;
  readonly first: number;
  readonly second: number | undefined;
}

/** Steps counted for one item. */
const itemSteps = 4;

/** Processes one item. Returns false if the comprehension ends with it. hot: every item of a comprehension. */
function step(fold: Fold, frame: ExecutionFrame, items: Items, i: number): boolean {
  const { locals } = frame;
  frame.take(itemSteps);
  locals[fold.first] = items.first(i);
  if (fold.second !== undefined) locals[fold.second] = items.second(i);
  if (fold.condition(frame) === false) return false;
  locals[fold.accu] = valueOrError(frame, fold.step);
  return true;
}

/** Processes the items from `from` on. `beforeItem` is called before each item except the first. */
function runItems(
  fold: Fold,
  frame: ExecutionFrame,
  items: Items,
  from: number,
  beforeItem?: (i: number) => void,
): Value {
  frame.depth++;
  try {
    for (let i = from; i < items.size; i++) {
      if (beforeItem && i > from) beforeItem(i);
      if (!step(fold, frame, items, i)) break;
    }
  } finally {
    frame.depth--;
  }
  return fold.result(frame);
}

/** Runs an outermost comprehension of an evaluation that can pause. */
function resumable(fold: Fold, frame: ExecutionFrame, progress: Progress): Value {
  const { locals } = frame;
  const index = progress.enter();
  const reached = progress.at(index);
  if (reached?.type === 'done') {
    frame.restore(reached.cost, reached.steps);
    return reached.result;
  }
  const items = iterate(fold.range(frame), fold.second !== undefined, frame);
  if (reached) frame.restore(reached.cost, reached.steps);
  locals[fold.accu] = reached ? reached.gathered : fold.init(frame);
  const result = runItems(fold, frame, items, reached?.next ?? 0, next => {
    if (!frame.isPauseDue) return;
    const { cost, steps } = frame;
    progress.set(index, { type: 'within', next, gathered: locals[fold.accu] as Value | CelError, cost, steps });
    throw new Paused();
  });
  progress.set(index, { type: 'done', result, cost: frame.cost, steps: frame.steps });
  return result;
}

/** Returns a comprehension as a function. */
export function folding(fold: Fold): Run {
  return frame => {
    if (frame.progress && frame.depth === 0) return resumable(fold, frame, frame.progress);
    const items = iterate(fold.range(frame), fold.second !== undefined, frame);
    frame.locals[fold.accu] = fold.init(frame);
    return runItems(fold, frame, items, 0);
  };
}
