/** The messages between the event loop and the thread that runs scripts. */
import { jsonText } from '../../../lib/json/json.js';
import type { LuaCall, LuaOutcome } from './interface.js';

/** The name of the task. */
export const luaTaskName = 'run-lua';

interface LuaTaskInput {
  readonly call: LuaCall;
  /** Milliseconds that the call may take. */
  readonly ms: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the JSON of a call. */
export const luaCallText = (call: LuaCall): string => jsonText(call);

/** `callText`: the result of `luaCallText`. */
export const writeLuaInput = (callText: string, ms: number): Uint8Array =>
  encoder.encode(`{"call":${callText},"ms":${ms}}`);

/** Reads what `writeLuaInput` of the calling thread has written. */
export const readLuaInput = (input: Uint8Array): LuaTaskInput => JSON.parse(decoder.decode(input)) as LuaTaskInput;

/** Returns the outcome of a script as bytes, which threads exchange without copying them. */
export const writeLuaOutcome = (outcome: LuaOutcome): Uint8Array => encoder.encode(JSON.stringify(outcome));

/** Reads what `writeLuaOutcome` has written. Its results are as they came from the script, and not checked. */
export const readLuaOutcome = (output: Uint8Array): LuaOutcome => JSON.parse(decoder.decode(output)) as LuaOutcome;
