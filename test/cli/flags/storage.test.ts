import fs from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { parseFlags } from '../../../cli/flags/flags.js';
import { leaderFlags, parseElection } from '../../../cli/flags/leader.js';
import { parseStorage, storageFlags } from '../../../cli/flags/storage.js';
import { temporaryFolder } from '../../storage/folder.js';

t.test('flags of the storage', async t => {
  const folder = await temporaryFolder(t);
  const file = path.join(folder, 'file');
  await fs.writeFile(file, 'content\n');
  const defaults = { registryPrefix: '/registry', compactionIntervalMs: 300_000 };
  const content = Buffer.from('content\n');
  const rows: readonly { given: string; environment?: Record<string, string>; expect: object | RegExp }[] = [
    { given: '', expect: { type: 'embedded', directory: '/d/storage' } },
    {
      given: '--storage=etcd=http://a:1,http://b:2',
      expect: { type: 'etcd', etcd: { ...defaults, endpoints: ['http://a:1', 'http://b:2'] } },
    },
    {
      given: '--etcd-servers=https://a:1,https://b:2 --etcd-prefix=tenant/ --etcd-compaction-interval=0',
      expect: {
        type: 'etcd',
        etcd: { endpoints: ['https://a:1', 'https://b:2'], registryPrefix: '/tenant', compactionIntervalMs: 0 },
      },
    },
    {
      given: `--etcd-servers=https://a:1 --etcd-cafile=${file} --etcd-certfile=${file} --etcd-keyfile=${file}`,
      expect: {
        type: 'etcd',
        etcd: { ...defaults, endpoints: ['https://a:1'], tls: { ca: content, cert: content, key: content } },
      },
    },
    {
      given: `--etcd-servers=http://a:1 --etcd-username=root --etcd-password-file=${file}`,
      expect: {
        type: 'etcd',
        etcd: { ...defaults, endpoints: ['http://a:1'], auth: { username: 'root', password: 'content' } },
      },
    },
    {
      given: '--etcd-servers=http://a:1',
      environment: { ETCD_USERNAME: 'me', ETCD_PASSWORD: 'secret' },
      expect: {
        type: 'etcd',
        etcd: { ...defaults, endpoints: ['http://a:1'], auth: { username: 'me', password: 'secret' } },
      },
    },
    { given: '--storage=etcd', expect: /--storage/ },
    { given: '--storage=etcd=', expect: /--storage/ },
    { given: '--storage=sqlite', expect: /--storage/ },
    { given: '--storage=etcd=nowhere', expect: /nowhere.* for --storage/ },
    { given: '--etcd-servers=a:1', expect: /--etcd-servers/ },
    { given: '--storage=etcd=http://a:1 --etcd-servers=http://a:1', expect: /either/ },
    { given: '--etcd-servers=https://a:1 --etcd-certfile=x', expect: /belong together/ },
    { given: '--etcd-servers=https://a:1 --etcd-cafile=/none', expect: /--etcd-cafile \/none cannot be read/ },
    { given: '--etcd-servers=http://a:1 --etcd-username=x', expect: /needs --etcd-password-file or ETCD_PASSWORD/ },
    { given: '--etcd-servers=http://a:1 --etcd-compaction-interval=soon', expect: /--etcd-compaction-interval: want/ },
  ];
  for (const { given, environment = {}, expect } of rows) {
    const { values } = parseFlags(storageFlags, given.split(' ').filter(Boolean));
    const parsed = parseStorage(values, '/d', environment);
    if (expect instanceof RegExp) await t.rejects(parsed, { message: expect }, given);
    else t.same(await parsed, expect, given);
  }
});

t.test('flags of the leader election', async t => {
  const parse = (text: string): unknown =>
    parseElection(parseFlags(leaderFlags, text.split(' ').filter(Boolean)).values);
  t.same(parse(''), { timing: { leaseMs: 15_000, renewMs: 10_000, retryMs: 2000 }, namespace: 'karmada-system' });
  t.match(parse('--leader-elect-resource-namespace=karmada'), { namespace: 'karmada' });
  t.throws(() => parse('--leader-elect-resource-namespace=A'), {
    message: /^invalid value "A" for --leader-elect-resource-namespace: a lowercase RFC 1123 label/,
  });
  t.equal(parse('--leader-elect=false'), undefined);
  t.throws(() => parse('--leader-elect-lease-duration=10s'), { message: /must be greater/ });
  t.throws(() => parse('--leader-elect-retry-period=9s'), { message: /must be greater/ });
});
