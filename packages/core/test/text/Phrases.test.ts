import { Seeded } from "@millrace/testing/model"
import { fold } from "../../src/text/Fold.ts"
import { plainWords } from "../../src/text/Phrases.ts"
import { describe, expect, it } from "vitest"

/** As it is written in Unicode, whatever the text is of. */
const wordsByUnicode = (text: string): ReadonlyArray<string> =>
  fold(text.toWellFormed().normalize("NFKC"))
    .normalize("NFD")
    .replace(/\p{M}+/gu, "")
    .split(/[^\p{L}\p{N}&]+/u)
    .filter((word) => word !== "")

describe("the words of a text", () => {
  it("are folded, and parted by all that is no letter, no number and no ampersand", () => {
    expect(plainWords("  SQ *Blue-Bottle #12 & CO ")).toEqual(["sq", "blue", "bottle", "12", "&", "co"])
    expect(plainWords("CAFÉ LÜTZOW")).toEqual(["cafe", "lutzow"])
    expect(plainWords("\u212Aiosk")).toEqual(["kiosk"])
  })

  it("are the same for texts of ASCII as for any other", () => {
    const random = new Seeded(7)
    const others = [..."äßÉİ\u212Aé\u0301漢&-_'\t\u00A0€"]
    for (let n = 0; n < 2_000; n++) {
      const mixed = random.once(3)
      const text = Array.from({ length: random.below(24) }, () =>
        mixed && random.once(4) ? random.pick(others) : String.fromCharCode(random.below(128))
      ).join("")
      expect(plainWords(text)).toEqual(wordsByUnicode(text))
    }
  })
})
