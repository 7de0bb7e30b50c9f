import '../rules/imports.test.js';
