import process from 'node:process';

/**
 * The command that runs Node.js without tap's hooks, which child processes of a test inherit by NODE_OPTIONS. They make a start three times as
 * long, and exit at signals that Node.js itself ignores (SIGXFSZ of a file limit). `env` is replaced by Node.js, so there is no other process.
 */
export const plainNode: readonly [command: string, ...args: string[]] = ['env', '-u', 'NODE_OPTIONS', process.execPath];
