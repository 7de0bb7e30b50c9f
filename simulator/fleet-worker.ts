/** The thread in which simulated members run; only `fleet.ts` starts it and sends it messages. */
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { createLogger, type AdjustableLogger, silent } from '../server/logger.js';
import { reclaimWhenIdle } from '../lib/idle-collection.js';
import type { RunningServer } from '../server/start-server.js';
import { errorText } from '../apimachinery/errors/error-text.js';
import type { FleetAnswer, FleetFailure, FleetMember, FleetOptions, FleetOrder, FleetReport } from './fleet.js';
import { startMember } from './member.js';
import { MemberNetwork } from './network.js';
import { optimizeLate } from './optimize-late.js';

if (!parentPort) throw new Error('this file is the start of a thread');
const port = parentPort;
const options = workerData as FleetOptions;
reclaimWhenIdle();
optimizeLate();
const running = new Map<string, RunningServer>();
const networks = new Map<string, MemberNetwork>();

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code;

/** Returns the logger of a member; the field `member` identifies its lines. */
const logOf = async (member: string): Promise<AdjustableLogger> => {
  const { logLevel: level, logFormat: format = 'json' } = options;
  return level === undefined ? silent : createLogger({ level, format, fields: { member } });
};

async function startOne(name: string, index: number): Promise<void> {
  const { directory, host, firstPort, light = false, hardware = {} } = options;
  const network = new MemberNetwork();
  const member = {
    name,
    directory: path.join(directory, name),
    host,
    light,
    ...(hardware[name] && { hardware: hardware[name] }),
    earlyFilters: [network.filter],
    log: await logOf(name),
  };
  const start = async (port: number): Promise<void> => {
    const server = await startMember({ ...member, port });
    running.set(name, server);
    networks.set(name, network);
    network.serve(server);
  };
  try {
    await start(firstPort === 0 ? 0 : firstPort + index);
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw error;
    await start(0); // at any free port
  }
}

async function stop(): Promise<void> {
  for (const network of networks.values()) network.close();
  await Promise.all([...running.values()].map(server => server.stop()));
}

function failureOf(error: unknown): FleetFailure {
  const code = codeOf(error);
  const message = errorText(error);
  return { name: error instanceof Error ? error.name : 'Error', message, ...(code === undefined ? {} : { code }) };
}

const report = (message: FleetReport | FleetAnswer): void => port.postMessage(message);

port.on('message', (order: FleetOrder) => {
  if (order.type === 'stop') return void stop().finally(() => port.close());
  const { name, reachability } = order;
  const done =
    networks.get(name)?.setReachability(reachability) ?? Promise.reject(new Error(`there is no member ${name}`));
  done.then(
    () => report({}),
    (error: unknown) => report({ failure: failureOf(error) }),
  );
});

const failed = (await Promise.allSettled(options.names.map(startOne))).find(result => result.status === 'rejected');
if (failed) {
  await stop();
  report({ failure: failureOf(failed.reason) });
  port.close();
} else {
  const members = [...running].map(([name, { url, pki }]): FleetMember => {
    const { certificate, key } = pki.admin;
    return { name, url, caBundle: pki.authority.certificate, admin: { certificate, key } };
  });
  report({ members });
}
