/**
 * The collections that every installation has, one line each: `export { contacts } from "./Contacts.ts"`. The table of one, the API
 * with its documents, the command line and the access matrix follow, and the suites test it with its example. The first line takes
 * the place of what stands below.
 */
// oxlint-disable-next-line unicorn/require-module-specifiers -- no collection is bundled yet
export {}
