const NAMES = ['PATH', 'NODE_COMPILE_CACHE'];

/** Of the test's own environment, what a process needs that it starts: nothing that configures the service. */
export const CHILD_ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  NAMES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  }),
);
