/** Requests of clients cannot stall the server: bodies in all formats, patches, queries, headers, connections, credentials, expressions. */
import { playRows } from './play-rows.js';
import { rowsOfClients } from './rows/all.js';

playRows(rowsOfClients);
