import type { IConfiguration } from 'dependency-cruiser';

/** Which rooms a room may look into, itself always. What is not listed is forbidden. */
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
  ],
};

/** A package that only one room may know. */
const ONLY_IN: readonly (readonly [packageName: string, room: string])[] = [
  ['@eventstore/db-client', 'src/log/eventstoredb'],
  ['mongodb', 'src/readstore/mongodb'],
  ['hono', 'src/http'],
  ['@hono', 'src/http'],
  ['fast-xml-parser', 'src/providers/statement-files'],
];

/** Adapters are chosen in the wiring and known to nobody else. */
const ADAPTERS = '^src/(log|readstore)/(embedded|eventstoredb|mongodb)/';

export const layers: IConfiguration = {
  forbidden: [
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'resolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    ...Object.entries(MAY_IMPORT).map(([room, others]) => ({
      name: `${room}-imports`,
      severity: 'error' as const,
      from: { path: `^src/${room}/` },
      to: { path: '^src/', pathNot: `^src/(${[room, ...others].join('|')})/` },
    })),
    ...ONLY_IN.map(([packageName, room]) => ({
      name: `${packageName.replaceAll('/', '-')}-only-in-its-room`,
      severity: 'error' as const,
      from: { path: '^src/', pathNot: `^${room}/` },
      to: { path: `node_modules/${packageName}/` },
    })),
    {
      name: 'adapters-only-from-the-wiring',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/service\\.ts$|${ADAPTERS}` },
      to: { path: ADAPTERS },
    },
    { name: 'pure-deciders', severity: 'error', from: { path: '^src/deciders/' }, to: { dependencyTypes: ['core'] } },
    {
      name: 'source-knows-no-test',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(tests|bench|cli|scripts)/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};

export const rooms: readonly string[] = Object.keys(MAY_IMPORT);
