import type { Decimal } from '../shared/money.ts';

export type Environment = 'demo' | 'production';

/** JSON Schema of one mode's credentials: flat objects of strings and numbers only. */
export type CredentialField = {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'object';
  readonly required: boolean;
  readonly secret: boolean;
  readonly description: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
};

export type BankDescription = {
  readonly bankCode: string;
  readonly name: string;
  /** ISO 3166-1 alpha-2, null for a bank of no one country. */
  readonly country: string | null;
  readonly environments: readonly Environment[];
  readonly credentials: Readonly<Partial<Record<Environment, readonly CredentialField[]>>>;
  readonly limits: {
    /** Longest span one request may ask for, in days; null: any, and a sync always asks for everything there is. */
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
  /** Told apart from equal content by more than its ordinal (a stated running balance); null when there is nothing. */
  readonly discriminator: string | null;
  /**
   * Of a bank without ids that states its rows in several ways: what is known of the row besides its content; see ADR
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
   * The payments that a row of a group consists of, where the bank lists them apart: they add up to it, and are
   * recorded in its place unless it is recorded already. See ADR 0025.
   */
  readonly details?: readonly Omit<ProviderTransaction, 'group' | 'details'>[];
};

/** What parties and banks call a payment; each only where it is stated. */
export type RowReferences = {
  readonly endToEndId?: string;
  readonly mandateId?: string;
  readonly creditorId?: string;
  readonly customerReference?: string;
  readonly bankReference?: string;
};

/** Rows of one account and day with the same amount and direction: what no bank changes when it lists them again. */
export type RowGroup = {
  /** Unique within the bank (`bankCode`). */
  readonly key: string;
  /** How many rows the bank is known to have in the group. */
  readonly size: number;
  /** Which of them this one is, from 0: the same in each listing that holds it. */
  readonly index: number;
  /** The day under which an earlier version of this service booked the row, where it is another one. */
  readonly formerDay: string | null;
};

/** Balances a bank states for a span of days of one account; opening + movements = closing when nothing is missing. */
export type StatedBalances = {
  readonly fromDay: string;
  readonly toDay: string;
  readonly opening: Decimal;
  readonly closing: Decimal;
  /** Sum of the signed amounts in between. */
  readonly net: Decimal;
};

/**
 * Something of the source that could not be read, while the rest could; or, as a note, that could be read only with
 * some licence.
 */
export type SourceFault = {
  readonly code: string;
  readonly message: string;
  readonly source: string;
  readonly place: string | null;
};

export type ProviderPage = {
  /**
   * Equal rows without an id are told apart by their ordinal within this listing and day (a bank's API: the account's
   * window; a statement: that statement), so the same listing asked again gives the same stamps.
   */
  readonly listings: readonly { readonly listing: string; readonly rows: readonly ProviderTransaction[] }[];
  /** Provider ids of rows the bank has withdrawn. */
  readonly withdrawn: readonly string[];
  readonly statedBalances: readonly StatedBalances[];
  readonly faults: readonly SourceFault[];
  /** What was read although it is not as it should be; the sync succeeds all the same. */
  readonly notes?: readonly SourceFault[];
  /** Rows that the bank still has and that are left out, since an earlier sync of the connection recorded them. */
  readonly unchanged?: number;
  /** Null on the last page. */
  readonly nextCursor: string | null;
  /** To be called once what the page lists is recorded: the provider may leave it out from then on. */
  readonly recorded?: () => void;
};

/**
 * One request and its answer as they went between us and the bank, secrets included; what is kept of it is masked
 * first.
 */
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
  /** To be called once before each request sent to the bank, a repeated one included. */
  readonly countRequest: () => void;
  /** To be called once after each request that was counted, before its answer is used or its failure thrown. */
  readonly exchanged: (exchange: Exchange) => void;
};

export type PageRequest = {
  readonly account: ProviderAccount;
  /** UTC days `YYYY-MM-DD`, half open. */
  readonly fromDay: string;
  readonly toDay: string;
  readonly cursor: string | null;
};

/** What a file of a bank would bring, read without recording anything. */
export type DryRun = {
  readonly file: string;
  /** Null for a file of no known kind. */
  readonly format: string | null;
  /** The encoding that its text is read in; null where the file has to be read whole to know it. */
  readonly charset: string | null;
  readonly accounts: readonly ProviderAccount[];
  /** How many rows the file holds in all. */
  readonly rowCount: number;
  /** The first ones, each with the `providerAccountId` of its account. */
  readonly rows: readonly (ProviderTransaction & { readonly providerAccountId: string })[];
  readonly refused: readonly SourceFault[];
  readonly notes: readonly SourceFault[];
};

/** One bank behind the one interface. Every method may throw ProviderError; nothing else is expected. */
export interface BankProvider {
  readonly description: BankDescription;
  /** How long a call may take where that is longer than any bank's. */
  readonly longestCallMs?: number;
  discoverAccounts(
    session: ProviderSession,
  ): Promise<{ accounts: ProviderAccount[]; faults: SourceFault[]; notes?: readonly SourceFault[] }>;
  /** Whether a company may use these credentials, before they are stored; absent where the bank itself decides. */
  checkAccess?(asked: Pick<ProviderSession, 'tenantId' | 'companyId' | 'credentials'>): Promise<void>;
  fetchPage(session: ProviderSession, request: PageRequest): Promise<ProviderPage>;
  /**
   * Of a bank that delivers files: what one of them would bring, the newest where none is named. The error's code is
   * `STATEMENT_FILE_NOT_FOUND` when it is not there, `STATEMENT_FILE_BEING_WRITTEN` when it is not whole yet.
   */
  dryRun?(session: ProviderSession, file: string | null): Promise<DryRun>;
}

/**
 * `transient`: worth another try. `rate-limited`: the bank asks to wait (`retryAfterMs`). `credentials-rejected`: an
 * explicit refusal. `permanent`: trying again will not help until somebody acts.
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
