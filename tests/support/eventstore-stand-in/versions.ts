/** The server versions that the stand-in can imitate, oldest first. */
export const SERVER_VERSIONS = ['21.10', '22.6', '24.6'] as const;
export type ServerVersion = (typeof SERVER_VERSIONS)[number];

/** How server versions differ, as recorded from real servers. */
export type Manner = {
  /** From 22.6 on an event that is read from its stream includes its position in the log. */
  readonly sendsStreamPositions: boolean;
  /**
   * From 23.10 on a subscription is notified when it has caught up and when it has fallen behind; with a filter, a
   * checkpoint precedes the former. Older servers send nothing, and drop a subscriber that falls behind.
   */
  readonly sendsCaughtUp: boolean;
  /**
   * Older servers continue counting towards the next checkpoint when a subscription becomes live; newer ones restart
   * the count.
   */
  readonly keepsCountWhenLive: boolean;
};

export function mannerOf(version: ServerVersion): Manner {
  const newest = version === '24.6';
  return { sendsStreamPositions: version !== '21.10', sendsCaughtUp: newest, keepsCountWhenLive: !newest };
}

/** @throws RangeError for any other version */
export function serverVersion(text: string): ServerVersion {
  const version = SERVER_VERSIONS.find((known) => known === text);
  if (version === undefined) throw new RangeError(`the stand-in is one of ${SERVER_VERSIONS.join(', ')}, not ${text}`);
  return version;
}

/** The version for tests that name none; the newest by default. */
export function defaultVersion(): ServerVersion {
  return serverVersion(process.env.STAND_IN_VERSION ?? '24.6');
}
