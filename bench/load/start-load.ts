import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { plainNode } from '../../tools/plain-node.js';
import type { Done, FromLoad, Order } from './task.js';

export interface Load {
  /** Runs an order, one at a time. `begin` is called when the measurement starts. Rejects with the error. */
  run(order: Order, begin: () => void): Promise<Done>;
  close(): Promise<void>;
}

const program = fileURLToPath(new URL('./main.js', import.meta.url));

/** Starts the load process. */
export function startLoad(): Load {
  const [execPath, ...execArgv] = plainNode;
  const child = fork(program, { execPath, execArgv, serialization: 'advanced' });
  const ended = once(child, 'exit');
  return {
    run: (order, begin) =>
      new Promise((resolve, reject) => {
        const stop = (): void => {
          child.off('message', hear);
          child.off('exit', gone);
        };
        const gone = (): void => {
          stop();
          reject(new Error('the load process ended'));
        };
        const hear = (message: FromLoad): void => {
          if (message.type === 'begin') return begin();
          stop();
          if (message.type === 'done') resolve(message.done);
          else reject(new Error(message.why));
        };
        child.on('message', hear);
        child.on('exit', gone);
        child.send(order);
      }),
    async close() {
      child.disconnect();
      await ended;
    },
  };
}
