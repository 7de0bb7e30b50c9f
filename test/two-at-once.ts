/**
 * Imported by a suite before its tests: two of its top-level tests run at the same time. That is for tests that mostly wait, for leases, thresholds
 * or an idle process, and share nothing. tap prints each test when it has ended, in the usual order.
 */
import t from 'tap';

t.jobs = 2;
