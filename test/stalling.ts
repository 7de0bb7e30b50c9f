/**
 * If it is loaded before a suite, it blocks the event loop at random, as a busy machine does, so that tests fail that depend on time. STALL_MS is
 * the maximum of one stall in milliseconds.
 */
const longest = Number(process.env['STALL_MS'] ?? 500);
const share = 0.06;

setInterval(() => {
  if (Math.random() >= share) return;
  const end = performance.now() + Math.random() * longest;
  while (performance.now() < end);
}, 5).unref();
