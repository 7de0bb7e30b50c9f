/** The load process: runs tasks from its parent process one after the other. */
import process from 'node:process';
import { runRequests } from './requests.js';
import type { FromLoad, Order } from './task.js';
import { runWatch } from './watches.js';

const say = (message: FromLoad): void => void process.send?.(message);
const begin = (): void => say({ type: 'begin' });

async function obey({ endpoint, task }: Order): Promise<void> {
  try {
    const done = await (task.type === 'requests'
      ? runRequests(endpoint, task, begin)
      : runWatch(endpoint, task, begin));
    say({ type: 'done', done });
  } catch (error) {
    say({ type: 'failed', why: String((error as Error).message) });
  }
}

process.on('message', (order: Order) => void obey(order));
process.on('disconnect', () => process.exit());
