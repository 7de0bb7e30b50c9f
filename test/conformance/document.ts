import { notRun, thirdPartyVectors } from './golden/not-run.js';
import { known } from './known.js';
import type { Row } from './sections.js';

export interface Table {
  readonly title: string;
  readonly about: string;
  readonly rows: readonly Row[];
}

const intro = `# Conformance

What Flagship does is held against what the real systems were seen to do. This page is written by \`npm run conformance\`; it
takes about ten minutes, needs etcd on the PATH for one row, and says the same whenever the same holds. The recordings stand in
\`test/data\`, the programs in \`test/conformance\`. Much of it runs in the tests, too, so that nothing is lost again.

\`npm run conformance -- --only corpus --match patch/ --verbose\` shows where one differs.
`;

const passed = ({ results }: Row): number => results.filter(({ problems }) => problems.length === 0).length;
const total = ({ results, notRun }: Row): number => results.length + notRun;
const sum = (rows: readonly Row[], count: (row: Row) => number): number =>
  rows.reduce((all, row) => all + count(row), 0);

function tableOf({ title, about, rows }: Table): string {
  const lines = rows.map(
    row => `| ${row.name} | ${passed(row)} | ${total(row)} |${row.notRun > 0 ? ` ${row.notRun} not run |` : ' |'}`,
  );
  const all = `| **all** | **${sum(rows, passed)}** | **${sum(rows, total)}** | |`;
  return [
    `## ${title}`,
    '',
    about,
    '',
    '| what | passed | of | |',
    '| --- | --: | --: | --- |',
    ...lines,
    all,
    '',
  ].join('\n');
}

function missing({ title, rows }: Table): string {
  const names = rows.flatMap(row =>
    row.results
      .filter(({ problems }) => problems.length > 0)
      .map(result => `${row.name}/${result.name}`)
      .map(name => `- \`${name}\`${known[name] === undefined ? '' : `: ${known[name]}`}`),
  );
  return names.length === 0 ? '' : [`### ${title}`, '', ...names, ''].join('\n');
}

/** Returns what is recorded and not compared, with the reasons. */
function notCompared(): string {
  const lines = notRun.map(({ area, names, count, reason }) => {
    const shown = typeof names === 'string' ? `\`${names}*\`` : names.map(name => `\`${name}\``).join(', ');
    return `- ${area}, ${count} vectors, ${shown}: ${reason}`;
  });
  const kinds = Object.entries(thirdPartyVectors).map(([kind, count]) => `${kind} (${count})`);
  const lua = `- interpreter, kinds of other projects: needs interpreters in Lua, which are not there yet: ${kinds.join(', ')}`;
  return ['## Not run\n', ...lines, lua, ''].join('\n');
}

/** Returns the report as Markdown. The same results give the same text. */
export function document(tables: readonly Table[]): string {
  const open = tables.map(missing).filter(text => text !== '');
  const rest = open.length === 0 ? [] : ['## What does not agree yet\n', ...open];
  return `${[intro, ...tables.map(tableOf), ...rest, notCompared()].join('\n').trimEnd()}\n`;
}
