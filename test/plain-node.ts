import process from 'node:process';

/**
 * The command that runs Node.js in a test without tap's hooks, which reach every child by NODE_OPTIONS: they make its start three times as long,
 * and exit at signals that Node.js itself ignores (SIGXFSZ of a file limit). The process is Node.js itself, not a shell around it.
 */
export const plainNode: readonly [command: string, ...args: string[]] = ['env', '-u', 'NODE_OPTIONS', process.execPath];
