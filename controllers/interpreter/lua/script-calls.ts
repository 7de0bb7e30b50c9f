import { goQuote } from '../../../lib/go/go-text.js';
import type { DetachedCalls } from '../calls/detached-calls.js';
import type { InterpretedSubject } from '../calls/subject.js';
import type { LuaCall, LuaResult, LuaRunner } from './interface.js';
import type { ScriptRunner } from './runner.js';
import { luaCallText } from './task-messages.js';

type TextRunner = Pick<ScriptRunner, 'runText'>;

/** Runs scripts for controllers, whose workers do not wait long for a slow one. The keys are the names of customizations. */
export class ScriptCalls implements LuaRunner {
  readonly #runner: TextRunner;
  readonly #calls: DetachedCalls;

  constructor(runner: TextRunner, calls: DetachedCalls) {
    this.#runner = runner;
    this.#calls = calls;
  }

  run(call: LuaCall, key: string, subject: InterpretedSubject): Promise<readonly LuaResult[]> {
    const request = luaCallText(call);
    return this.#calls.ask({
      owner: `customization/${key}`,
      ...{ subject, request },
      callee: `a script of customization ${goQuote(key)}`,
      run: () => this.#runner.runText(request, key),
    });
  }
}
