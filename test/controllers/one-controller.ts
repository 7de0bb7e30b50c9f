/** A server in this process that runs only the controllers under test, with a real store and pipeline. */
import type { Test } from 'tap';
import type { Client } from '../../client/interface.js';
import { componentContext } from '../../client/runtime/component.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { silent } from '../../server/logger.js';
import type { Part, PartContext } from '../../server/parts.js';
import { runningServer, type TestServer } from '../apiserver/running.js';

interface Options {
  /** Returns the client of the controllers, such as one before whose writes another user writes. */
  readonly wrap?: (client: Client) => Client;
  readonly profile?: 'karmada' | 'kubernetes';
}

/** Starts a server, and the controllers that `start` starts; the client of the answer is another one. */
export async function runningControllers(
  t: Test,
  start: (context: ControllerContext, part: PartContext) => void | Promise<void>,
  { wrap = client => client, profile = 'karmada' }: Options = {},
): Promise<TestServer> {
  const part: Part = {
    name: 'controllers',
    async start(host) {
      const clientFor: typeof host.clientFor = (...identity) => wrap(host.clientFor(...identity));
      const context = componentContext({ ...host, clientFor, log: silent }, 'kube-controller-manager');
      await start(context, host);
      return { stop: () => context.finished() };
    },
  };
  return runningServer(t, { profile, parts: [part] });
}

/** Returns the client with other verbs. Methods of a class are not copied by a spread, and have private fields of the client itself. */
export const withVerbs = (client: Client, verbs: Partial<Client>): Client =>
  new Proxy(client, {
    get(target, name) {
      if (Object.hasOwn(verbs, name)) return Reflect.get(verbs, name) as unknown;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
