import fs from 'node:fs';
import path from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import type { Tasks } from './interface.js';
import { ownedBuffer, type ReadyMessage, type ResultMessage, type TaskMessage } from './messages.js';

function resultOf(tasks: Tasks, { task, input }: TaskMessage): ResultMessage {
  try {
    const run = Object.hasOwn(tasks, task) ? tasks[task] : undefined;
    if (!run) throw new Error(`there is no task ${task}`);
    return { output: run(input) };
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { failure: { message, ...(stack !== undefined && { stack }) } };
  }
}

/**
 * Returns the file with the times of this thread, under a name that other threads can open; undefined if the system does not keep them.
 * `self`: the link to the thread's directory in /proc.
 */
export function timesFile(self = '/proc/thread-self'): string | undefined {
  try {
    const file = path.resolve(path.dirname(self), fs.readlinkSync(self), 'schedstat');
    // Linux writes zeros if it was built or started without these statistics: a thread that executes this has run for some time.
    return Number.parseInt(fs.readFileSync(file, 'latin1'), 10) > 0 ? file : undefined;
  } catch {
    return undefined; // Not Linux, or without these numbers.
  }
}

/** Runs tasks for a `ThreadPool`. Call it at the start of a thread, with its parent's port. */
export function serveTasks(port: MessagePort | null, tasks: Tasks): void {
  if (!port) throw new Error('tasks run in a thread of their own');
  port.on('message', (message: TaskMessage) => {
    const result = resultOf(tasks, message);
    port.postMessage(result, 'output' in result ? ownedBuffer(result.output) : []);
  });
  const times = timesFile();
  const ready: ReadyMessage = { isReady: true, ...(times !== undefined && { times }) };
  port.postMessage(ready);
}
