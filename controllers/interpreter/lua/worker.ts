/** The thread of a `ScriptRunner`, which starts it. */
import { parentPort } from 'node:worker_threads';
import { serveTasks } from '../../../lib/offload/serve-tasks.js';
import { luaTasks } from './task.js';

serveTasks(parentPort, luaTasks());
