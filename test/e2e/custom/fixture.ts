/** CustomResourceDefinitions over a real socket. Each test has API groups of its own. */
import type { Test } from 'tap';
import { type TestServer, runningServer } from '../../apiserver/running.js';
import { type More, customKind, definitionsPath, object, version } from '../../custom-kinds.js';
import { type Ask, type Reply, inJson, wire } from '../wire.js';

let made = 0;

/** Returns a definition with a group of its own. */
export const definition = (versions: readonly object[], more: More = {}) =>
  customKind('Foo', versions, { group: `g${++made}.example.com`, ...more });

/** One version, whose schema has no fields. */
export const oneVersion = [version('v1', object({}))];

/** Returns a definition of one version. */
export const ofSchema = (schema: object = object({}), more: object = {}) => definition([version('v1', schema, more)]);

type Definition = ReturnType<typeof definition>;

interface Fixture {
  readonly ask: Ask;
  /** Creates the definition, and waits until its version is served. */
  readonly defined: (of: Definition, served?: string) => Promise<void>;
  readonly server: TestServer;
}

export async function fixture(t: Test): Promise<Fixture> {
  const server = await runningServer(t);
  const ask = inJson(wire(t, server));
  return {
    ask,
    server,
    async defined(of, served = 'v1') {
      const { status, object } = await ask(`POST ${definitionsPath}`, of);
      if (status !== 201) throw new Error(JSON.stringify(object));
      await until(
        () => ask(`GET ${pathOf(of, '', served)}`),
        ({ status }) => status === 200,
      );
    },
  };
}

export async function until(attempt: () => Promise<Reply>, isSo: (reply: Reply) => boolean): Promise<Reply> {
  for (;;) {
    const reply = await attempt();
    if (isSo(reply)) return reply;
  }
}

export const pathOf = ({ spec }: Definition, rest = '', name = 'v1'): string =>
  `/apis/${spec.group}/${name}/namespaces/default/foos${rest}`;

export const foo = ({ spec }: Definition, name: string, fields: object = {}, apiVersion = 'v1') => ({
  ...{ apiVersion: `${spec.group}/${apiVersion}`, kind: 'Foo', metadata: { name } },
  ...fields,
});
