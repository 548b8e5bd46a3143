/** What a platform binds to a program besides the process's variables: nothing, except on Workers. */
export const bindings: object = {};
