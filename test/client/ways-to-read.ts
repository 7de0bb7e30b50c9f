import type { Client } from '../../client/interface.js';

/** Returns the client without its cached objects, as a client of a server in another process. */
function fetching(client: Client): Client {
  const { cached: _cached, ...rest } = client;
  return rest;
}

export const waysToRead = [
  { where: 'held in this process', of: (client: Client) => client },
  { where: 'fetched', of: fetching },
];
