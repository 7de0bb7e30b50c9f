/** Serves /debug/pprof/: profiles of CPU time and of memory. */
import type { Profiler, Session } from 'node:inspector/promises';
import { setTimeout } from 'node:timers/promises';
import { answer, answerText, TextAnswer } from '../http/answer.js';
import type { RequestFilter } from '../http/filters.js';
import { sendBody } from '../http/send.js';
import type { Request } from '../http/request.js';

type Kind = 'profile' | 'heap';

/** Seconds of a profile without the parameter `seconds`. */
const defaultSeconds: Readonly<Record<Kind, number>> = { profile: 30, heap: 30 };
const maxSeconds = 600;

/** The kinds of profiles. The files are those of V8, not of Go: the developer tools of browsers open them. */
const kinds: Readonly<
  Record<Kind, { readonly about: string; take(session: Session, wait: () => Promise<void>): Promise<object> }>
> = {
  profile: {
    about: 'where time is spent, for some seconds (.cpuprofile)',
    async take(session, wait) {
      await session.post('Profiler.enable');
      await session.post('Profiler.start');
      await wait();
      return (await session.post('Profiler.stop')).profile satisfies Profiler.Profile;
    },
  },
  heap: {
    about: 'a sample of what is allocated for some seconds, and still there at their end (.heapprofile)',
    async take(session, wait) {
      await session.post('HeapProfiler.startSampling');
      await wait();
      return (await session.post('HeapProfiler.stopSampling')).profile;
    },
  },
};

const extensions: Readonly<Record<Kind, string>> = { profile: 'cpuprofile', heap: 'heapprofile' };

const isKind = (name: string): name is Kind => Object.hasOwn(kinds, name);

/** Returns the parameter `seconds`. An invalid number is ignored. as net/http/pprof */
function secondsOf(request: Request, kind: Kind): number {
  const seconds = Number(request.query.get('seconds') ?? '');
  return Number.isInteger(seconds) && seconds > 0 ? Math.min(seconds, maxSeconds) : defaultSeconds[kind];
}

async function profileOf(kind: Kind, seconds: number, signal: AbortSignal): Promise<object> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  // An abort ends the profile early, and its content so far is returned.
  const wait = (): Promise<void> => setTimeout(seconds * 1000, undefined, { signal }).catch(() => undefined);
  try {
    return await kinds[kind].take(session, wait);
  } finally {
    session.disconnect();
  }
}

const index = `<html>
<head>
<title>/debug/pprof/</title>
</head>
<body>
/debug/pprof/<br>
<table>
${Object.entries(kinds)
  .map(([name, { about }]) => `<tr><td><a href='${name}?seconds=30'>${name}</a></td><td>${about}</td></tr>\n`)
  .join('')}</table>
</body>
</html>
`;

export const profilingPath = '/debug/pprof/';

/**
 * Returns the filter that serves /debug/pprof/. It takes one profile at a time, since a second one would profile the first. A client that disconnects
 * ends it.
 */
export function profiling(): RequestFilter {
  let running = false;

  const serve = async (request: Request, kind: Kind): Promise<void> => {
    if (running) throw new TextAnswer(500, `Could not enable ${kind} profiling: profiling already in use`);
    running = true;
    try {
      const profile = await profileOf(kind, secondsOf(request, kind), request.signal);
      const file = `attachment; filename="${kind}.${extensions[kind]}"`;
      const headers = { 'content-disposition': file, 'x-content-type-options': 'nosniff' };
      await sendBody(request, 200, 'application/octet-stream', Buffer.from(JSON.stringify(profile)), headers);
    } finally {
      running = false;
    }
  };

  return request => {
    const name = request.info.path.slice(profilingPath.length);
    if (name === '') return answer(request, 200, 'text/html; charset=utf-8', Buffer.from(index));
    if (!isKind(name)) return answerText(request, 404, 'Unknown profile\n');
    return serve(request, name);
  };
}

/** Redirects `/debug/pprof` to `/debug/pprof/`. */
export const profilingRoot: RequestFilter = request =>
  answer(request, 302, undefined, undefined, { location: profilingPath });
