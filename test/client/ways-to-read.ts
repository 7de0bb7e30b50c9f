import type { Client } from '../../client/interface.js';

/** Without the objects that a server in this process holds: as of a server elsewhere. */
function fetching(client: Client): Client {
  const { cached: _held, ...rest } = client;
  return rest;
}

export const waysToRead = [
  { where: 'held in this process', of: (client: Client) => client },
  { where: 'fetched', of: fetching },
];
