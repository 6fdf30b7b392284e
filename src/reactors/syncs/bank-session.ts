import type {
  BankProvider,
  Exchange,
  ExchangeMessage,
  ProviderErrorKind,
  ProviderSession,
} from '../../providers/bank-provider.ts';
import { ProviderError } from '../../providers/bank-provider.ts';
import type { ConnectorLog } from '../../providers/connector-logs.ts';
import { keptBody } from '../../providers/masking/kept-body.ts';
import { createMasking, type Masking } from '../../providers/masking/masking.ts';
import { secretValues } from '../../providers/masking/secret-values.ts';
import { VaultError } from '../../providers/vault.ts';
import { isoTime } from '../../shared/clock.ts';
import type { ReactorServices } from '../reactor-services.ts';
import { callProvider } from './provider-call.ts';

/** What a call requests; `page` is the page of the sync, null for the list of accounts. */
export type Asked = { readonly operation: ConnectorLog['operation']; readonly page: number | null };

/** A provider with what calls to it need, and the number of requests sent since the last query. */
export type BankSession = {
  readonly provider: BankProvider;
  readonly masking: Masking;
  /**
   * One call with its time limit. The exchange is recorded before the answer is returned or the failure thrown. @throws
   * ProviderError, its message masked; ReadStoreUnavailable; the signal's reason when the work was stopped from outside
   */
  readonly call: <Answer>(
    asked: Asked,
    signal: AbortSignal,
    send: (session: ProviderSession) => Promise<Answer>,
  ) => Promise<Answer>;
  readonly takeRequests: () => number;
};

/** The connection and what is requested. */
export type BankWork = Pick<
  ConnectorLog,
  'tenantId' | 'companyId' | 'accountId' | 'bankCode' | 'environment' | 'syncId' | 'setupId' | 'correlationId'
>;

/** A request in progress: when it was sent and, once known, what was exchanged. */
type Sent = { readonly startedMs: number; endedMs: number; exchange: Exchange | null };

/**
 * Opens the vault for one connection.
 * @throws ProviderError (permanent) when the bank is gone from the catalogue or its credentials cannot be read
 */
export async function openBankSession(services: ReactorServices, work: BankWork): Promise<BankSession> {
  const provider = services.providers.get(work.bankCode);
  if (provider === undefined)
    throw new ProviderError('permanent', 'BANK_NOT_SUPPORTED', 'the bank is not in the catalogue');
  const credentials = await readCredentials(services, work);
  const fields = provider.description.credentials[work.environment]?.jsonSchema.properties;
  const masking = createMasking(secretValues(credentials, fields));
  const { clock, connectorLogs } = services;
  let requests = 0;

  function openSession(signal: AbortSignal, sent: Sent[]): ProviderSession {
    return {
      tenantId: work.tenantId,
      companyId: work.companyId,
      connectionId: work.accountId,
      environment: work.environment,
      credentials,
      nowMs: clock.now(),
      signal,
      countRequest: () => {
        requests += 1;
        sent.push({ startedMs: clock.now(), endedMs: clock.now(), exchange: null });
      },
      exchanged: (exchange) => {
        const last = sent.at(-1);
        if (last === undefined || last.exchange !== null) return;
        last.exchange = exchange;
        last.endedMs = clock.now();
      },
    };
  }

  /** Of several requests of a call the last one has its result; the connector itself repeated those before it. */
  async function record(asked: Asked, sent: readonly Sent[], end: Pick<ConnectorLog, 'outcome' | 'error'>) {
    for (const [index, { startedMs, endedMs, exchange }] of sent.entries()) {
      const answered = index === sent.length - 1 ? end : { outcome: 'transient' as const, error: null };
      await connectorLogs.write({
        ...work,
        ...asked,
        at: isoTime(startedMs),
        durationMs: Math.max(0, endedMs - startedMs),
        ...answered,
        ...loggedExchange(masking, exchange),
      });
    }
  }

  return {
    provider,
    masking,
    async call(asked, signal, send) {
      const sent: Sent[] = [];
      let answer: Awaited<ReturnType<typeof send>>;
      try {
        const timeoutMs = Math.max(services.timing.providerTimeoutMs, provider.longestCallMs ?? 0);
        answer = await callProvider(signal, timeoutMs, (within) => send(openSession(within, sent)));
      } catch (error) {
        const failure = error instanceof ProviderError ? maskedFailure(masking, error) : error;
        const endedMs = clock.now();
        const ended = sent.map((one) => (one.exchange === null ? { ...one, endedMs } : { ...one }));
        await record(asked, ended, endOf(failure));
        throw failure;
      }
      await record(asked, sent, { outcome: 'success', error: null });
      return answer;
    },
    takeRequests: () => {
      const sent = requests;
      requests = 0;
      return sent;
    },
  };
}

/** An event must not hold a bank's whole answer. */
const LONGEST_WORDS = 4_000;

/** A code is a constant of the connector; text of another form could be anything. */
function maskedFailure(masking: Masking, { kind, code, message, retryAfterMs, cause }: ProviderError): ProviderError {
  const known = /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : 'PROVIDER_FAULT';
  const words = (text: string): string => masking.text(text).slice(0, LONGEST_WORDS);
  const masked = new ProviderError(kind, known, words(message), retryAfterMs);
  if (cause instanceof Error) masked.cause = words(cause.stack ?? cause.message);
  return masked;
}

function endOf(failure: unknown): Pick<ConnectorLog, 'outcome' | 'error'> {
  if (!(failure instanceof ProviderError)) return { outcome: 'aborted', error: null };
  const { code, message, cause } = failure;
  const inner = typeof cause === 'string' ? `\n${cause}` : '';
  return { outcome: OUTCOME_OF[failure.kind], error: { code, message: `${message}${inner}` } };
}

const OUTCOME_OF = {
  transient: 'transient',
  'rate-limited': 'rate_limited',
  'credentials-rejected': 'credentials_rejected',
  permanent: 'permanent',
} as const satisfies Record<ProviderErrorKind, ConnectorLog['outcome']>;

function loggedExchange(masking: Masking, exchange: Exchange | null) {
  if (exchange === null) return { method: null, url: null, status: null, request: null, response: null };
  const { method, url, request, response } = exchange;
  const logged = ({ headers, body }: ExchangeMessage) => ({
    headers: masking.headers(headers),
    body: keptBody(masking, body),
  });
  return {
    method,
    url: masking.text(url),
    status: response?.status ?? null,
    request: logged(request),
    response: response === null ? null : logged(response),
  };
}

async function readCredentials(
  services: ReactorServices,
  { tenantId, accountId }: { tenantId: string; accountId: string },
): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await services.vault.get(tenantId, accountId))?.fields ?? {};
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    throw new ProviderError(
      'permanent',
      'CREDENTIALS_UNREADABLE',
      'the stored credentials cannot be read; put them again',
    );
  }
}
