/** Serves /debug/api_priority_and_fairness/: the state of priority levels and queues as text. */
import type { FlowControl } from '../flow/flow-control.js';
import { answer, pageNotFound } from '../http/answer.js';
import type { RequestFilter } from '../http/filters.js';

type Row = readonly (string | number | boolean)[];

const levelColumns = [
  ...['PriorityLevelName', 'ActiveQueues', 'IsIdle', 'IsQuiescing', 'WaitingRequests', 'ExecutingRequests'],
  ...['DispatchedRequests', 'RejectedRequests', 'TimedoutRequests', 'CancelledRequests'],
];

function levelRows(control: FlowControl): Row[] {
  return [...control.levels]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, level]) => {
      const { set, dispatched, rejected, timedOut, cancelled } = level;
      const idle = set.waiting === 0 && set.executing === 0;
      return [name, set.busyQueues, idle, false, set.waiting, set.executing, dispatched, rejected, timedOut, cancelled];
    });
}

const queueColumns = ['PriorityLevelName', 'Index', 'PendingRequests', 'ExecutingRequests', 'NextDispatchR'];

function queueRows(control: FlowControl): Row[] {
  return [...control.levels].flatMap(([name, { set }]) =>
    [...set.queues()]
      .sort((a, b) => a.index - b.index)
      .map(({ index, waiting, executing, position }) => [
        ...[name, index, waiting.size, executing],
        `${(position / 1000).toFixed(8)}ss`,
      ]),
  );
}

function requestRows(control: FlowControl): Row[] {
  return [...control.levels].flatMap(([name, { set }]) =>
    [...set.queues()].flatMap(({ index, waiting }) =>
      [...waiting].map((work, i): Row => [name, index, i, work.seats, work.finalSeats, `${work.latency}ms`]),
    ),
  );
}

const requestColumns = [
  ...['PriorityLevelName', 'QueueIndex', 'RequestIndexInQueue', 'InitialSeats', 'FinalSeats', 'AdditionalLatency'],
];

/** Returns a table whose columns are as wide as their widest cell, separated by commas. as apiserver/pkg/util/flowcontrol/apf_controller_debug.go */
function table(rows: readonly Row[]): string {
  const texts = rows.map(row => row.map(String));
  const widths = texts[0]?.map((_, i) => Math.max(...texts.map(row => (row[i] ?? '').length))) ?? [];
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => (i < row.length - 1 ? `${cell},`.padEnd((widths[i] ?? 0) + 2) : cell)).join('');
  return texts.map(row => `${line(row)}\n`).join('');
}

const pages: Readonly<Record<string, (control: FlowControl) => Row[]>> = {
  dump_priority_levels: control => [levelColumns, ...levelRows(control)],
  dump_queues: control => [queueColumns, ...queueRows(control)],
  dump_requests: control => [requestColumns, ...requestRows(control)],
};

export const flowDumpPath = '/debug/api_priority_and_fairness/';

/** Returns the filter for the paths below `flowDumpPath`. Throws 404 for pages that do not exist. */
export const flowDump =
  (control: FlowControl): RequestFilter =>
  request => {
    const page = request.info.path.slice(flowDumpPath.length);
    const rows = Object.hasOwn(pages, page) ? pages[page] : undefined;
    if (!rows) throw pageNotFound();
    answer(request, 200, 'text/plain; charset=utf-8', Buffer.from(table(rows(control))));
  };
