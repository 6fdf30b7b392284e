import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts';

const KEY = Buffer.alloc(32, 1).toString('base64');
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

const faultsOf = (environment: Record<string, string>): readonly string[] => {
  const read = readConfig(environment);
  return read.ok ? [] : read.faults;
};

describe('the configuration', () => {
  it('needs no settings on a laptop', () => {
    const read = readConfig({});
    expect(read).toMatchObject({
      ok: true,
      config: { host: '127.0.0.1', port: 3000, dataDir: './data', role: 'all', statementsDir: './data/statements' },
    });
  });

  it('names every fault at once, and no value', () => {
    const faults = faultsOf({
      PORT: '99999',
      ROLE: 'boss',
      TOKEN_KEY: 'planted-short',
      METRICS_TOKEN: 'planted',
      LOG_LEVEL: 'loud',
    });
    const names = faults.map((fault) => fault.split(':')[0]).sort();
    expect(names).toEqual(['LOG_LEVEL', 'METRICS_TOKEN', 'PORT', 'ROLE', 'TOKEN_KEY']);
    expect(faults.join()).not.toContain('planted');
  });

  it('limits requests by default, and refuses a short operator token', () => {
    const limits = { requestsPerMinute: 600, authFailuresPerMinute: 30, trustedProxies: 0, operatorToken: null };
    expect(readConfig({})).toMatchObject({ config: limits });
    const given = { RATE_LIMIT_PER_MINUTE: '1000', AUTH_FAILURES_PER_MINUTE: '5', TRUST_PROXY: '2' };
    const config = { requestsPerMinute: 1000, authFailuresPerMinute: 5, trustedProxies: 2 };
    expect(readConfig(given)).toMatchObject({ config });
    for (const [name, value] of [
      ['RATE_LIMIT_PER_MINUTE', '0'],
      ['AUTH_FAILURES_PER_MINUTE', '-1'],
      ['TRUST_PROXY', 'yes'],
      ['OPERATOR_TOKEN', 'x'.repeat(31)],
    ] as const) {
      expect(faultsOf({ [name]: value }).map((fault) => fault.split(':')[0])).toEqual([name]);
    }
  });

  it('asks for keys with outside stores, and for outside stores with roles', () => {
    const outside = { EVENTSTORE_URL: 'esdb://localhost', MONGODB_URL: 'mongodb://localhost/bank' };
    expect(faultsOf(outside)).toHaveLength(2);
    expect(faultsOf({ ...outside, ENCRYPTION_KEY: KEY, TOKEN_KEY: KEY, ROLE: 'api' })).toEqual([]);
    expect(faultsOf({ ROLE: 'worker' })).toHaveLength(1);
    expect(faultsOf({ BOOTSTRAP_API_KEY: 'key-12345' })).toHaveLength(1);
    expect(
      faultsOf({ ...outside, EVENTSTORE_URL: 'http://localhost', ENCRYPTION_KEY: KEY, TOKEN_KEY: KEY }),
    ).toHaveLength(1);
  });

  it('accepts a provider for signing in only with all its settings and an outside issuer', () => {
    const issuer = {
      OIDC_ISSUER: 'https://issuer.example.com',
      OIDC_JWKS_URL: 'https://issuer.example.com/keys',
      OIDC_AUDIENCE: 'bank',
    };
    const provider = {
      OIDC_AUTHORIZATION_URL: 'https://issuer.example.com/authorize',
      OIDC_TOKEN_URL: 'https://issuer.example.com/token',
      OIDC_CLIENT_ID: 'console',
    };
    expect(faultsOf({ ...issuer, ...provider })).toEqual([]);
    expect(faultsOf({ ...issuer, ...provider, OIDC_CLIENT_SECRET: 'secret' })).toEqual([]);
    expect(faultsOf(provider)).toHaveLength(1);
    expect(faultsOf({ ...issuer, OIDC_CLIENT_SECRET: 'secret' })).toHaveLength(1);
    for (const name of Object.keys(provider)) {
      expect(faultsOf({ ...issuer, ...provider, [name]: '' }), name).toHaveLength(1);
    }
    expect(faultsOf({ ...issuer, ...provider, OIDC_TOKEN_URL: 'http://issuer.example.com/token' })).toHaveLength(1);
  });

  it('takes origins as browsers state them, and nothing wider', () => {
    expect(faultsOf({ CORS_ORIGINS: 'https://app.example.com, http://localhost:5173' })).toEqual([]);
    for (const CORS_ORIGINS of ['*', 'app.example.com', 'https://app.example.com/', 'https://*.example.com', 'null']) {
      expect(faultsOf({ CORS_ORIGINS }), CORS_ORIGINS).toHaveLength(1);
    }
  });

  it('accepts an outside issuer only with all its settings, and its keys only over https or from this machine', () => {
    const whole = {
      OIDC_ISSUER: 'https://issuer.example.com',
      OIDC_JWKS_URL: 'https://issuer.example.com/keys',
      OIDC_AUDIENCE: 'bank',
    };
    expect(readConfig(whole)).toMatchObject({
      config: {
        outsideIssuer: { issuer: whole.OIDC_ISSUER, jwksUrl: whole.OIDC_JWKS_URL, audience: whole.OIDC_AUDIENCE },
      },
    });
    for (const name of Object.keys(whole)) expect(faultsOf({ ...whole, [name]: '' })).toHaveLength(1);
    for (const OIDC_JWKS_URL of ['http://issuer.example.com/keys', 'http://localhost.example.com/', 'https://']) {
      expect(faultsOf({ ...whole, OIDC_JWKS_URL })).toHaveLength(1);
    }
    expect(faultsOf({ ...whole, OIDC_JWKS_URL: 'http://localhost:8080/keys' })).toEqual([]);
  });

  it('lets credentials read for 5 minutes without the log, for as long as is set, or not at all', () => {
    expect(readConfig({})).toMatchObject({ config: { readWithoutLogSeconds: 300 } });
    expect(readConfig({ READ_WITHOUT_LOG_SECONDS: '0' })).toMatchObject({ config: { readWithoutLogSeconds: 0 } });
    for (const READ_WITHOUT_LOG_SECONDS of ['-1', '86401', 'off']) {
      expect(faultsOf({ READ_WITHOUT_LOG_SECONDS })).toHaveLength(1);
    }
  });

  it('treats an empty variable as unset', () => {
    expect(faultsOf({ ROLE: '', ENCRYPTION_KEY: '' })).toEqual([]);
  });
});

describe('a start that is refused', () => {
  it.each([
    [{ PORT: 'x', ROLE: 'y' }, 2],
    [{ EVENTSTORE_URL: 'esdb://:::planted', ENCRYPTION_KEY: KEY, TOKEN_KEY: KEY }, 1],
    [{ MONGODB_URL: 'mongodb://', ENCRYPTION_KEY: KEY, TOKEN_KEY: KEY }, 1],
  ])('%j says one line for each fault and ends with 78', (environment, lines) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'bank-config-'));
    const { status, stderr } = spawnSync(process.execPath, [MAIN], {
      env: { ...CHILD_ENVIRONMENT, DATA_DIR: dataDir, ...environment },
      encoding: 'utf8',
    });
    rmSync(dataDir, { recursive: true, force: true });
    expect([status, stderr.trim().split('\n').length]).toEqual([78, lines]);
    expect(stderr).not.toContain('planted');
  });
});

describe('the demo bank', () => {
  const keys = { ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'), TOKEN_KEY: Buffer.alloc(32).toString('base64') };
  const demoBank = (environment: Record<string, string>) => {
    const read = readConfig(environment);
    return read.ok ? read.config.demoBank : read.faults;
  };

  it.each([
    [{}, true],
    [{ DEMO_BANK: 'off' }, false],
    [{ ...keys, EVENTSTORE_URL: 'esdb://localhost' }, false],
    [{ ...keys, MONGODB_URL: 'mongodb://localhost/bank' }, false],
    [{ ...keys, MONGODB_URL: 'mongodb://localhost/bank', DEMO_BANK: 'on' }, true],
  ])('of the environment %j is in the catalogue: %j', (environment, expected) => {
    expect(demoBank(environment as Record<string, string>)).toBe(expected);
  });

  it('is on or off, and nothing else', () => {
    expect(demoBank({ DEMO_BANK: 'yes' })).toEqual([expect.stringContaining('DEMO_BANK')]);
  });
});
