import '../storage/crash/crash.test.js';
