import type net from 'node:net';
import type { Duplex } from 'node:stream';
import { PacedSocket } from '../../../lib/paced-socket.js';
import type { ChannelCredentials } from './load.js';

/**
 * Makes the connections of these credentials read in small pieces: a server could send thousands of interim answers or other small frames at once, and
 * the session of Node.js handles all frames of all that has arrived in one turn of the event loop. Returns the credentials.
 */
export function pacedCredentials(credentials: ChannelCredentials): ChannelCredentials {
  const createConnector = credentials._createSecureConnector.bind(credentials);
  credentials._createSecureConnector = (...args) => {
    const connector = createConnector(...args);
    const connect = connector.connect.bind(connector);
    connector.connect = async plain => {
      const connected = await connect(plain);
      const socket: Duplex = new PacedSocket(connected.socket);
      // http2.connect takes any Duplex.
      return { ...connected, socket: socket as net.Socket };
    };
    return connector;
  };
  return credentials;
}
