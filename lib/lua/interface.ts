/**
 * The name of the task that compiles a script, in UTF-8, and returns what is wrong with it: no bytes if it compiles. It stands apart from the task,
 * so that callers do not load the engine.
 */
export const luaSyntaxTaskName = 'lua-syntax';
