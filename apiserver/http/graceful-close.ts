import type { ServerHttp2Session } from 'node:http2';

/** A GOAWAY that refuses none of the streams that exist (RFC 9113, 6.8). */
const everyStream = 2 ** 31 - 1;
/** Milliseconds until a client that does not read is looked at again. */
const shortest = 10;
const longest = 1000;

/**
 * Makes a session close in two steps: a GOAWAY, and when that has left, what node:http2 does, with a GOAWAY that says which stream was the last.
 *
 * What node:http2 does alone is not safe (https://github.com/nodejs/node/issues/64113, not mended in Node 20): a request that begins while the
 * GOAWAY still waits is reset in the middle of what nghttp2 reads. The reset takes the GOAWAY with it, the GOAWAY ends that stream, and nghttp2
 * goes on to read and write its freed memory. It is enough that a request comes in the turn of the event loop in which a session ends. And
 * anybody can bring it about, without credentials: with a GOAWAY of his own before a request, or with several requests in one packet of which the
 * first makes the server leave. With the two steps every request before the GOAWAY is served; those after it are ignored by nghttp2, and the
 * second GOAWAY tells the client so.
 */
export function closeGracefully(session: ServerHttp2Session): void {
  const close = session.close.bind(session);
  let leaving = false;

  const whenSent = (wait: number): void => {
    if (session.closed || session.destroyed) return;
    if (session.state.outboundQueueSize === 0) return close();
    setTimeout(whenSent, wait, Math.min(wait * 2, longest)).unref();
  };

  // When a client says GOAWAY with an error node:http2 ends the session at once, in the middle of what nghttp2 reads. Streams that are read
  // after that nobody knows, and the first of their data ends the process of Node 20 and 22: `Assertion failed: onread->IsFunction()`.
  const destroy = session.destroy.bind(session);
  let told = false;
  session.on('goaway', code => (told = code !== 0));
  session.destroy = (error, code) => {
    if (!told) return destroy(error, code);
    told = false;
    setImmediate(destroy, error, code);
  };

  // node:http2 itself closes by this method, too, when a client says GOAWAY.
  session.close = callback => {
    if (session.destroyed) return;
    if (callback) session.once('close', callback);
    if (leaving) return;
    leaving = true;
    session.goaway(0, everyStream);
    setImmediate(whenSent, shortest);
  };
}
