/**
 * Rows that are not played unless STALL_ROWS names them, and why. `INPUT/*` stands for all rows of an input. A row leaves this table when it
 * passes: where it is played and passes, the suite fails.
 */
const schemas = 'compiling a definition takes one turn of the event loop';

export const known: Readonly<Record<string, string>> = {
  'custom/*': schemas,
};
