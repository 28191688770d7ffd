/** A month in the demo wallet: currencies without, with three and with eight digits after the point. */
import type { Category } from "@millrace/core/record"
import { open } from "./Book.ts"
import { instant, type Month } from "./Calendar.ts"
import type { Entry } from "./Entry.ts"

type Shop = readonly [text: string, category: Category]

const shops: readonly [Shop, ...ReadonlyArray<Shop>] = [
  ["セブンマート 新宿三丁目", "FOOD_AND_DRINK"],
  ["東京メトロ チャージ", "TRANSPORTATION"],
  ["ラーメン 一番星", "FOOD_AND_DRINK"],
  ["ﾃﾞﾓ ｺﾝﾋﾞﾆ #0042", "GENERAL_MERCHANDISE"],
  ["KINOKO BOOKS 渋谷", "GENERAL_MERCHANDISE"]
]

const stalls: readonly [Shop, ...ReadonlyArray<Shop>] = [
  ["سوق المباركية", "GENERAL_MERCHANDISE"],
  ["مقهى الديوان", "FOOD_AND_DRINK"],
  ["GULF PETROL STN 07", "TRANSPORTATION"]
]

export const walletMonth = (key: string, month: Month): ReadonlyArray<Entry> => {
  const book = open(`${key}|wallet|${month}`)
  const draw = book.draws
  const moment = (): number => instant(month, draw.between(2, 28), draw.between(0, 13), draw.between(0, 59))
  const topUp = (account: string, day: number, units: bigint): void =>
    book.post({
      account,
      at: instant(month, day, 2),
      text: "TOP-UP FROM BANK",
      units,
      type: "TRANSFER_INCOMING",
      category: "TRANSFER_IN",
      reference: `TOP${month}`
    })

  topUp("yen", 1, 38_000n)
  for (let n = draw.between(18, 24); n > 0; n--) {
    const [text, category] = draw.pick(shops)
    const units = BigInt(-draw.between(120, 3_400))
    book.purchase({ account: "yen", at: moment(), text, units, type: "CARD", category }, { kind: "plain" }, 12)
  }
  topUp("dinar", 5, 60_000n)
  for (let n = draw.between(6, 9); n > 0; n--) {
    const [text, category] = draw.pick(stalls)
    const units = BigInt(-draw.between(450, 12_875))
    book.purchase(
      { account: "dinar", at: moment(), text, units, type: "PAYMENT", category },
      draw.perMille(80) ? { kind: "vanishes" } : { kind: "plain" },
      draw.between(4, 30)
    )
  }
  for (let n = draw.between(1, 3); n > 0; n--) {
    const sent = draw.perMille(350)
    book.post({
      account: "coin",
      at: moment(),
      text: sent ? "COIN SENT 0x1f2e" : draw.pick(["COIN REWARD", "COIN RECEIVED"]),
      units: BigInt((sent ? -1 : 1) * draw.between(1, 9_999_999)),
      type: "OTHER",
      category: "UNCATEGORIZED"
    })
  }
  return book.entries
}
