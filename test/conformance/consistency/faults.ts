/** Temporary faults as they occur in production. */
import { setTimeout as pause } from 'node:timers/promises';
import type { EtcdServer } from '../../storage/etcd-server.js';
import type { Flagship } from './servers.js';

export interface Fault {
  readonly name: string;
  /** Injects the fault and resolves when it is over. */
  strike(): Promise<void>;
}

const between = (min: number, max: number): number => min + Math.random() * (max - min);

export function faultsOfServer(flagship: Flagship): Fault[] {
  const { proxy } = flagship;
  return [
    { name: 'kill -9', strike: () => flagship.restart() },
    {
      name: 'paused',
      async strike() {
        flagship.pause();
        await pause(between(50, 600));
        flagship.resume();
      },
    },
    {
      name: 'connections cut',
      async strike() {
        proxy.cut();
        await pause(between(0, 100));
        proxy.cut();
      },
    },
    {
      name: 'connections cut in the middle of answers',
      async strike() {
        proxy.cutAfter = between(2000, 20_000);
        await pause(between(200, 600));
        proxy.cutAfter = undefined;
      },
    },
    {
      name: 'answers lost',
      async strike() {
        proxy.deaf = true;
        await pause(between(50, 400));
        proxy.cut();
        proxy.deaf = false;
      },
    },
  ];
}

export const slowDisk = (flagship: Flagship): Fault => ({
  name: 'slow disk',
  async strike() {
    flagship.slowDisk(true);
    await pause(between(300, 1000));
    flagship.slowDisk(false);
  },
});

export function faultsOfEtcd(member: EtcdServer): Fault[] {
  return [
    {
      name: 'etcd member killed',
      async strike() {
        await member.kill();
        await pause(between(0, 500));
        await member.start();
      },
    },
    {
      name: 'etcd member paused',
      async strike() {
        member.pause();
        await pause(between(100, 1500));
        member.resume();
      },
    },
  ];
}
