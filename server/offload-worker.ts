/** The thread of an `Offload`, which defines its tasks. Only `server/offload.ts` starts it. */
import { parentPort } from 'node:worker_threads';
import { reformatTasks } from '../apiserver/negotiate/reformat.js';
import { yamlTask, yamlTaskName } from '../apiserver/negotiate/yaml-json.js';
import { patchTextTask, patchTextTaskName } from '../controllers/override/patch-text.js';
import { luaSyntaxTaskName } from '../lib/lua/interface.js';
import { luaSyntaxTask } from '../lib/lua/syntax-task.js';
import { serveTasks } from '../lib/offload/serve-tasks.js';
import { protobufTasks } from '../openapi/publish/protobuf/protobuf-tasks.js';
import type { Tasks } from '../lib/offload/interface.js';

const tasks: Tasks = {
  ...protobufTasks,
  ...reformatTasks,
  [yamlTaskName]: yamlTask,
  [patchTextTaskName]: patchTextTask,
  [luaSyntaxTaskName]: luaSyntaxTask(),
};

serveTasks(parentPort, tasks);
