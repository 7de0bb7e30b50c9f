/** The task of a thread that runs scripts. */
import type { Task, Tasks } from '../../../lib/offload/interface.js';
import { loadLuaBinary } from '../../../lib/lua/engine.js';
import type { LuaLimits } from './interface.js';
import { luaTaskName, readLuaInput, writeLuaOutcome } from './task-messages.js';
import { LuaVm } from './vm.js';

/** Limits of one call, beside its time. A VM is replaced when it holds more than half of its memory. */
const limits: LuaLimits = {
  instructions: 500_000_000,
  memory: 64 * 1024 * 1024,
  resultLength: 2 * 1024 * 1024,
  resultValues: 20_000,
};

/** Returns the tasks of one thread, which share a VM. Calls do not see each other: each one gets an environment of its own. */
export function luaTasks(): Tasks {
  const binary = loadLuaBinary();
  const open = (): LuaVm =>
    new LuaVm({ binary, limits, now: Date.now, elapsed: () => performance.now(), random: Math.random });
  let vm = open();
  const run: Task = input => {
    const { call, ms } = readLuaInput(input);
    if (!vm.isUsable) vm = open();
    return writeLuaOutcome(vm.run(call, ms));
  };
  return { [luaTaskName]: run };
}
