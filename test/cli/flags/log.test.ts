import t from 'tap';
import { parseFlags, UsageError } from '../../../cli/flags/flags.js';
import { logFlags, parseLogging } from '../../../cli/flags/log.js';

const parsed = (...args: string[]) => parseLogging(parseFlags(logFlags, args).values);

t.test('level and format of the log', async t => {
  t.strictSame(parsed(), { level: 'info', format: 'auto' });
  t.strictSame(parsed('--log-level=debug', '--log-format=json'), { level: 'debug', format: 'json' });
  t.throws(() => parsed('--log-level=warning'), {
    constructor: UsageError,
    message: 'invalid value "warning" for --log-level: want one of error, warn, info, debug',
  });
  t.throws(() => parsed('--log-format=jsn'), {
    message: 'invalid value "jsn" for --log-format: want one of auto, pretty, json; did you mean json?',
  });
});
