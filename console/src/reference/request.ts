import type { Entry, Parameter } from './document.ts';

export type Credentials = { readonly key: string; readonly secret: string; readonly token: string };

/** What a person filled in: values by `fieldOf`; a field that is empty is not sent. */
export type Filled = {
  readonly values: Readonly<Record<string, string>>;
  readonly body: string;
  readonly accept: string;
};

type Header = readonly [name: string, value: string];
export type Prepared = {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: readonly Header[];
  /** Those of the credentials, which are shown as variables of the shell. */
  readonly authorization: readonly Header[];
  readonly body: string | null;
  /** Path parameters without a value: without them there is no address. */
  readonly missing: readonly string[];
};

export const NOTHING: Filled = { values: {}, body: '', accept: '' };

/** What a parameter's value is filed under. */
export function fieldOf({ in: place, name }: Parameter): string {
  return `${place} ${name}`;
}

/** Which of the credentials the operation takes; `none` where it needs none, `lacking` where those given do not fit. */
export function credentialFor(entry: Entry, { key, secret, token }: Credentials): 'key' | 'token' | 'none' | 'lacking' {
  const schemes = entry.security ?? [];
  if (schemes.length === 0) return 'none';
  if (key !== '' && secret !== '' && schemes.some((one) => 'apiKey' in one)) return 'key';
  return token !== '' && schemes.some((one) => 'bearer' in one) ? 'token' : 'lacking';
}

/** The request of exactly what was filled in. */
export function prepare(entry: Entry, { values, body, accept }: Filled, credentials: Credentials): Prepared {
  const missing: string[] = [];
  const query: string[] = [];
  const headers: Header[] = [];
  let path = entry.path;
  for (const parameter of entry.parameters ?? []) {
    const value = values[fieldOf(parameter)] ?? '';
    const { in: place, name } = parameter;
    if (place === 'path') {
      if (value === '') missing.push(name);
      path = path.replace(`{${name}}`, value === '' ? `<${name}>` : encodeURIComponent(value));
    } else if (value !== '') {
      if (place === 'query') query.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
      else headers.push([name, value]);
    }
  }
  if (accept !== '') headers.push(['accept', accept]);
  const given = body.trim() === '' ? null : body;
  if (given !== null) headers.push(['content-type', 'application/json']);
  const whole = query.length === 0 ? path : `${path}?${query.join('&')}`;
  return {
    method: entry.method,
    path: whole,
    headers,
    authorization: authorized(entry, credentials),
    body: given,
    missing,
  };
}

function authorized(entry: Entry, credentials: Credentials): Header[] {
  const { key, secret, token } = credentials;
  const kind = credentialFor(entry, credentials);
  if (kind === 'token') return [['authorization', `Bearer ${token}`]];
  if (kind !== 'key') return [];
  return [
    ['x-api-key', key],
    ['x-api-secret', secret],
  ];
}

/** An example of a request: what has to be sent, by name, and the example of the body. */
export function exampleRequest(entry: Entry): Prepared {
  const required = (entry.parameters ?? []).filter((one) => one.required && one.in !== 'path');
  const values = Object.fromEntries(required.map((one) => [fieldOf(one), `<${one.name}>`]));
  const takesKey = entry.security?.some((one) => 'apiKey' in one) ?? false;
  return prepare(
    entry,
    { values, body: exampleBody(entry), accept: '' },
    {
      key: takesKey ? 'key' : '',
      secret: takesKey ? 'secret' : '',
      token: takesKey ? '' : 'token',
    },
  );
}

/** Empty where the operation takes no body, or the document has no example of it. */
export function exampleBody(entry: Entry): string {
  const example = entry.requestBody?.content['application/json']?.example;
  return example === undefined ? '' : JSON.stringify(example, null, 2);
}

/** The names that the command line and the guides use. */
const VARIABLES: Readonly<Record<string, string>> = {
  'x-api-key': '$BANK_API_KEY',
  'x-api-secret': '$BANK_API_SECRET',
  authorization: 'Bearer $BANK_ACCESS_TOKEN',
};

/** A command for a POSIX shell. Credentials are variables in it, so that it can be shown and shared. */
export function curlOf({ method, path, headers, authorization, body }: Prepared, origin: string): string {
  const parts = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(origin + path)}`,
    ...authorization.map(([name]) => `-H "${name}: ${VARIABLES[name]}"`),
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`--data-raw ${quoted(body)}`]),
  ];
  return parts.join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
