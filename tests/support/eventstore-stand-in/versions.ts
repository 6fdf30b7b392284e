/** The servers the stand-in can be, oldest first. */
export const SERVER_VERSIONS = ['21.10', '22.6', '24.6'] as const;
export type ServerVersion = (typeof SERVER_VERSIONS)[number];

/** What servers of different ages do differently, as recorded from real ones. */
export type Manner = {
  /** From 22.6 on an event that is read from its stream has its position in the log. */
  readonly tellsStreamPositions: boolean;
  /**
   * From 23.10 on a subscription is told that it has caught up, and that it has fallen behind; before the former comes
   * a checkpoint where it has a filter. Older servers are silent, and drop a subscriber that falls behind.
   */
  readonly tellsCaughtUp: boolean;
  /** Older servers go on counting towards the next checkpoint when a subscription goes live; newer ones begin anew. */
  readonly countsOnWhenLive: boolean;
};

export function mannerOf(version: ServerVersion): Manner {
  const newest = version === '24.6';
  return { tellsStreamPositions: version !== '21.10', tellsCaughtUp: newest, countsOnWhenLive: !newest };
}

/** @throws RangeError for a version that is none of them */
export function serverVersion(text: string): ServerVersion {
  const version = SERVER_VERSIONS.find((known) => known === text);
  if (version === undefined) throw new RangeError(`the stand-in is one of ${SERVER_VERSIONS.join(', ')}, not ${text}`);
  return version;
}

/** The version for tests that name none; the newest by default. */
export function defaultVersion(): ServerVersion {
  return serverVersion(process.env.STAND_IN_VERSION ?? '24.6');
}
