/** The OFX elements that the reader knows, and a lookup that needs no string for a tag. */

/**
 * Number of every known element; 0 stands for all others. Aggregates, which have children, come first. A
 * literal with plain numbers, so that a comparison with one costs no lookup.
 */
export const Tag = {
  OFX: 1,
  STATUS: 2,
  STMTRS: 3,
  CCSTMTRS: 4,
  INVSTMTRS: 5,
  LOANSTMTRS: 6,
  BANKACCTFROM: 7,
  CCACCTFROM: 8,
  INVACCTFROM: 9,
  BANKACCTTO: 10,
  CCACCTTO: 11,
  BANKTRANLIST: 12,
  BANKTRANLISTP: 13,
  INVTRANLIST: 14,
  STMTTRN: 15,
  STMTTRNP: 16,
  PAYEE: 17,
  CURRENCY: 18,
  ORIGCURRENCY: 19,
  LEDGERBAL: 20,
  AVAILBAL: 21,
  BALLIST: 22,
  BAL: 23,
  INVBAL: 24,
  INVBANKTRAN: 25,
  BUYDEBT: 26,
  BUYMF: 27,
  BUYOPT: 28,
  BUYOTHER: 29,
  BUYSTOCK: 30,
  SELLDEBT: 31,
  SELLMF: 32,
  SELLOPT: 33,
  SELLOTHER: 34,
  SELLSTOCK: 35,
  INCOME: 36,
  INVEXPENSE: 37,
  RETOFCAP: 38,
  MARGININTEREST: 39,
  REINVEST: 40,
  TRANSFER: 41,
  SPLIT: 42,
  JRNLFUND: 43,
  JRNLSEC: 44,
  CLOSUREOPT: 45,
  INVBUY: 46,
  INVSELL: 47,
  INVTRAN: 48,
  SECID: 49,
  SECINFO: 50,
  CODE: 51,
  SEVERITY: 52,
  MESSAGE: 53,
  CURDEF: 54,
  BANKID: 55,
  BRANCHID: 56,
  BROKERID: 57,
  ACCTID: 58,
  ACCTTYPE: 59,
  DTSTART: 60,
  DTEND: 61,
  DTASOF: 62,
  TRNTYPE: 63,
  DTPOSTED: 64,
  DTUSER: 65,
  DTTRAN: 66,
  DTTRADE: 67,
  TRNAMT: 68,
  TOTAL: 69,
  FITID: 70,
  CHECKNUM: 71,
  REFNUM: 72,
  NAME: 73,
  MEMO: 74,
  CURSYM: 75,
  BALAMT: 76,
  AVAILCASH: 77,
  BALTYPE: 78,
  VALUE: 79,
  INCOMETYPE: 80,
  UNIQUEID: 81,
  SECNAME: 82
} as const

/** Names by number. */
export const tagNames: ReadonlyArray<string> = ["", ...Object.keys(Tag)]

/** Everything below has children. */
export const firstLeaf = Tag.CODE

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
const tableLengths = new Uint8Array(tableSize)

const slotOf = (hash: number): number => (hash ^ (hash >>> 10) ^ (hash >>> 20)) & (tableSize - 1)

for (let tag = 1; tag < tagNames.length; tag++) {
  let hash = 0
  for (const character of tagNames[tag]!) hash = nextHash(hash, character.charCodeAt(0))
  let slot = slotOf(hash)
  while (tableTags[slot] !== 0) slot = (slot + 1) & (tableSize - 1)
  tableHashes[slot] = hash
  tableTags[slot] = tag
  tableLengths[slot] = tagNames[tag]!.length
}

/** Number of the tag whose upper-case name has this hash and length, 0 for an unknown one. */
export const findTag = (hash: number, length: number): number => {
  let slot = slotOf(hash)
  while (true) {
    const tag = tableTags[slot]!
    if (tag === 0) return 0
    if (tableHashes[slot] === hash && tableLengths[slot] === length) return tag
    slot = (slot + 1) & (tableSize - 1)
  }
}

/** Whether two parts of the text are one name of an element, in capitals or not. */
export const isSameName = (text: string, from: number, to: number, otherFrom: number, otherTo: number): boolean => {
  if (to - from !== otherTo - otherFrom) return false
  for (let offset = 0; offset < to - from; offset++) {
    if (nameCodes[text.charCodeAt(from + offset)] !== nameCodes[text.charCodeAt(otherFrom + offset)]) {
      return false
    }
  }
  return true
}
