/** Bounds of what one statement file may hold: memory stays a small multiple of the file. */

/** Movements of one file that are kept, over all of its accounts. */
export const maxRows = 200_000

/** Accounts of one file. */
export const maxAccounts = 2_000

/** Columns of one CSV row. */
export const maxColumns = 500

/** Characters of an OFX element without others inside. */
export const maxElement = 1_048_576
