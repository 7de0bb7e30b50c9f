import fs from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { parseFlags } from '../../../cli/flags/flags.js';
import { kubeletFlags, parseKubelets } from '../../../cli/flags/kubelet.js';
import { temporaryFolder } from '../../apiserver/running.js';

const parse = (...args: string[]) => parseKubelets(parseFlags(kubeletFlags, args).values);

t.test('flags for the way to kubelets', async t => {
  const addressTypes = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];
  t.same(await parse(), { addressTypes, timeoutMs: 30_000 });
  const folder = await temporaryFolder(t);
  const files = Object.fromEntries(['cert', 'key', 'ca'].map(name => [name, path.join(folder, name)]));
  for (const [name, file] of Object.entries(files)) await fs.writeFile(file, name);
  const given = await parse(
    `--kubelet-client-certificate=${files['cert']}`,
    `--kubelet-client-key=${files['key']}`,
    `--kubelet-certificate-authority=${files['ca']}`,
    '--kubelet-preferred-address-types=InternalIP,Hostname',
    '--kubelet-timeout=5s',
  );
  const credential = { certificate: 'cert', key: 'key' };
  t.same(given, { addressTypes: ['InternalIP', 'Hostname'], timeoutMs: 5000, credential, authority: 'ca' });
  await t.rejects(parse(`--kubelet-client-key=${files['key']}`), { message: /need each other$/ });
  await t.rejects(parse('--kubelet-certificate-authority=/none'), {
    message: /^the file of --kubelet-certificate-authority cannot be read: /,
  });
  await t.rejects(parse('--kubelet-timeout=soon'), { message: /for --kubelet-timeout: / });
});
