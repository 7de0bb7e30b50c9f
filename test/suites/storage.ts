import '../storage/timeline/key-map.test.js';
import '../storage/embedded/recovery.test.js';
import '../storage/embedded/model.test.js';
import '../storage/embedded/lock.test.js';
import '../storage/embedded/disk.test.js';
import '../storage/cache/cache.test.js';
import '../storage/conformance.test.js';
import '../storage/crash/crash.test.js';
