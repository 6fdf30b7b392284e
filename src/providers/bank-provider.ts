import type { Decimal } from '../shared/money.ts';
import type { CredentialsDeclaration } from './credentials.ts';

export type Environment = 'demo' | 'production';

export type BankDescription = {
  readonly bankCode: string;
  readonly name: string;
  /** ISO 3166-1 alpha-2; null for a bank that belongs to no single country. */
  readonly country: string | null;
  readonly environments: readonly Environment[];
  readonly credentials: Readonly<Partial<Record<Environment, CredentialsDeclaration>>>;
  readonly limits: {
    /** The longest span of one request, in days; null: unlimited, and a sync always requests everything. */
    readonly windowDays: number | null;
    readonly pageSize: number;
    /** Syncs a connection may start in a UTC day; null: any number. */
    readonly syncsPerDay: number | null;
  };
};

/**
 * A physical account as the bank names it. `providerAccountId` is stable over time; the currency belongs to the
 * account.
 */
export type ProviderAccount = {
  readonly providerAccountId: string;
  readonly currency: string;
  /** Null when the bank states none. */
  readonly balance: Decimal | null;
  readonly availableBalance: Decimal | null;
  readonly blockedBalance: Decimal | null;
  readonly customerNo: string | null;
  readonly accountNo: string | null;
  readonly iban: string | null;
  readonly accountType: string | null;
  readonly accountName: string | null;
  readonly branchId: string | null;
  readonly branchName: string | null;
  readonly openingDate: string | null;
  readonly lastTransactionDate: string | null;
};

export type ProviderTransaction = {
  /**
   * The bank's own id; null or blank when it gives none. Unique within the bank (`bankCode`), not only within the
   * account.
   */
  readonly providerId: string | null;
  /**
   * Distinguishes rows of equal content better than their ordinal does (a stated running balance); null without one.
   */
  readonly discriminator: string | null;
  /**
   * For a bank without ids that states its rows in several ways: what is known of the row besides its content; see ADR
   * 0026.
   */
  readonly group?: RowGroup;
  /** ISO 8601 UTC with milliseconds; the booking date at 00:00Z when the bank gives a day only. */
  readonly transactionDate: string;
  readonly amount: Decimal;
  readonly incoming: boolean;
  /** The account's balance after the row; null when the bank states none. */
  readonly balance: Decimal | null;
  readonly currency: string;
  readonly description: string | null;
  readonly nameSurname: string | null;
  readonly iban: string | null;
  /** Counterparty's tax or identity number, "" when unknown. */
  readonly idNo: string;
  readonly code: string | null;
  /** True when the counterparty was inferred, not stated. */
  readonly findAI: boolean;
  readonly references?: RowReferences;
  /**
   * The single payments of a batch, where the bank lists them separately: they add up to the row and are recorded in
   * its place unless the row is recorded already. See ADR 0025.
   */
  readonly details?: readonly Omit<ProviderTransaction, 'group' | 'details'>[];
};

/** The references that the parties and the banks give a payment; each only if stated. */
export type RowReferences = {
  readonly endToEndId?: string;
  readonly mandateId?: string;
  readonly creditorId?: string;
  readonly customerReference?: string;
  readonly bankReference?: string;
};

/** Rows of one account and day with the same amount and direction, which no bank changes when it lists a row again. */
export type RowGroup = {
  /** Unique within the bank (`bankCode`). */
  readonly key: string;
  /** How many rows the bank is known to have in the group. */
  readonly size: number;
  /** The index of this row among them, from 0: the same in every listing that holds it. */
  readonly index: number;
  /** The day under which an earlier version of this service booked the row, if it is another day. */
  readonly formerDay: string | null;
};

/** Balances a bank states for a span of days of one account; opening + movements = closing when nothing is missing. */
export type StatedBalances = {
  readonly fromDay: string;
  readonly toDay: string;
  readonly opening: Decimal;
  readonly closing: Decimal;
  /** The sum of the signed amounts between opening and closing. */
  readonly net: Decimal;
};

/**
 * A part of the source that could not be read although the rest could; as a note, a part that was read although it
 * breaks a rule.
 */
export type SourceFault = {
  readonly code: string;
  readonly message: string;
  readonly source: string;
  readonly place: string | null;
};

export type ProviderPage = {
  /**
   * Equal rows without an id are distinguished by their ordinal within their listing and day (of a bank with an API:
   * the window of the account; of a statement: that statement), so the same listing gives the same stamps when it is
   * fetched again.
   */
  readonly listings: readonly { readonly listing: string; readonly rows: readonly ProviderTransaction[] }[];
  /** Provider ids of rows the bank has withdrawn. */
  readonly withdrawn: readonly string[];
  readonly statedBalances: readonly StatedBalances[];
  readonly faults: readonly SourceFault[];
  /** What was read although it breaks a rule; the sync succeeds nevertheless. */
  readonly notes?: readonly SourceFault[];
  /** Rows that the bank still has and that are left out, since an earlier sync of the connection recorded them. */
  readonly unchanged?: number;
  /** Null on the last page. */
  readonly nextCursor: string | null;
  /** To be called once what the page lists is recorded: the provider may leave it out from then on. */
  readonly recorded?: () => void;
};

/** A request to the bank and its answer as they were sent, secrets included; they are masked before they are stored. */
export type Exchange = {
  readonly method: string;
  readonly url: string;
  readonly request: ExchangeMessage;
  /** Null when the bank did not answer. */
  readonly response: (ExchangeMessage & { readonly status: number | null }) | null;
};

export type ExchangeMessage = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
};

export type ProviderSession = {
  readonly tenantId: string;
  readonly companyId: string;
  readonly connectionId: string;
  readonly environment: Environment;
  readonly credentials: Readonly<Record<string, unknown>>;
  readonly nowMs: number;
  readonly signal: AbortSignal;
  /** Must be called once before each request to the bank, repeated requests included. */
  readonly countRequest: () => void;
  /** Must be called once after each counted request, before its answer is used or its failure thrown. */
  readonly exchanged: (exchange: Exchange) => void;
};

export type PageRequest = {
  readonly account: ProviderAccount;
  /** UTC days `YYYY-MM-DD`, half open. */
  readonly fromDay: string;
  readonly toDay: string;
  readonly cursor: string | null;
};

/** What the import of a file would give, read without recording anything. */
export type DryRun = {
  readonly file: string;
  /** Null for a file of an unknown format. */
  readonly format: string | null;
  /** The encoding of its text; null if the whole file has to be read to detect it. */
  readonly charset: string | null;
  readonly accounts: readonly ProviderAccount[];
  /** How many rows the file holds in all. */
  readonly rowCount: number;
  /** The first rows, each with the `providerAccountId` of its account. */
  readonly rows: readonly (ProviderTransaction & { readonly providerAccountId: string })[];
  readonly refused: readonly SourceFault[];
  readonly notes: readonly SourceFault[];
};

/** A bank. Each method may throw ProviderError; any other error is a defect. */
export interface BankProvider {
  readonly description: BankDescription;
  /** How long a call may take, if longer than the limit for all banks. */
  readonly longestCallMs?: number;
  /** There is no bank to wait for: it reads what is here. */
  readonly isAtHand?: boolean;
  discoverAccounts(
    session: ProviderSession,
  ): Promise<{ accounts: ProviderAccount[]; faults: SourceFault[]; notes?: readonly SourceFault[] }>;
  /** Throws unless the company may use these credentials, before they are stored; absent if only the bank decides. */
  checkAccess?(asked: Pick<ProviderSession, 'tenantId' | 'companyId' | 'credentials'>): Promise<void>;
  fetchPage(session: ProviderSession, request: PageRequest): Promise<ProviderPage>;
  /**
   * For a bank that delivers files: what importing the named file, or else the newest one, would give. The error has
   * the code `STATEMENT_FILE_NOT_FOUND` if the file does not exist, `STATEMENT_FILE_BEING_WRITTEN` if it is still being
   * written.
   */
  dryRun?(session: ProviderSession, file: string | null): Promise<DryRun>;
}

/**
 * `transient`: may succeed when retried. `rate-limited`: the bank asks to wait (`retryAfterMs`).
 * `credentials-rejected`: the bank refused the credentials. `permanent`: retrying does not help until somebody acts.
 */
export type ProviderErrorKind = 'transient' | 'rate-limited' | 'credentials-rejected' | 'permanent';

/** `code` is SCREAMING_SNAKE and stable; the message never holds a credential. */
export class ProviderError extends Error {
  readonly kind: ProviderErrorKind;
  readonly code: string;
  readonly retryAfterMs: number | null;
  constructor(kind: ProviderErrorKind, code: string, message: string, retryAfterMs: number | null = null) {
    super(message);
    this.name = 'ProviderError';
    this.kind = kind;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}
