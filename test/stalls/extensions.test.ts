/** Extensions and propagated objects cannot stall the server: definitions, webhooks, policies, overrides, and responses of members. */
import { playRows } from './play-rows.js';
import { rowsOfExtensions } from './rows/all.js';

playRows(rowsOfExtensions);
