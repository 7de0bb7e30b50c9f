import type net from 'node:net';
import type { Duplex } from 'node:stream';
import { ExpectedError } from '../../../lib/logging/cause.js';
import { PacedSocket } from '../../../lib/paced-socket.js';
import type { ChannelCredentials } from './load.js';
import type { ReceiveAllowance } from './receive-allowance.js';

/** Reads a socket in small pieces, and destroys it when the server has sent more than the allowance. */
function limitedSocket(socket: Duplex, allowance: ReceiveAllowance): Duplex {
  const paced = new PacedSocket(socket);
  socket.on('data', (bytes: Buffer) => {
    if (!allowance.take(bytes.length)) paced.destroy(new ExpectedError('the server sends more than it was asked for'));
  });
  // The session ends its side when all calls are over, and would wait for the end of the other side for any time.
  return paced.once('finish', () => paced.destroy());
}

/**
 * Makes the connections of these credentials read in small pieces: a server could send thousands of interim answers or other small frames at once,
 * and the session of Node.js handles all frames of all that has arrived in one turn of the event loop. A connection ends when its server has sent
 * more than the allowance. Returns the credentials.
 */
export function pacedCredentials(credentials: ChannelCredentials, allowance: ReceiveAllowance): ChannelCredentials {
  const createConnector = credentials._createSecureConnector.bind(credentials);
  credentials._createSecureConnector = (...args) => {
    const connector = createConnector(...args);
    const connect = connector.connect.bind(connector);
    connector.connect = async plain => {
      const connected = await connect(plain);
      // http2.connect takes any Duplex.
      return { ...connected, socket: limitedSocket(connected.socket, allowance) as net.Socket };
    };
    return connector;
  };
  return credentials;
}
