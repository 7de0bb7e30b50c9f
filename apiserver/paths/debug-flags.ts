/** Serves /debug/flags/: flags that can be changed while the server runs. as apiserver/pkg/server/routes/flags.go */
import { goQuote } from '../../lib/go/go-text.js';
import { answer, answerText } from '../http/answer.js';
import type { RequestFilter } from '../http/filters.js';

/** Sets a flag. Returns the text of the answer; throws an Error for an invalid value. */
type SetFlag = (value: string) => string;

const maxValueBytes = 1024;

const page = (names: readonly string[]): string => `<html>
<head>
<title>/debug/flags/</title>
</head>
<body>
/debug/flags/<br>
<br>
flags:<br>
<table>
${names.map(name => `<tr>${name}<br>\n`).join('')}</table>
<br>
full flags configurable<br>
</body>
</html>
`;

export const debugFlagsPath = '/debug/flags/';

/** Returns the filter. `flags`: by name, functions that set a flag and return the text of the answer; an Error that they throw is a 400. */
export function debugFlags(flags: Readonly<Record<string, SetFlag>>): RequestFilter {
  const index = Buffer.from(page(Object.keys(flags)));
  return async request => {
    const name = request.info.path.slice(debugFlagsPath.length);
    const set = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (!set) return answer(request, 200, 'text/html; charset=utf-8', index);
    if (request.exchange.method !== 'PUT') return answerText(request, 406, 'unsupported http method\n');
    const value = (await request.exchange.body(maxValueBytes)).toString();
    try {
      answerText(request, 200, `${set(value)}\n`);
    } catch (error) {
      answerText(request, 400, `${(error as Error).message}\n`);
    }
  };
}

/** Maps the levels of klog to those of this server: 0 is warn, 1 to 3 are info, and from 4 on (debug) every request is logged. */
export function verbosity(setLevel: (level: 'warn' | 'info' | 'debug') => void): SetFlag {
  return value => {
    if (!/^\d+$/.test(value)) throw new Error(`strconv.ParseUint: parsing ${goQuote(value)}: invalid syntax`);
    const v = Number(value);
    setLevel(v === 0 ? 'warn' : v < 4 ? 'info' : 'debug');
    return `successfully set klog.logging.verbosity to ${value}`;
  };
}
