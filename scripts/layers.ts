import type { IConfiguration } from 'dependency-cruiser';

/** Which folders of `src` a folder may import from, besides itself. What is not listed is forbidden. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  events: ['shared'],
  readstore: ['shared'],
  deciders: ['events', 'shared'],
  log: ['events', 'shared'],
  commands: ['deciders', 'events', 'log', 'shared'],
  projections: ['deciders', 'events', 'log', 'readstore', 'shared'],
  queries: ['deciders', 'events', 'projections', 'readstore', 'shared'],
  providers: ['readstore', 'shared'],
  webhooks: ['events', 'providers', 'readstore', 'shared'],
  audit: ['commands', 'deciders', 'events', 'log', 'projections', 'queries', 'readstore', 'shared'],
  analytics: ['audit', 'deciders', 'events', 'log', 'projections', 'queries', 'readstore', 'shared'],
  traffic: ['readstore', 'shared'],
  identity: ['commands', 'events', 'log', 'projections', 'queries', 'readstore', 'shared', 'traffic'],
  reactors: [
    'audit',
    'commands',
    'deciders',
    'events',
    'log',
    'projections',
    'providers',
    'queries',
    'readstore',
    'shared',
    'webhooks',
  ],
  http: [
    'identity',
    'traffic',
    'analytics',
    'audit',
    'commands',
    'deciders',
    'events',
    'log',
    'projections',
    'providers',
    'queries',
    'readstore',
    'shared',
    'webhooks',
  ],
  wiring: [
    'analytics',
    'audit',
    'commands',
    'config',
    'deciders',
    'events',
    'http',
    'identity',
    'log',
    'logger',
    'projections',
    'providers',
    'queries',
    'reactors',
    'readstore',
    'shared',
    'traffic',
    'webhooks',
  ],
};

/** A package that only one folder may import. */
const ONLY_IN: readonly (readonly [packageName: string, folder: string])[] = [
  ['@eventstore/db-client', 'src/log/eventstoredb'],
  ['mongodb', 'src/readstore/mongodb'],
  ['hono', 'src/http'],
  ['@hono', 'src/http'],
  ['saxes', 'src/providers/statement-files'],
];

/** Only the wiring chooses adapters; no other folder imports them. */
const ADAPTERS = '^src/(log|readstore)/(embedded|eventstoredb|mongodb)/';

export const layers: IConfiguration = {
  forbidden: [
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    { name: 'resolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    ...Object.entries(MAY_IMPORT).map(([folder, others]) => ({
      name: `${folder}-imports`,
      severity: 'error' as const,
      from: { path: `^src/${folder}/` },
      to: { path: '^src/', pathNot: `^src/(${[folder, ...others].join('|')})(/|\\.ts$)` },
    })),
    ...ONLY_IN.map(([packageName, folder]) => ({
      name: `${packageName.replaceAll('/', '-')}-only-in-its-folder`,
      severity: 'error' as const,
      from: { path: '^src/', pathNot: `^${folder}/` },
      to: { path: `node_modules/${packageName}/` },
    })),
    {
      name: 'adapters-only-from-the-wiring',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/wiring/|${ADAPTERS}` },
      to: { path: ADAPTERS },
    },
    { name: 'pure-deciders', severity: 'error', from: { path: '^src/deciders/' }, to: { dependencyTypes: ['core'] } },
    {
      name: 'source-knows-no-test',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(tests|bench|cli|scripts|sdk|console)/' },
    },
    // It is published by itself and also runs in browsers: no package, no module of Node, nothing of the service.
    { name: 'client-stands-alone', severity: 'error', from: { path: '^sdk/src/' }, to: { pathNot: '^sdk/src/' } },
    // It calls the service as any other client does, and runs in browsers: nothing of the service, no module of Node.
    {
      name: 'console-calls-through-the-client',
      severity: 'error',
      from: { path: '^console/src/' },
      to: { pathNot: '^(console/src/|sdk/src/|node_modules/(preact|@preact|uplot|vite|canonicalize)/)' },
    },
    // What two pages share is a part; a page that is changed or removed breaks no other.
    {
      name: 'pages-know-no-other-page',
      severity: 'error',
      from: { path: '^console/src/pages/([^/]+)/' },
      to: { path: '^console/src/pages/', pathNot: '^console/src/pages/$1/' },
    },
    // It needs no session and shows the document only; the console does not load it.
    {
      name: 'reference-beside-the-console',
      severity: 'error',
      from: { path: '^console/src/reference/' },
      to: {
        path: '^(console|sdk)/src/',
        pathNot: '^console/src/(reference|parts|styles)/|^console/src/session/theme\\.ts$',
      },
    },
    {
      name: 'console-knows-no-reference',
      severity: 'error',
      from: { path: '^console/src/', pathNot: '^console/src/reference/' },
      to: { path: '^console/src/reference/' },
    },
    {
      name: 'parts-know-no-page',
      severity: 'error',
      from: { path: '^console/src/(parts|api|session|format|words)/' },
      to: { path: '^console/src/(pages/|pages\\.ts|app\\.tsx)' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};

export const folders: readonly string[] = Object.keys(MAY_IMPORT);
