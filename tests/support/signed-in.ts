import type { TestService } from './test-service.ts';

export type Pair = { readonly accessToken: string; readonly refreshToken: string; readonly expiresIn: number };

export type Credentials = { readonly email: string; readonly password: string };

/** The admin that the service created at its first start. */
export function firstAdmin(api: TestService): Credentials {
  const { admin } = api.service.bootstrapped ?? {};
  if (admin === undefined) throw new Error('the service was started before');
  return admin;
}

export async function signIn(api: TestService, person: Credentials = firstAdmin(api)): Promise<Pair> {
  const { email, password } = person;
  const answer = await api.call<Pair>('POST', '/auth/login', { email, password });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body.result;
}

/** Headers for a call as that person instead of by the key. */
export function bearer(token: string): Record<string, string | undefined> {
  return { authorization: `Bearer ${token}`, 'x-api-key': undefined, 'x-api-secret': undefined };
}
