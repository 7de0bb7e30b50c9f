/** docs/troubleshooting.md explains every log message, and no message that does not exist. */
import t from 'tap';
import { quoted, read, tableRows } from './documents.js';
import { logMessages } from './log-messages.js';

const levels = new Set(['info', 'warn', 'error']);

t.test('every message at info and above is explained', async t => {
  const { messages, unclear } = logMessages();
  t.ok(messages.size > 50);
  t.strictSame(unclear, [], 'messages are constant texts');
  const explained = tableRows(read('docs/troubleshooting.md'))
    .filter(([level = '']) => levels.has(level))
    .flatMap(([level, names = '']) => quoted(names).map(name => `${level} ${name}`));
  t.strictSame([...explained].sort(), [...new Set(explained)].sort(), 'each message is listed once');
  t.strictSame(
    [...messages].filter(message => !explained.includes(message)),
    [],
    'all are explained',
  );
  t.strictSame(
    explained.filter(message => !messages.has(message)),
    [],
    'no other message is explained',
  );
});
