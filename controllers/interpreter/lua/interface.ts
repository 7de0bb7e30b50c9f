/** Runs the Lua scripts of resource interpreters: one call of one function of a script, in an environment of its own. */
import type { InterpretedSubject } from '../calls/subject.js';

/** A call of a function that a script defines. */
export interface LuaCall {
  readonly script: string;
  /** The name of the function, such as `GetReplicas`. */
  readonly name: string;
  /** JSON values. Numbers become doubles, `null` becomes nil. */
  readonly args: readonly unknown[];
  /** What each result becomes, in order; the number of results that are read. */
  readonly results: readonly LuaResultForm[];
}

/**
 * How a result becomes JSON. Lua has one empty table for `{}` and `[]`: `empty` says what an empty result is. Empty tables in a result are left
 * out, unless an argument that `references` names has an empty object or list in the same place.
 */
export interface LuaResultForm {
  readonly empty: 'object' | 'list';
  /** Indexes of the arguments that tell an empty object from an empty list. */
  readonly references: readonly number[];
}

/** The names of Lua's types, as `type` returns them. */
export type LuaType = 'nil' | 'boolean' | 'number' | 'string' | 'function' | 'userdata' | 'thread' | 'table';

/** A result. `value` is a JSON value; absent for nil, and for what JSON cannot express. */
export interface LuaResult {
  readonly type: LuaType;
  readonly value?: unknown;
}

/**
 * - `failed`: the script has a fault, or returned what cannot be converted.
 * - `late`: it ran for longer than its limit.
 * - `memory`: it needs more memory than it may have.
 */
export type LuaFailure = 'failed' | 'late' | 'memory';

export type LuaOutcome =
  { readonly results: readonly LuaResult[] } | { readonly failure: LuaFailure; readonly message: string };

/** Limits of one result. */
export interface ResultLimits {
  /** Characters of JSON. */
  readonly resultLength: number;
  /** JSON values (members of objects, items of lists): the time of parsing depends on them more than on characters. */
  readonly resultValues: number;
}

/** Limits of one call, beside its time. */
export interface LuaLimits extends ResultLimits {
  /** Instructions of the Lua VM. */
  readonly instructions: number;
  /** Bytes of memory of a VM, with all scripts that it holds compiled. */
  readonly memory: number;
}

export interface LuaRunner {
  /**
   * Runs a call about a subject on behalf of `key`, such as the name of the object with the script. Keys take turns. Rejects with an ExpectedError,
   * whose message is for the author of the script; with NotYet if too many calls wait; with NotSynced if the outcome comes later.
   */
  run(call: LuaCall, key: string, subject: InterpretedSubject): Promise<readonly LuaResult[]>;
}
