import '../stalls/stalls.test.js';
