/** The process of simulated members, which `start-members.ts` forks. Its arguments are the folder and the names of the members. */
import { once } from 'node:events';
import process from 'node:process';
import { silent } from '../../server/logger.js';
import { startFleet } from '../../simulator/fleet.js';

const [directory = '', ...names] = process.argv.slice(2);
const ended = once(process, 'disconnect');
const fleet = await startFleet({ names, directory, host: '127.0.0.1', firstPort: 0 }, silent);
process.send?.(fleet.members);
await ended;
await fleet.stop();
