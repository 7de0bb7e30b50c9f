/** The text of an error in the log, and which errors are bugs. */
import net, { type AddressInfo } from 'node:net';
import { once } from 'node:events';
import t from 'tap';
import { request } from 'undici';
import { causeText, ExpectedError, isExpected, isUnreachable } from '../../../lib/logging/cause.js';
import { plainError } from '../../../apimachinery/errors/status.js';
import { StorageError } from '../../../storage/error.js';

t.test('errors of connections and answers of servers are expected', async t => {
  const socket = net.connect(1, '127.0.0.1');
  const [refused] = (await once(socket, 'error').catch((error: unknown) => [error])) as [Error];
  t.equal(isExpected(refused), true);
  t.equal(isUnreachable(refused), true);
  t.equal(causeText(refused), 'connect ECONNREFUSED 127.0.0.1:1');
  const answer = plainError('namespaces "a" not found', 404);
  t.equal(isExpected(answer), true);
  t.equal(isUnreachable(answer), false);
  t.equal(isExpected(new StorageError('unavailable', 'etcd does not answer')), true);
  t.equal(isExpected(new ExpectedError('cluster(a) not ready')), true);
  t.equal(isExpected(AbortSignal.abort().reason), true);
  t.equal(isExpected(new Error('cannot connect', { cause: refused })), true);
});

t.test('an answer that is not HTTP is expected', async t => {
  const server = net.createServer(socket =>
    socket.end('HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nno status line\r\n\r\n'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const error: unknown = await request(`http://127.0.0.1:${port}/`).catch((error: unknown) => error);
  t.match(error, { name: 'HTTPParserError' });
  t.equal(isUnreachable(error), true);
  t.equal(isExpected(error), true);
});

t.test('everything else is a bug', t => {
  for (const bug of [new Error('no'), new TypeError('a is undefined'), new RangeError('stack'), 'text', undefined])
    t.equal(isExpected(bug), false);
  t.equal(isExpected(Object.assign(new TypeError('wrong'), { code: 'ERR_INVALID_ARG_TYPE' })), false);
  t.end();
});

t.test('a cause is one line of bounded length', t => {
  t.equal(causeText(new Error('first\nsecond\u001b[31m red')), 'first second [31m red');
  t.equal(causeText(new Error('x'.repeat(100_000))).length, 603);
  t.equal(causeText(new Error('outer', { cause: new Error('inner') })), 'outer: inner');
  t.equal(causeText(new Error('outer: inner', { cause: new Error('inner') })), 'outer: inner');
  const both = [new Error('connect ECONNREFUSED ::1:1'), new Error('connect ECONNREFUSED 127.0.0.1:1')];
  t.equal(causeText(new AggregateError(both)), 'connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1');
  t.equal(causeText(Object.assign(new Error(''), { code: 'ECONNRESET' })), 'ECONNRESET');
  t.end();
});
