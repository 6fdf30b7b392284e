/** How the files of a connection are read, as its credentials say. */
export type FileSettings = {
  /** `note`: a statement whose balances do not follow from its rows is taken all the same, and that is noted. */
  readonly balances: 'strict' | 'note';
};

export function fileSettingsOf(credentials: Readonly<Record<string, unknown>>): FileSettings {
  return { balances: credentials.balances === 'note' ? 'note' : 'strict' };
}

/** What is wrong with the settings among the credentials. */
export function settingsIssues(
  credentials: Readonly<Record<string, unknown>>,
): { path: string; code: string; message: string }[] {
  const { balances } = credentials;
  return balances === undefined || balances === 'strict' || balances === 'note'
    ? []
    : [{ path: 'balances', code: 'invalid_value', message: 'must be strict or note' }];
}
