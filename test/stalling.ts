/**
 * Loaded before a suite it takes the process's time away now and then, as a busy machine does: what depends on time by chance fails.
 * STALL_MS: how long at the most.
 */
const longest = Number(process.env['STALL_MS'] ?? 500);
const share = 0.06;

setInterval(() => {
  if (Math.random() >= share) return;
  const end = performance.now() + Math.random() * longest;
  while (performance.now() < end);
}, 5).unref();
