import path from 'node:path';
import { joinCluster, requestedTokens } from '../../aggregation/members/join.js';
import type { Logger } from '../../apiserver/main/logger.js';
import type { Part } from '../../apiserver/main/parts.js';
import type { RunningServer } from '../../apiserver/main/start-server.js';
import { startMember } from '../../simulator/member.js';

interface Options {
  readonly count: number;
  readonly directory: string;
  readonly host: string;
  /** The members take the ports that follow, where they are free. */
  readonly port: number;
}

/** Until the next start, which renews them. */
const tokens = requestedTokens(10 * 365 * 24 * 3600);

const portInUse = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EADDRINUSE';

async function startOne(name: string, index: number, options: Options, log: Logger): Promise<RunningServer> {
  const { directory, host, port } = options;
  const member = { name, directory: path.join(directory, 'members', name), host, log };
  try {
    return await startMember({ ...member, port: port === 0 ? 0 : port + index });
  } catch (error) {
    if (!portInUse(error)) throw error;
    return startMember(member);
  }
}

/** Simulated member clusters `member1`, `member2`, ... in folders of their own, joined in push mode. */
export const simulatedMembers = (options: Options): Part => ({
  name: 'simulated-members',
  async start({ clientFor, log }) {
    const control = clientFor({ name: 'system:admin', groups: ['system:masters'] }, 'karmadactl');
    const running = new Map<string, RunningServer>();
    const stop = async (): Promise<void> => {
      await Promise.all([...running.values()].map(server => server.stop()));
    };
    const names = Array.from({ length: options.count }, (_, i) => `member${i + 1}`);
    const joined = names.map(async (name, i) => {
      const server = await startOne(name, i + 1, options, log);
      running.set(name, server);
      const authority = server.pki.authority.certificate;
      await joinCluster({ name, control, member: server.client, endpoint: server.url, authority, tokens });
    });
    const failed = (await Promise.allSettled(joined)).find(result => result.status === 'rejected');
    if (failed) {
      await stop();
      throw failed.reason;
    }
    const contexts = names.flatMap(name => {
      const server = running.get(name);
      if (!server) return [];
      const { url, pki } = server;
      return [{ name, server: url, authority: pki.authority.certificate, user: { credential: pki.admin } }];
    });
    return { stop, contexts };
  },
});
