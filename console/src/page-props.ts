export type PageProps = {
  /** What follows the page's own name in the address: of `/console/rules/7` it is `['7']`. */
  readonly rest: readonly string[];
};
