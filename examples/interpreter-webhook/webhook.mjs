/**
 * Interprets Farms for the control plane: node webhook.mjs KEY_FILE CERTIFICATE_FILE [PORT]
 * The default port is 8443.
 */
import fs from 'node:fs';
import https from 'node:https';
import process from 'node:process';

/** Returns the fields of a response with a JSON patch. */
const patch = operations => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

/** Operation -> its result for a request. */
const operations = {
  InterpretReplica: ({ object }) => ({
    replicas: object.spec?.machines ?? 0,
    replicaRequirements: { resourceRequest: { cpu: '100m' } },
  }),
  ReviseReplica: ({ replicas }) => patch([{ op: 'replace', path: '/spec/machines', value: replicas }]),
  AggregateStatus: ({ aggregatedStatus = [] }) => {
    const up = aggregatedStatus.reduce((sum, { status }) => sum + (status?.up ?? 0), 0);
    return patch([{ op: 'add', path: '/status', value: { up } }]);
  },
  InterpretHealth: ({ object }) => ({ healthy: object.status?.up === object.spec?.machines }),
};

/** Returns the answer to a ResourceInterpreterContext. */
function answer({ apiVersion, kind, request }) {
  const { uid, operation } = request;
  const interpret = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
  const response = interpret
    ? { uid, successful: true, ...interpret(request) }
    : { uid, successful: false, status: { code: 400, message: `${operation} is not implemented` } };
  return { apiVersion, kind, response };
}

async function serve(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = JSON.stringify(answer(JSON.parse(Buffer.concat(chunks).toString())));
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
}

const [keyFile, certificateFile, port = '8443'] = process.argv.slice(2);
if (keyFile === undefined || certificateFile === undefined) {
  process.stderr.write('usage: node webhook.mjs KEY_FILE CERTIFICATE_FILE [PORT]\n');
  process.exit(2);
}
const files = { key: fs.readFileSync(keyFile), cert: fs.readFileSync(certificateFile) };
const server = https.createServer(files, (request, response) => {
  serve(request, response).catch(error => response.writeHead(400).end(String(error)));
});
server.listen(Number(port), 'localhost', () => process.stdout.write(`listening on port ${server.address().port}\n`));
