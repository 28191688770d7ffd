/** The OFX elements that the reader knows, and a lookup that needs no string for a tag. */

/** Aggregates come first: everything below `firstLeaf` has children. */
const aggregates = [
  "OFX",
  "STATUS",
  "STMTRS",
  "CCSTMTRS",
  "INVSTMTRS",
  "LOANSTMTRS",
  "BANKACCTFROM",
  "CCACCTFROM",
  "INVACCTFROM",
  "BANKACCTTO",
  "CCACCTTO",
  "BANKTRANLIST",
  "BANKTRANLISTP",
  "INVTRANLIST",
  "STMTTRN",
  "STMTTRNP",
  "PAYEE",
  "CURRENCY",
  "ORIGCURRENCY",
  "LEDGERBAL",
  "AVAILBAL",
  "BALLIST",
  "BAL",
  "INVBAL",
  "INVBANKTRAN",
  "BUYDEBT",
  "BUYMF",
  "BUYOPT",
  "BUYOTHER",
  "BUYSTOCK",
  "SELLDEBT",
  "SELLMF",
  "SELLOPT",
  "SELLOTHER",
  "SELLSTOCK",
  "INCOME",
  "INVEXPENSE",
  "RETOFCAP",
  "MARGININTEREST",
  "REINVEST",
  "TRANSFER",
  "SPLIT",
  "JRNLFUND",
  "JRNLSEC",
  "CLOSUREOPT",
  "INVBUY",
  "INVSELL",
  "INVTRAN",
  "SECID",
  "SECINFO"
] as const

const leaves = [
  "CODE",
  "SEVERITY",
  "MESSAGE",
  "CURDEF",
  "BANKID",
  "BRANCHID",
  "BROKERID",
  "ACCTID",
  "ACCTTYPE",
  "DTSTART",
  "DTEND",
  "DTASOF",
  "TRNTYPE",
  "DTPOSTED",
  "DTUSER",
  "DTTRAN",
  "DTTRADE",
  "TRNAMT",
  "TOTAL",
  "FITID",
  "CHECKNUM",
  "REFNUM",
  "NAME",
  "MEMO",
  "CURSYM",
  "BALAMT",
  "AVAILCASH",
  "BALTYPE",
  "VALUE",
  "INCOMETYPE",
  "UNIQUEID",
  "SECNAME"
] as const

export type TagName = (typeof aggregates)[number] | (typeof leaves)[number]

/** Names by number; number 0 stands for every element that is not known. */
export const tagNames: ReadonlyArray<string> = ["", ...aggregates, ...leaves]

export const Tag = Object.fromEntries(tagNames.map((name, index) => [name, index])) as Readonly<Record<TagName, number>>

export const firstLeaf = 1 + aggregates.length

/** Upper-case code of a character that may stand in a tag name, 0 of any other. */
export const nameCodes = new Uint8Array(128)
for (let c = 0; c < 128; c++) {
  const upper = c >= 97 && c <= 122 ? c - 32 : c
  if ((upper >= 65 && upper <= 90) || (c >= 48 && c <= 58) || c === 46 || c === 45 || c === 95) nameCodes[c] = upper
}

export const nextHash = (hash: number, code: number): number => (Math.imul(hash, 31) + code) | 0

const tableSize = 1024
const tableHashes = new Int32Array(tableSize)
const tableTags = new Uint8Array(tableSize)

const slotOf = (hash: number): number => (hash ^ (hash >>> 10) ^ (hash >>> 20)) & (tableSize - 1)

for (let tag = 1; tag < tagNames.length; tag++) {
  let hash = 0
  for (const character of tagNames[tag]!) hash = nextHash(hash, character.charCodeAt(0))
  let slot = slotOf(hash)
  while (tableTags[slot] !== 0) slot = (slot + 1) & (tableSize - 1)
  tableHashes[slot] = hash
  tableTags[slot] = tag
}

/** Number of the tag whose upper-case name has this hash and length, 0 for an unknown one. */
export const findTag = (hash: number, length: number): number => {
  let slot = slotOf(hash)
  while (true) {
    const tag = tableTags[slot]!
    if (tag === 0) return 0
    if (tableHashes[slot] === hash && tagNames[tag]!.length === length) return tag
    slot = (slot + 1) & (tableSize - 1)
  }
}
