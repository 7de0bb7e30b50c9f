/** A simulated member as a process of its own: its folder is the argument. It prints the path of a kubeconfig when it is ready. */
import fs from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { kubeconfig } from '../../../authn/pki/kubeconfig.js';
import { silent } from '../../../server/logger.js';
import { startMember } from '../../../simulator/member.js';

const [, , directory = ''] = process.argv;
const hardware = { nodes: 2, cpu: '64', memory: '256Gi', pods: '200' };
const { pki, url } = await startMember({ name: 'edge', directory, host: '127.0.0.1', log: silent, hardware });
const file = path.join(directory, 'kubeconfig');
const authority = pki.authority.certificate;
await fs.writeFile(file, kubeconfig([{ name: 'edge', server: url, authority, user: { credential: pki.admin } }]), {
  mode: 0o600,
});
process.stdout.write(`${file} ${new URL(url).port}\n`);
