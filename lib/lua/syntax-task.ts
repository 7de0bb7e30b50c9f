import type { Task } from '../offload/interface.js';
import { type LuaBinary, loadLuaBinary } from './engine.js';
import { luaSyntaxError } from './syntax.js';

/** Returns the task `luaSyntaxTaskName` for one thread. */
export function luaSyntaxTask(): Task {
  let binary: LuaBinary | undefined;
  const elapsed = (): number => performance.now();
  return script => Buffer.from(luaSyntaxError((binary ??= loadLuaBinary()), script, elapsed) ?? '');
}
