/**
 * Rows that are not played unless STALL_ROWS names them, and why. `INPUT/*` stands for all rows of an input. A row leaves this table when it
 * passes: where it is played and passes, the suite fails. It is empty: no input is known that can stall a server.
 */
export const known: Readonly<Record<string, string>> = {};
