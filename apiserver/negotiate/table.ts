/** Builds Tables, which `kubectl get` prints. */
import type { KubeObject, ListMeta } from '../../apimachinery/interface.js';
import { badRequest } from '../../apimachinery/errors/status.js';
import { goQuote } from '../../lib/go/go-text.js';
import { jsonText } from '../../lib/json/json.js';
import { TimeSlice } from '../../lib/time-slice.js';
import type { Printer } from '../../registry/interface.js';
import { listMetaJson, type MetaVersion, partialPieces } from './list-body.js';

type IncludeObject = 'None' | 'Metadata' | 'Object';

/** The source of one row. */
export interface RowSource {
  /** The object as JSON in the version of the answer. */
  readonly json: Buffer;
  /** The object that the printer reads. */
  readonly object: KubeObject;
  /** As `Stored.loading`. */
  loading?(): Promise<KubeObject> | undefined;
}

export interface TableOptions {
  readonly printer: Printer;
  readonly version: MetaVersion;
  readonly include: IncludeObject;
  readonly now: Date;
  /** Annotations that are left out of PartialObjectMetadata. */
  readonly hidden?: readonly string[] | undefined;
}

/** Returns what the rows of a Table have besides cells. Throws 400 for an unknown value. */
export function parseIncludeObject(value: string | undefined): IncludeObject {
  if (value === undefined || value === '') return 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  const text = `includeObject: Invalid value: ${goQuote(value)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: ${text}`);
}

const columnTexts = new WeakMap<Printer, string>();

/** Returns the JSON of the column definitions. */
export function tableColumns(printer: Printer): string {
  let text = columnTexts.get(printer);
  if (text === undefined) {
    text = JSON.stringify(
      printer.columns.map(({ name, type, format = '', description = '', priority = 0 }) => ({
        name,
        type,
        format,
        description,
        priority,
      })),
    );
    columnTexts.set(printer, text);
  }
  return text;
}

const rowEnd = Buffer.from('}');
const noObject = Buffer.from('null');

function objectPieces(source: RowSource, options: TableOptions): readonly Buffer[] {
  if (options.include === 'None') return [noObject];
  return options.include === 'Object' ? [source.json] : partialPieces(source.json, options.version, options.hidden);
}

/** Returns the JSON of a row. */
export function rowPieces(source: RowSource, options: TableOptions): readonly Buffer[] {
  const { printer, now } = options;
  const cells = jsonText(printer.row(source.object, now));
  const rowConditions = printer.conditions?.(source.object) ?? [];
  const conditions = rowConditions.length === 0 ? '' : `,"conditions":${JSON.stringify(rowConditions)}`;
  return [Buffer.from(`{"cells":${cells}${conditions},"object":`), ...objectPieces(source, options), rowEnd];
}

function head(metadata: ListMeta, options: TableOptions, withColumns: boolean): string {
  const text = withColumns ? tableColumns(options.printer) : 'null';
  return `{"kind":"Table","apiVersion":"meta.k8s.io/${options.version}","metadata":${listMetaJson(metadata)},"columnDefinitions":${text},"rows":[`;
}

const tail = Buffer.from(']}\n');
const comma = Buffer.from(',');

/** Yields the pieces of a Table; each row is printed when it is read. */
export function* tablePieces(
  metadata: ListMeta,
  sources: readonly RowSource[],
  options: TableOptions,
): Generator<Buffer> {
  const { order } = options.printer;
  yield Buffer.from(head(metadata, options, true));
  let first = true;
  for (const source of order ? sources.toSorted((a, b) => order(a.object, b.object)) : sources) {
    if (!first) yield comma;
    first = false;
    yield* rowPieces(source, options);
  }
  yield tail;
}

/**
 * As `tablePieces`, in several turns of the event loop, for large objects. Each is parsed when its row is printed, and not kept afterwards, unless the
 * printer sorts them. Rows and their order are made by the same functions; only the loop is a second one, since parsing is asynchronous.
 */
export async function tablePiecesInTurns(
  metadata: ListMeta,
  sources: readonly RowSource[],
  options: TableOptions,
): Promise<Buffer[]> {
  const { order } = options.printer;
  const made: Buffer[] = [Buffer.from(head(metadata, options, true))];
  const slice = new TimeSlice();
  for (const source of order ? await sortedSources(sources, order) : sources) {
    const pause = slice.pause();
    if (pause) await pause;
    const { json, object } = await loadedSource(source);
    if (made.length > 1) made.push(comma);
    made.push(...rowPieces({ json, object }, options));
  }
  made.push(tail);
  return made;
}

const loadedSource = async (source: RowSource): Promise<RowSource> => ({
  json: source.json,
  object: (await source.loading?.()) ?? source.object,
});

async function sortedSources(
  sources: readonly RowSource[],
  order: NonNullable<Printer['order']>,
): Promise<readonly RowSource[]> {
  const loaded: RowSource[] = [];
  for (const source of sources) loaded.push(await loadedSource(source));
  return loaded.sort((a, b) => order(a.object, b.object));
}

/** Returns the Table of one watch event; only the first event of a watch has the columns. */
export function rowTable(source: RowSource, options: TableOptions, withColumns: boolean): Buffer {
  const metadata = { resourceVersion: source.object.metadata.resourceVersion ?? '' };
  return Buffer.concat([
    Buffer.from(head(metadata, options, withColumns)),
    ...rowPieces(source, options),
    Buffer.from(']}'),
  ]);
}
