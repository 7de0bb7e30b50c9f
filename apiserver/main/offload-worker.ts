/** The thread of an `Offload`: which tasks there are. Started by `apiserver/main/offload.ts` alone. */
import { parentPort } from 'node:worker_threads';
import { serveTasks } from '../../lib/offload/serve-tasks.js';
import { protobufTasks } from '../../openapi/publish/protobuf-tasks.js';
import type { Tasks } from '../../lib/offload/interface.js';

const tasks: Tasks = { ...protobufTasks };

serveTasks(parentPort, tasks);
