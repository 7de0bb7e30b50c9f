/** The process of simulated members, which `start-members.ts` forks. Its arguments are their folder, `light` or `full`, and their names. */
import { once } from 'node:events';
import process from 'node:process';
import { silent } from '../../server/logger.js';
import { startFleet } from '../../simulator/fleet.js';

const [directory = '', kind, ...names] = process.argv.slice(2);
const ended = once(process, 'disconnect');
const fleet = await startFleet({ names, directory, host: '127.0.0.1', firstPort: 0, light: kind === 'light' }, silent);
process.send?.(fleet.members);
await ended;
await fleet.stop();
